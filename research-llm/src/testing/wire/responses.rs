//! Responses of OpenAI.

mod frames;
mod message;
mod read;

use serde_json::{Value, json};

use self::message::{FORMAT, ending, items, shell, usage};
use super::asked::Asked;
use super::fault::Fault;
use super::fields::Unreadable;
use super::format::{Frame, WireFormat};
use super::openai;
use crate::message::ProviderItem;
use crate::response::{Response, Usage};
use crate::testing::server::Received;

/// The responses of OpenAI.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct OpenAiResponses;

impl OpenAiResponses {
    /// The format.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
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
