//! Categories of real messages and typed causes, which of them may be retried, and what users are
//! shown.

use std::io;
use std::time::Duration;

use research_llm::ModelError;
use research_mcp::McpError;
use serde_json::Value;

use crate::error::model::*;
use crate::error::*;

/// Real messages of services, servers, frameworks and operating systems, by category, as their
/// documentation and issue trackers quote them. Names of accounts are replaced.
const MESSAGES: &str = include_str!("messages.json");

fn messages() -> Vec<(ErrorCategory, String)> {
    let table: serde_json::Map<String, Value> = serde_json::from_str(MESSAGES).unwrap();
    let rows = table.into_iter().flat_map(|(category, messages)| {
        let category: ErrorCategory = serde_json::from_value(category.into()).unwrap();
        let messages: Vec<String> = serde_json::from_value(messages).unwrap();
        messages.into_iter().map(move |message| (category, message))
    });
    rows.collect()
}

#[test]
fn every_message_is_of_its_category() {
    let wrong: Vec<String> = messages()
        .into_iter()
        .filter(|(category, message)| ErrorCategory::from_text(message) != *category)
        .map(|(category, message)| {
            format!(
                "{category:?} became {:?}: {message}",
                ErrorCategory::from_text(&message)
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_category_has_at_least_ten_messages() {
    for category in ErrorCategory::ALL {
        let count = messages()
            .iter()
            .filter(|(known, _)| *known == category)
            .count();
        assert!(count >= 10, "{category:?} has {count}");
    }
}

#[test]
fn the_name_of_a_category_is_the_one_it_serializes_to() {
    for category in ErrorCategory::ALL {
        assert_eq!(serde_json::to_value(category).unwrap(), category.as_str());
    }
}

#[test]
fn statuses_have_one_category_each() {
    use ErrorCategory::*;
    for (statuses, category) in [
        (&[401, 402, 403, 407][..], Authentication),
        (&[408, 504, 522, 524], Timeout),
        (&[413], TokenLimit),
        (&[429], RateLimit),
        (&[500, 502, 503, 529], ServerError),
        (&[499], Connection),
        (&[200, 400, 404, 422], Unknown),
    ] {
        for status in statuses {
            assert_eq!(ErrorCategory::from_status(*status), category, "{status}");
        }
    }
}

#[test]
fn errors_of_the_operating_system_go_by_their_kind() {
    for (kind, category) in [
        (io::ErrorKind::ConnectionRefused, ErrorCategory::Connection),
        (io::ErrorKind::BrokenPipe, ErrorCategory::Connection),
        (io::ErrorKind::UnexpectedEof, ErrorCategory::Connection),
        (io::ErrorKind::TimedOut, ErrorCategory::Timeout),
        (io::ErrorKind::NotFound, ErrorCategory::Unknown),
    ] {
        assert_eq!(ErrorCategory::from_io(&kind.into()), category, "{kind}");
        // The text says something else; the kind counts.
        let other = io::Error::new(kind, "429 Too Many Requests");
        assert_ne!(
            ErrorCategory::from_io(&other),
            ErrorCategory::RateLimit,
            "{kind}"
        );
    }
}

#[test]
fn exactly_five_categories_may_be_tried_again() {
    let retryable: Vec<&str> = ErrorCategory::ALL
        .into_iter()
        .filter(|category| category.is_retryable())
        .map(ErrorCategory::as_str)
        .collect();

    assert_eq!(
        retryable,
        [
            "token_limit",
            "rate_limit",
            "connection",
            "timeout",
            "server_error"
        ]
    );

    let less: Vec<ErrorCategory> = ErrorCategory::ALL
        .into_iter()
        .filter(|category| category.needs_less())
        .collect();

    assert_eq!(less, [ErrorCategory::TokenLimit]);
}

fn tool(message: &str) -> Error {
    McpError::Tool {
        server: "s".into(),
        tool: "t".into(),
        message: message.into(),
    }
    .into()
}

#[test]
fn what_may_be_tried_again_follows_from_the_category() {
    let retryable = |error: Error| (error.category(), error.is_retryable());
    assert_eq!(
        retryable(ModelError::rate_limit("slow down", None).into()),
        (ErrorCategory::RateLimit, true)
    );
    assert_eq!(
        retryable(ModelError::authentication("no key").into()),
        (ErrorCategory::Authentication, false)
    );
    assert_eq!(retryable(tool("500")), (ErrorCategory::McpToolError, false));
    assert_eq!(
        retryable(Error::BlankQuestion),
        (ErrorCategory::Unknown, false)
    );
}

#[test]
fn typed_causes_win_over_their_text() {
    // Each says in words what it is not by its type.
    let errors: [(Error, ErrorCategory); 6] = [
        (
            ModelError::authentication("429 Too Many Requests").into(),
            ErrorCategory::Authentication,
        ),
        (
            ModelError::invalid_request("connection reset by peer", None).into(),
            ErrorCategory::Unknown,
        ),
        (
            McpError::NoServer {
                reasons: vec!["401 Unauthorized".into()],
            }
            .into(),
            ErrorCategory::Connection,
        ),
        (
            McpError::UnknownTool {
                name: "HTTP 503".into(),
                known: vec![],
            }
            .into(),
            ErrorCategory::McpToolError,
        ),
        (
            Error::other(ModelError::rate_limit("invalid api key", None)),
            ErrorCategory::RateLimit,
        ),
        (
            Error::other(io::Error::new(io::ErrorKind::TimedOut, "invalid api key")),
            ErrorCategory::Timeout,
        ),
    ];

    for (error, category) in errors {
        assert_eq!(error.category(), category, "{error}");
    }
}

#[test]
fn a_tool_that_passes_on_the_trouble_of_a_service_has_its_category() {
    for (message, category) in [
        (
            "429 Too Many Requests. Retry-After: 2",
            ErrorCategory::RateLimit,
        ),
        (
            "upstream said: HTTP 500 Internal Server Error",
            ErrorCategory::ServerError,
        ),
        ("401 Unauthorized", ErrorCategory::Authentication),
        ("no such field `rate_limit`", ErrorCategory::McpToolError),
        (
            "Input validation error: `timeout` must be positive",
            ErrorCategory::McpToolError,
        ),
        ("the index has 1500 records", ErrorCategory::McpToolError),
        (
            "column \"timeout\" does not exist",
            ErrorCategory::McpToolError,
        ),
        (
            "unknown column throttle_position",
            ErrorCategory::McpToolError,
        ),
        ("start time outside the range", ErrorCategory::McpToolError),
    ] {
        assert_eq!(tool(message).category(), category, "{message}");
    }

    assert_eq!(
        tool("429 Too Many Requests. Retry-After: 2").retry_after(),
        Some(Duration::from_secs(2))
    );
}

#[test]
fn a_status_of_a_server_of_tools_says_what_helps() {
    let cases = [
        (
            "HTTP 429, Retry-After: 30",
            ErrorCategory::RateLimit,
            Some(Duration::from_secs(30)),
        ),
        ("HTTP 429", ErrorCategory::RateLimit, None),
        ("HTTP 503", ErrorCategory::ServerError, None),
    ];

    for (status, category, wait) in cases {
        let reason = format!("the server answers {status}");
        let operation = research_mcp::Operation::Call;
        let error = Error::from(McpError::Protocol {
            server: "s".into(),
            tool: None,
            operation,
            code: None,
            reason,
        });
        assert_eq!(
            (error.category(), error.retry_after()),
            (category, wait),
            "{status}"
        );
    }
}

#[test]
fn a_result_that_ends_in_the_middle_was_cut_on_the_way() {
    let not_json = |text: &str| {
        let source = serde_json::from_str::<Value>(text).unwrap_err();
        Error::from(McpError::NotJson {
            server: "s".into(),
            tool: "t".into(),
            excerpt: text.into(),
            source,
        })
    };

    assert_eq!(
        not_json("{\"documents\": [{\"id\": 1}, {\"i").category(),
        ErrorCategory::Connection
    );

    for whole in ["Found 3 events", "", "{\"a\": nothing}"] {
        assert_eq!(
            not_json(whole).category(),
            ErrorCategory::McpToolError,
            "{whole}"
        );
    }
}

#[test]
fn a_failure_inside_a_sub_agent_keeps_its_category() {
    let failed = |source: Error| {
        Error::from(SubAgentError::Failed {
            agent: "scanner".into(),
            source: Box::new(source),
        })
    };
    let slow = failed(ModelError::rate_limit("slow down", Some(Duration::from_secs(3))).into());
    assert_eq!(
        (slow.category(), slow.retry_after()),
        (ErrorCategory::RateLimit, Some(Duration::from_secs(3)))
    );
    assert_eq!(
        failed(Error::other("odd")).category(),
        ErrorCategory::SubAgentError
    );
}

#[test]
fn user_messages_hold_no_raw_text() {
    const RAW: &str = "sk-SECRET said the server";
    let not_json = serde_json::from_str::<Value>(RAW).unwrap_err();
    let failed = |source: Error| {
        Error::from(SubAgentError::Failed {
            agent: RAW.into(),
            source: Box::new(source),
        })
    };
    let errors: Vec<Error> = vec![
        ModelError::server(None, RAW, None).into(),
        ModelError::rate_limit(RAW, None).into(),
        tool(RAW),
        tool(&format!("429 Too Many Requests {RAW}")),
        McpError::NoServer {
            reasons: vec![RAW.into()],
        }
        .into(),
        McpError::NotJson {
            server: RAW.into(),
            tool: RAW.into(),
            excerpt: RAW.into(),
            source: not_json,
        }
        .into(),
        Error::UnknownTool {
            name: RAW.into(),
            suggestion: None,
            known: vec![RAW.into()],
        },
        Error::UnknownField {
            tool: RAW.into(),
            field: RAW.into(),
            suggestion: None,
            valid: vec![RAW.into()],
        },
        Error::Filters {
            problem: RAW.into(),
        },
        Error::Config {
            key: "max_docs",
            problem: RAW.into(),
        },
        Error::NoDataSource {
            problems: vec![RAW.into()],
            source: None,
        },
        Error::NothingGathered {
            reason: RAW.into(),
            category: ErrorCategory::Timeout,
        },
        failed(tool(RAW)),
        failed(Error::other(RAW)),
        Error::other(RAW),
    ];

    for error in errors {
        let message = error.user_message();
        assert!(
            !message.contains("SECRET") && message.ends_with('.'),
            "{error}: {message}"
        );
    }
}
