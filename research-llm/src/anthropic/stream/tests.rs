//! Streams of the messages format.

use super::*;
use crate::anthropic::response::response;
use crate::error::ErrorKind;
use crate::http::HttpBuilder;
use crate::response::{FinishReason, Response, Usage};
use crate::stream::collect;
use futures::executor::block_on;

fn block(index: u64, start: Value, deltas: &[Value]) -> Vec<Value> {
    let mut events = vec![json!({"type": "content_block_start", "index": index, "content_block": start})];
    events.extend(deltas.iter().map(|d| json!({"type": "content_block_delta", "index": index, "delta": d})));
    events.push(json!({"type": "content_block_stop", "index": index}));
    events
}

fn message(blocks: Vec<Vec<Value>>, stop_reason: &str) -> Vec<Value> {
    let usage = json!({"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 1});
    let start = json!({"id": "msg_1", "model": "claude-x", "content": [], "usage": usage});
    let mut events = vec![json!({"type": "message_start", "message": start}), json!({"type": "ping"})];
    events.extend(blocks.into_iter().flatten());
    events.push(json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason, "stop_sequence": null},
        "usage": {"output_tokens": 30},
    }));
    events.push(json!({"type": "message_stop"}));
    events
}

fn read(events: &[Value]) -> Result<Response, ModelError> {
    let http = HttpBuilder::new("http://127.0.0.1:1").header("x-auth", "k-MARKER".to_owned()).build().unwrap();
    let bytes: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let mut parser = crate::sse::Parser::new();
    parser.push(bytes.as_bytes());
    let source: Vec<_> = std::iter::from_fn(|| parser.next_event()).collect();
    let headers = Map::from_iter([("request_id".to_owned(), json!("req_1"))]);
    block_on(collect("asked", Answer::new("asked", http, headers, stream::iter(source)).events()))
}

fn thinking() -> Vec<Value> {
    let deltas = [
        json!({"type": "thinking_delta", "thinking": "h"}),
        json!({"type": "thinking_delta", "thinking": "m"}),
        json!({"type": "signature_delta", "signature": "si"}),
        json!({"type": "signature_delta", "signature": "gn"}),
    ];
    block(0, json!({"type": "thinking", "thinking": "", "signature": ""}), &deltas)
}

fn call(index: u64, id: &str, pieces: &[&str]) -> Vec<Value> {
    let deltas: Vec<_> = pieces.iter().map(|p| json!({"type": "input_json_delta", "partial_json": p})).collect();
    block(index, json!({"type": "tool_use", "id": id, "name": "f", "input": {}}), &deltas)
}

#[test]
fn a_streamed_answer_is_the_whole_answer() {
    let text = [json!({"type": "text_delta", "text": "Let "}), json!({"type": "text_delta", "text": "me see."})];
    let text = block(1, json!({"type": "text", "text": ""}), &text);
    let calls = [call(2, "c1", &["", "{\"a\"", ":1}"]), call(3, "c2", &[""])];
    let [one, two] = calls;
    let streamed = read(&message(vec![thinking(), text, one, two], "tool_use")).unwrap();
    let whole = json!({
        "id": "msg_1", "model": "claude-x", "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "sign"},
            {"type": "text", "text": "Let me see."},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
            {"type": "tool_use", "id": "c2", "name": "f", "input": {}},
        ],
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 30},
    });
    let headers = Map::from_iter([("request_id".to_owned(), json!("req_1"))]);
    assert_eq!(streamed, response("asked", whole, headers, false).unwrap());
    assert_eq!(streamed.usage, Usage::new(15, 30).cached(5, 0));
    assert_eq!(streamed.finish, FinishReason::ToolCalls);
}

#[test]
fn mixed_blocks_are_kept_whole_for_the_next_turn() {
    let text = |index, text: &str| block(index, json!({"type": "text", "text": text}), &[]);
    let redacted = block(2, json!({"type": "redacted_thinking", "data": "x"}), &[]);
    let query = json!({"type": "input_json_delta", "partial_json": "{\"query\":\"q\"}"});
    let search = block(1, json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}), &[query]);
    let answer = read(&message(vec![text(0, "Well."), search, redacted], "pause_turn")).unwrap();
    assert_eq!(answer.provider_items[0].item, json!({"type": "redacted_thinking", "data": "x"}));
    assert_eq!(
        answer.provider_items[1].item,
        json!([
            {"type": "text", "text": "Well."},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
            {"type": "redacted_thinking", "data": "x"},
        ])
    );
    assert!(answer.tool_calls.is_empty());
}

#[test]
fn what_is_unknown_is_skipped() {
    let text = [json!({"type": "one_of_tomorrow", "x": 1}), json!({"type": "text_delta", "text": "Yes."})];
    let mut events = message(vec![block(0, json!({"type": "text", "text": ""}), &text)], "end_turn");
    events.insert(1, json!({"type": "event_of_tomorrow", "index": 7}));
    assert_eq!(read(&events).unwrap().text, "Yes.");
}

#[test]
fn an_answer_that_ends_early_is_an_error_with_what_had_arrived() {
    let text = [json!({"type": "text_delta", "text": "Half"})];
    let events = message(vec![block(0, json!({"type": "text", "text": ""}), &text)], "end_turn");
    for cut in 0..events.len() {
        let error = read(&events[..cut]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connection, "cut before event {cut}");
        let said = error.received().map_or("", |received| received.text.as_str());
        assert_eq!(said, if cut > 3 { "Half" } else { "" }, "cut before event {cut}");
    }
    assert_eq!(read(&events).unwrap().text, "Half");
}

#[test]
fn an_error_in_the_middle_is_typed_and_scrubbed_and_carries_what_had_arrived() {
    let text = [json!({"type": "text_delta", "text": "Half"})];
    let mut events = message(vec![block(0, json!({"type": "text", "text": ""}), &text)], "end_turn");
    events.truncate(4);
    events.push(json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy, k-MARKER"}}));
    let error = read(&events).unwrap_err();
    assert!(matches!(&error, ModelError::Interrupted { source, .. }
        if matches!(**source, ModelError::Server { status: Some(529), .. })));
    assert_eq!(error.received().unwrap().text, "Half");
    assert!(!format!("{error:?}").contains("MARKER"));
}

#[test]
fn garbage_is_an_invalid_response() {
    let orphan = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}});
    let twice = block(0, json!({"type": "text"}), &[]);
    for events in [vec![json!({"type": "message_start"}), orphan], [twice.clone(), twice].concat()] {
        assert_eq!(read(&events).unwrap_err().kind(), ErrorKind::InvalidResponse);
    }
}
