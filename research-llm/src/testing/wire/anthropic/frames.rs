//! The events of a streamed message.

use serde_json::{Value, json};

use super::super::format::{Frame, torn};
use super::message::{blocks, message, stop_reason, usage};
use crate::response::Response;

/// An event, named as its object is.
pub(super) fn event(object: &Value) -> String {
    let name = object["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {object}\n\n")
}

fn say(object: Value) -> Frame {
    Frame::new(event(&object), "")
}

/// The events of an answer.
pub(super) fn frames(response: &Response) -> Vec<Frame> {
    let mut start = message(response);
    // The tokens written are counted on until the end.
    start["usage"]["output_tokens"] = json!(1);
    let mut frames = vec![say(json!({"type": "message_start", "message": start}))];
    for (index, block) in blocks(response).iter().enumerate() {
        let (begun, deltas) = parts(block);
        frames.push(say(json!({"type": "content_block_start", "index": index, "content_block": begun})));
        for (delta, text) in deltas {
            let object = json!({"type": "content_block_delta", "index": index, "delta": delta});
            frames.push(Frame::new(event(&object), text));
        }
        frames.push(say(json!({"type": "content_block_stop", "index": index})));
    }
    frames.push(say(json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(response.finish), "stop_sequence": null},
        "usage": usage(response.usage),
    })));
    frames.push(say(json!({"type": "message_stop"})));
    frames
}

/// A block as it begins, and its pieces with the text that they add.
fn parts(block: &Value) -> (Value, Vec<(Value, String)>) {
    let text_of = |field: &str| block[field].as_str().unwrap_or_default();
    match block["type"].as_str() {
        Some("text") => {
            let pieces = torn(text_of("text")).map(|text| (json!({"type": "text_delta", "text": text}), text));
            (json!({"type": "text", "text": ""}), pieces.collect())
        }
        Some("thinking") => {
            let pieces = torn(text_of("thinking"))
                .map(|text| json!({"type": "thinking_delta", "thinking": text}))
                .chain([json!({"type": "signature_delta", "signature": block["signature"]})]);
            let begun = json!({"type": "thinking", "thinking": "", "signature": ""});
            (begun, pieces.map(|piece| (piece, String::new())).collect())
        }
        Some("tool_use") => {
            let begun = json!({"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}});
            // The first piece is always empty; a call without arguments has no other.
            let input = block["input"].to_string();
            let json = if input == "{}" { "" } else { input.as_str() };
            let pieces = [String::new()].into_iter().chain(torn(json));
            (
                begun,
                pieces
                    .map(|piece| (json!({"type": "input_json_delta", "partial_json": piece}), String::new()))
                    .collect(),
            )
        }
        // Everything else comes whole.
        _ => (block.clone(), Vec::new()),
    }
}
