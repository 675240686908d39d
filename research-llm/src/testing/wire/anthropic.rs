//! Messages of Anthropic.

mod frames;
mod read;

use serde_json::{Value, json};

use super::{Asked, Fault, Frame, Unreadable, WireFormat};
use crate::message::ProviderItem;
use crate::response::{FinishReason, Response, Usage};
use crate::testing::Received;

/// The messages of Anthropic, version 2023-06-01.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct AnthropicMessages;

/// What an item of this format is called in an answer.
const FORMAT: &str = "anthropic";

impl AnthropicMessages {
    /// The format.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

fn stop_reason(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Length => "max_tokens",
        FinishReason::ToolCalls => "tool_use",
        FinishReason::ContentFilter => "refusal",
        FinishReason::Stop | FinishReason::Other => "end_turn",
    }
}

/// Tokens read from the cache or for it are counted apart from the others.
fn usage(usage: Usage) -> Value {
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
fn blocks(response: &Response) -> Vec<Value> {
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

fn message(response: &Response) -> Value {
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

impl WireFormat for AnthropicMessages {
    fn name(&self) -> &'static str {
        "Anthropic messages"
    }

    fn base_url(&self, server: &str) -> String {
        server.to_owned()
    }

    fn answer(&self, response: &Response) -> Value {
        let mut message = message(response);
        message["content"] = blocks(response).into();
        message["stop_reason"] = json!(stop_reason(response.finish));
        message
    }

    fn frames(&self, response: &Response) -> Vec<Frame> {
        frames::frames(response)
    }

    fn noise(&self) -> Vec<String> {
        vec![
            frames::event(&json!({"type": "ping"})),
            frames::event(&json!({"type": "thing_of_the_future", "index": 0, "delta": {"text": "x"}})),
            ": a comment\n\n".to_owned(),
        ]
    }

    fn error(&self, fault: Fault, message: &str) -> Value {
        let (kind, message) = match fault {
            Fault::Malformed => ("invalid_request_error", message.to_owned()),
            Fault::WrongKey => ("authentication_error", format!("invalid x-api-key {message}")),
            Fault::TooLong => {
                ("invalid_request_error", format!("prompt is too long: 9001 tokens > 8192 maximum {message}"))
            }
            Fault::RateLimit => ("rate_limit_error", message.to_owned()),
            Fault::Internal => ("api_error", message.to_owned()),
            Fault::Overloaded => ("overloaded_error", message.to_owned()),
        };
        json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_7"})
    }

    fn error_frame(&self, fault: Fault, message: &str) -> String {
        frames::event(&self.error(fault, message))
    }

    fn says(&self, usage: Usage) -> Usage {
        usage.reasoning(0)
    }

    fn reasoned(&self) -> Response {
        let thought = "Six times seven is… 42.";
        let mut response = Response::new("messages-model-1", "So it is 42.").usage(Usage::new(20, 30));
        response.reasoning = Some(thought.to_owned());
        let blocks = [
            json!({"type": "thinking", "thinking": thought, "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3h"}),
            json!({"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix/LafPsn4a"}),
        ];
        response.provider_items = blocks.map(|block| ProviderItem::new(FORMAT, block)).into();
        response.id = Some("msg_7".to_owned());
        response
    }

    fn read(&self, request: &Received) -> Result<Asked, Unreadable> {
        read::read(request)
    }
}
