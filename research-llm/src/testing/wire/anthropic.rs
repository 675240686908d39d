//! Messages of Anthropic.

mod frames;
mod message;
mod read;

use serde_json::{Value, json};

use self::message::{FORMAT, blocks, message, stop_reason};
use super::asked::Asked;
use super::fault::Fault;
use super::fields::Unreadable;
use super::format::{Frame, WireFormat};
use crate::message::ProviderItem;
use crate::response::{Response, Usage};
use crate::testing::server::Received;

/// The messages of Anthropic, version 2023-06-01.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct AnthropicMessages;

impl AnthropicMessages {
    /// The format.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
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
