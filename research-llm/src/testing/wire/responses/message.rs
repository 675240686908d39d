//! The parts of an answer in OpenAI's format of responses.

use serde_json::{Value, json};

use super::super::openai::CREATED;
use crate::response::{FinishReason, Response, Usage};

/// What an item of this format is called in an answer.
pub(super) const FORMAT: &str = "openai.responses";

pub(super) fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": usage.cache_read_tokens},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.total(),
    })
}

/// Everything about an answer but its output and usage, at the stage of a status.
pub(super) fn shell(response: &Response, status: &str) -> Value {
    json!({
        "id": response.id,
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": null,
        "incomplete_details": null,
        "model": response.model,
        "output": [],
        "parallel_tool_calls": true,
        "store": false,
        "usage": null,
    })
}

/// Status at the end, and what is incomplete.
pub(super) fn ending(response: &Response) -> (&'static str, Value) {
    match response.finish {
        FinishReason::Length => ("incomplete", json!({"reason": "max_output_tokens"})),
        FinishReason::ContentFilter => ("incomplete", json!({"reason": "content_filter"})),
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other => ("completed", Value::Null),
    }
}

/// The items of an answer: what is handed back, the text, the calls.
pub(super) fn items(response: &Response) -> Vec<Value> {
    let id = response.id.as_deref().unwrap_or_default();
    let mut items: Vec<Value> = response.provider_items.iter().map(|item| item.item.clone()).collect();
    if !response.text.is_empty() || (items.is_empty() && response.tool_calls.is_empty()) {
        items.push(json!({
            "type": "message",
            "id": format!("msg_{id}"),
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": response.text, "annotations": [], "logprobs": []}],
        }));
    }
    items.extend(response.tool_calls.iter().map(|call| {
        json!({
            "type": "function_call",
            "id": format!("fc_{}", call.id),
            "call_id": call.id,
            "name": call.name,
            "arguments": call.arguments,
            "status": "completed",
        })
    }));
    items
}
