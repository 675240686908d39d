//! Responses of OpenAI.

mod frames;
mod read;

use serde_json::{Value, json};

use super::openai::{self, CREATED};
use super::{Asked, Fault, Frame, Unreadable, WireFormat};
use crate::message::ProviderItem;
use crate::response::{FinishReason, Response, Usage};
use crate::testing::Received;

/// The responses of OpenAI.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OpenAiResponses;

/// What an item of this format is called in an answer.
const FORMAT: &str = "openai.responses";

impl OpenAiResponses {
    /// The format.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": usage.cache_read_tokens},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.total(),
    })
}

/// Everything about an answer but its output and usage, at the stage of a status.
fn shell(response: &Response, status: &str) -> Value {
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
fn ending(response: &Response) -> (&'static str, Value) {
    match response.finish {
        FinishReason::Length => ("incomplete", json!({"reason": "max_output_tokens"})),
        FinishReason::ContentFilter => ("incomplete", json!({"reason": "content_filter"})),
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other => ("completed", Value::Null),
    }
}

/// The items of an answer: what is handed back, the text, the calls.
fn items(response: &Response) -> Vec<Value> {
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

impl WireFormat for OpenAiResponses {
    fn name(&self) -> &'static str {
        "OpenAI responses"
    }

    fn base_url(&self, server: &str) -> String {
        format!("{server}/v1")
    }

    fn answer(&self, response: &Response) -> Value {
        let (status, incomplete) = ending(response);
        let mut answer = shell(response, status);
        answer["incomplete_details"] = incomplete;
        answer["output"] = items(response).into();
        answer["usage"] = usage(response.usage);
        answer
    }

    fn frames(&self, response: &Response) -> Vec<Frame> {
        frames::frames(response, &self.answer(response))
    }

    fn noise(&self) -> Vec<String> {
        vec![
            ": keep-alive\n\n".to_owned(),
            frames::event(&json!({"type": "response.thing_of_the_future", "sequence_number": 0, "delta": "x"})),
            frames::event(&json!({"type": "response.queued", "sequence_number": 0})),
        ]
    }

    fn error(&self, fault: Fault, message: &str) -> Value {
        json!({ "error": openai::error(fault, message) })
    }

    fn error_frame(&self, fault: Fault, message: &str) -> String {
        let error = openai::error(fault, message);
        if fault == Fault::Internal {
            // A failed answer says so in its own shape.
            let mut failed = shell(&Response::new("responses-model-1", ""), "failed");
            failed["error"] = json!({"code": "server_error", "message": error["message"]});
            return frames::event(&json!({"type": "response.failed", "sequence_number": 99, "response": failed}));
        }
        let code = if error["code"].is_null() { &error["type"] } else { &error["code"] };
        let (message, param) = (&error["message"], Value::Null);
        frames::event(
            &json!({"type": "error", "code": code, "message": message, "param": param, "sequence_number": 99}),
        )
    }

    fn says(&self, usage: Usage) -> Usage {
        openai::says(usage)
    }

    fn reasoned(&self) -> Response {
        let thought = "Six times seven is… 42.";
        let item = json!({
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": thought}],
            "encrypted_content": "gAAAAB+sealed/thought==",
        });
        let mut response = Response::new("responses-model-1", "So it is 42.").usage(Usage::new(20, 30).reasoning(11));
        response.reasoning = Some(thought.to_owned());
        response.provider_items = vec![ProviderItem::new(FORMAT, item)];
        response.id = Some("resp_7".to_owned());
        response
    }

    fn takes_stop(&self) -> bool {
        false
    }

    fn read(&self, request: &Received) -> Result<Asked, Unreadable> {
        read::read(request)
    }
}
