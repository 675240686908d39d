//! What providers, gateways and operating systems really say, and the kinds of errors that it means.
//!
//! The messages stand in `errors/KIND.json`, as they are quoted in the documentation and the issue trackers of those who
//! send them or receive them; names of accounts are replaced.

#![expect(clippy::unwrap_used, reason = "a test ends at a broken promise of its helpers")]

use std::io;
use std::time::Duration;

use proptest::prelude::*;
use research_llm::{ErrorKind, Failure, ModelError};
use serde_json::Value;

const MESSAGES: &[(ErrorKind, &str)] = &[
    (ErrorKind::TokenLimit, include_str!("errors/token_limit.json")),
    (ErrorKind::RateLimit, include_str!("errors/rate_limit.json")),
    (ErrorKind::Connection, include_str!("errors/connection.json")),
    (ErrorKind::Timeout, include_str!("errors/timeout.json")),
    (ErrorKind::Authentication, include_str!("errors/authentication.json")),
    (ErrorKind::ServerError, include_str!("errors/server_error.json")),
    (ErrorKind::InvalidRequest, include_str!("errors/invalid_request.json")),
    (ErrorKind::Withheld, include_str!("errors/withheld.json")),
    (ErrorKind::UnknownModel, include_str!("errors/unknown_model.json")),
    (ErrorKind::InvalidResponse, include_str!("errors/invalid_response.json")),
    (ErrorKind::Unknown, include_str!("errors/unknown.json")),
];

/// Every message: the kind that it must be, what is said of it, and the error that it becomes.
fn messages() -> impl Iterator<Item = (ErrorKind, Value, ModelError)> {
    MESSAGES.iter().flat_map(|(kind, file)| {
        let rows: Vec<Value> = serde_json::from_str(file).unwrap();
        rows.into_iter().map(|row| {
            let error = read(&row);
            (*kind, row, error)
        })
    })
}

fn read(row: &Value) -> ModelError {
    let status = row["status"].as_u64().map(|status| u16::try_from(status).unwrap());
    match (status, &row["body"]) {
        (Some(status), Value::String(text)) => Failure::from_body(status, text, None),
        (Some(status), body) => Failure::from_body(status, &body.to_string(), None),
        (None, Value::String(text)) => Failure::new(text).into_error(),
        (None, body) => Failure::from_json(None, body, None),
    }
}

