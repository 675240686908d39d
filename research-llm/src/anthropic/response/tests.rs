//! Answers of the messages format.

use super::*;
use crate::error::ErrorKind;
use crate::response::{FinishReason, Usage};
use serde_json::json;

fn read(body: Value) -> Response {
    response("asked", body, Map::new(), false).unwrap()
}

#[test]
fn a_whole_answer_is_read() {
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s"});
    let body = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x",
        "content": [
            thinking,
            {"type": "text", "text": "Let me "}, {"type": "text", "text": "see."},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": [1]}},
            {"type": "tool_use", "id": "c2", "name": "g", "input": {}},
        ],
        "stop_reason": "tool_use", "stop_sequence": null,
        "usage": {
            "input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 3_000,
            "output_tokens": 50, "output_tokens_details": {"thinking_tokens": 40},
        },
    });
    let headers = Map::from_iter([("request_id".to_owned(), json!("req_1"))]);
    let answer = response("asked", body.clone(), headers, true).unwrap();
    assert_eq!((answer.text.as_str(), answer.reasoning.as_deref()), ("Let me see.", Some("hm")));
    assert_eq!((answer.model.as_str(), answer.id.as_deref()), ("claude-x", Some("msg_1")));
    assert_eq!(answer.tool_calls, [ToolCall::new("c1", "f", r#"{"a":[1]}"#), ToolCall::new("c2", "g", "{}")]);
    assert_eq!(answer.usage, Usage::new(3_210, 50).cached(200, 3_000).reasoning(40));
    assert_eq!(answer.finish, FinishReason::ToolCalls);
    assert_eq!(answer.provider_items, [item(thinking)]);
    assert_eq!(answer.metadata["request_id"], "req_1");
    assert_eq!(answer.metadata["stop_reason"], "tool_use");
    assert_eq!(answer.raw, Some(body));
}

#[test]
fn every_reason_to_stop_has_its_category() {
    for (reason, finish) in [
        ("end_turn", FinishReason::Stop),
        ("stop_sequence", FinishReason::Stop),
        ("max_tokens", FinishReason::Length),
        ("model_context_window_exceeded", FinishReason::Length),
        ("tool_use", FinishReason::ToolCalls),
        ("refusal", FinishReason::ContentFilter),
        ("pause_turn", FinishReason::Other),
        ("one_of_tomorrow", FinishReason::Other),
    ] {
        let answer = read(json!({"content": [], "stop_reason": reason}));
        assert_eq!((answer.finish, &answer.metadata["stop_reason"]), (finish, &json!(reason)));
    }
}

#[test]
fn mixed_and_unknown_blocks_are_kept_whole_for_the_next_turn() {
    let content = json!([
        {"type": "text", "text": "Searching."},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
        {"type": "text", "text": " "},
    ]);
    let answer = read(json!({"content": content, "stop_reason": "pause_turn"}));
    assert_eq!(answer.text, "Searching. ");
    let kept = json!([content[0], content[1]]);
    assert_eq!(answer.provider_items, [crate::ProviderItem::new("anthropic.turn", kept)]);
}

#[test]
fn what_is_no_message_is_an_invalid_response() {
    let error = response("m", json!({"choices": []}), Map::new(), false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidResponse);
}

#[test]
fn errors_are_typed_and_scrubbed() {
    let kind = |body: Value| error(&body, str::to_owned).map(|error| error.kind());
    let said = |name: &str, message: &str| json!({"type": "error", "error": {"type": name, "message": message}});
    assert_eq!(kind(said("overloaded_error", "Overloaded")), Some(ErrorKind::ServerError));
    assert_eq!(kind(said("rate_limit_error", "Slow down")), Some(ErrorKind::RateLimit));
    assert_eq!(kind(said("authentication_error", "invalid x-api-key")), Some(ErrorKind::Authentication));
    let long = "prompt is too long: 213462 tokens > 200000 maximum";
    assert_eq!(kind(said("invalid_request_error", long)), Some(ErrorKind::TokenLimit));
    assert_eq!(kind(json!({"type": "ping"})), None);
    let echo = error(&said("api_error", "key k-MARKER"), |text| text.replace("k-MARKER", "[key]")).unwrap();
    assert!(!format!("{echo} {echo:?}").contains("MARKER"));
}
