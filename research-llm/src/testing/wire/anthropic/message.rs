//! The parts of a message of Anthropic.

use serde_json::{Value, json};

use crate::response::{FinishReason, Response, Usage};

/// What an item of this format is called in an answer.
pub(super) const FORMAT: &str = "anthropic";

pub(super) fn stop_reason(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Length => "max_tokens",
        FinishReason::ToolCalls => "tool_use",
        FinishReason::ContentFilter => "refusal",
        FinishReason::Stop | FinishReason::Other => "end_turn",
    }
}

/// Tokens read from the cache or for it are counted apart from the others.
pub(super) fn usage(usage: Usage) -> Value {
    let cached = usage.cache_read_tokens + usage.cache_write_tokens;
    json!({
        "input_tokens": usage.input_tokens.saturating_sub(cached),
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "output_tokens": usage.output_tokens,
        "service_tier": "standard",
    })
}

/// The blocks of an answer: what is handed back, the text, the calls.
pub(super) fn blocks(response: &Response) -> Vec<Value> {
    let mut blocks: Vec<Value> = response.provider_items.iter().map(|item| item.item.clone()).collect();
    if !response.text.is_empty() {
        blocks.push(json!({"type": "text", "text": response.text}));
    }
    blocks.extend(response.tool_calls.iter().map(|call| {
        // A model that was cut off leaves half an object; the server then sends none of it.
        let input = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
    }));
    blocks
}

pub(super) fn message(response: &Response) -> Value {
    json!({
        "id": response.id,
        "type": "message",
        "role": "assistant",
        "model": response.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": usage(response.usage),
    })
}