#[test]
fn every_message_is_of_its_kind() {
    let wrong: Vec<_> = messages()
        .filter(|(kind, _, error)| error.kind() != *kind)
        .map(|(kind, row, error)| format!("{kind} became {}: {row}", error.kind()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_class_has_at_least_ten_messages() {
    for (kind, file) in &MESSAGES[..7] {
        let rows: Vec<Value> = serde_json::from_str(file).unwrap();
        assert!(rows.len() >= 10, "{kind} has {}", rows.len());
    }
}

#[test]
fn counts_and_waits_are_read_out_of_the_messages() {
    for (_, row, error) in messages() {
        let (limit, requested) = match &error {
            ModelError::TokenLimit { limit, requested, .. } => (*limit, *requested),
            _ => (None, None),
        };
        let expected = (row["limit"].as_u64(), row["requested"].as_u64());
        assert_eq!((limit, requested), expected, "{row}");
        let wait = row["retry_after_ms"].as_u64().map(Duration::from_millis);
        assert_eq!(error.retry_after(), wait, "{row}");
    }
}

#[test]
fn what_is_said_to_the_user_holds_nothing_of_the_message() {
    const MARKER: &str = "sk-live-MARKER-0123456789";
    let with_marker = |value: &Value| {
        serde_json::from_str::<Value>(&value.to_string().replace("e ", &format!("e {MARKER} "))).unwrap()
    };
    let mut marked = 0;
    for (_, row, _) in messages() {
        let row = with_marker(&row);
        let error = read(&row);
        marked += usize::from(error.to_string().contains(MARKER));
        assert!(!error.user_message().contains("MARKER"), "{row}");
    }
    assert!(marked > 50, "the marker is in {marked} messages only");
}

#[test]
fn a_delay_in_a_header_goes_before_one_in_the_text() {
    let body = r#"{"error": {"message": "Please try again in 9s.", "type": "tokens", "code": "rate_limit_exceeded"}}"#;
    let error = Failure::from_body(429, body, Some(Duration::from_secs(2)));
    assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
}

#[test]
fn the_reason_that_a_gateway_keeps_beside_its_own_is_not_lost() {
    let body = r#"{"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "prompt is too long: 9 tokens > 8 maximum"}}}"#;
    let error = Failure::from_body(400, body, None);
    assert!(matches!(error, ModelError::TokenLimit { limit: Some(8), requested: Some(9), .. }), "{error:?}");
}

#[test]
fn a_typed_cause_wins_over_words_that_say_something_else() {
    let words = "rate limit, timeout, connection reset, maximum context length";
    let kind = |failure: Failure<'_>| failure.kind();
    assert_eq!(kind(Failure::new(words).status(401)), ErrorKind::Authentication);
    assert_eq!(kind(Failure::new("overloaded").status(429)), ErrorKind::RateLimit);
    assert_eq!(kind(Failure::new("connection reset").code("rate_limit_error")), ErrorKind::RateLimit);
    assert_eq!(kind(Failure::new("500").status(400).code("invalid_request_error")), ErrorKind::InvalidRequest);
}

#[test]
fn errors_of_the_operating_system_are_told_apart_by_their_kind() {
    use io::ErrorKind as Io;

    for (io_kind, kind) in [
        (Io::ConnectionRefused, ErrorKind::Connection),
        (Io::ConnectionReset, ErrorKind::Connection),
        (Io::ConnectionAborted, ErrorKind::Connection),
        (Io::BrokenPipe, ErrorKind::Connection),
        (Io::UnexpectedEof, ErrorKind::Connection),
        (Io::HostUnreachable, ErrorKind::Connection),
        (Io::NetworkUnreachable, ErrorKind::Connection),
        (Io::TimedOut, ErrorKind::Timeout),
        (Io::InvalidData, ErrorKind::InvalidResponse),
        (Io::PermissionDenied, ErrorKind::Unknown),
    ] {
        let error = ModelError::from_io(io_kind.into());
        assert_eq!(error.kind(), kind, "{io_kind:?}");
        assert!(std::error::Error::source(&error).is_some(), "{io_kind:?} keeps its cause");
    }
    let unresolved = io::Error::other("failed to lookup address information: Name or service not known");
    assert_eq!(ModelError::from_io(unresolved).kind(), ErrorKind::Connection);
    let odd = io::Error::other("the disk has 500 pages");
    assert_eq!(ModelError::from_io(odd).kind(), ErrorKind::Unknown);
}

#[test]
fn a_long_page_is_cut_and_its_title_kept() {
    let page =
        format!("<!DOCTYPE html><html><head><title>Sign in</title></head><body>{}</body></html>", "x".repeat(100_000));
    let error = Failure::from_body(404, &page, None);
    assert!(error.to_string().contains("Sign in") && error.to_string().len() < 500, "{error}");
    let text = "ä".repeat(100_000);
    let error = Failure::from_body(500, &text, None);
    assert!(error.to_string().len() < 2_200);
}

proptest! {
    #[test]
    fn whatever_a_server_says_becomes_an_error(
        status in 100_u16..1_000,
        body in "(\\PC|limit |requested |try again in |[0-9]{1,40}|> | \\+ |status |<html><title>|\"|\\{|ß|İ){0,30}",
    ) {
        for error in [
            Failure::from_body(status, &body, None),
            Failure::from_body(status, &serde_json::json!({"error": {"message": body, "code": status}}).to_string(), None),
            Failure::new(&body).code(&body).into_error(),
        ] {
            prop_assert!(!error.to_string().is_empty() && !error.user_message().is_empty());
        }
    }
}
