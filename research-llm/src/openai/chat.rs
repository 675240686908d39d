//! Chat completions: the format that most servers speak.

mod calls;
mod message;
mod piece;
pub(super) mod request;
pub(super) mod response;
pub(super) mod stream;

use serde_json::{Map, Value};

use crate::response::FinishReason;

/// Where it is, after the base address.
pub(super) const PATH: &str = "/chat/completions";

/// The wire format of the pieces that a server wants back.
pub(super) const FORMAT: &str = "openai.chat";

/// Why the model stopped, and the server's own word where ours says less.
fn finish_reason(word: &str) -> (FinishReason, bool) {
    match word {
        "stop" | "eos" | "stop_sequence" => (FinishReason::Stop, false),
        "length" | "max_tokens" | "model_length" => (FinishReason::Length, false),
        "tool_calls" | "function_call" => (FinishReason::ToolCalls, false),
        "content_filter" => (FinishReason::ContentFilter, false),
        _ => (FinishReason::Other, true),
    }
}

/// What an answer or its piece says of itself.
fn metadata(body: &Value) -> Map<String, Value> {
    let fields = ["system_fingerprint", "service_tier", "provider"];
    let said = fields.into_iter().filter_map(|field| Some((field.to_owned(), body.get(field)?.clone())));
    said.filter(|(_, value)| value.is_string()).collect()
}
