//! Requests and answers that the cases share.

use serde_json::Value;

use super::report::{Outcome, ensure, same};
use super::suite::Suite;
use crate::call::ToolCall;
use crate::request::Request;
use crate::response::{Response, Usage};

/// Characters of one to four bytes, quotes, line ends and what looks like an event.
pub(super) const TEXT: &str = "Grüße, “Welt” 🐝!\n\ndata: [DONE]\r\n\"quoted\" \\ back\tslash";

/// A plain request.
pub(super) fn request() -> Request {
    Request::new().system("Be brief.").user("Was ist 6 × 7? 🐝").max_output_tokens(2_000)
}

/// A plain answer.
pub(super) fn response() -> Response {
    let mut response = Response::new("model-as-served-1", TEXT).usage(Usage::new(12, 7));
    response.id = Some("answer-7".to_owned());
    response
}

/// A short answer with everything in it, for cuts at every byte.
pub(super) fn dense() -> Response {
    let mut response = Response::new("m-1", "Grüße an alle 🐝").usage(Usage::new(12, 7));
    response.id = Some("a-7".to_owned());
    response.tool_call(ToolCall::new("call_1", "weather", r#"{"city":"Graz"}"#))
}

/// Checks an answer against the one that was sent.
pub(super) fn check(suite: &Suite, got: &Response, sent: &Response) -> Outcome {
    same("the text", &got.text, &sent.text)?;
    same("the reasoning", &got.reasoning, &sent.reasoning)?;
    same("what is handed back", &got.provider_items, &sent.provider_items)?;
    same("the usage", got.usage, suite.format.says(sent.usage))?;
    same("the reason of the end", got.finish, sent.finish)?;
    same("the model", &got.model, &sent.model)?;
    same("the id", &got.id, &sent.id)?;
    check_calls(got, sent)
}

/// Checks the tool calls of an answer, their arguments as JSON.
pub(super) fn check_calls(got: &Response, sent: &Response) -> Outcome {
    ensure!(got.tool_calls.len() == sent.tool_calls.len(), "the tool calls: {:?}", got.tool_calls);
    for (got, sent) in got.tool_calls.iter().zip(&sent.tool_calls) {
        let json = |text: &str| serde_json::from_str::<Value>(text).ok();
        let arguments = (json(&got.arguments), json(&sent.arguments));
        let is_same = got.id == sent.id && got.name == sent.name && arguments.0.is_some() && arguments.0 == arguments.1;
        ensure!(is_same, "the tool call {got:?} instead of {sent:?}");
    }
    Ok(())
}
