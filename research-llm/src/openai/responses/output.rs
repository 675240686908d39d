//! What the items of a response say.

use serde_json::{Map, Value};

use super::FORMAT;
use crate::call::ToolCall;
use crate::message::ProviderItem;
use crate::response::FinishReason;

/// What stands between two parts of reasoning.
pub(super) const BETWEEN_PARTS: &str = "\n\n";

fn kind(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn parts<'a>(item: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    item.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn text(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// One item of an answer.
#[derive(Debug, PartialEq)]
pub(super) enum Item {
    /// The model speaks.
    Message {
        /// What it says, its refusal included.
        text: String,
        /// Whether it refuses.
        refused: bool,
    },
    /// It thinks.
    Reasoning {
        /// The parts that are shown.
        parts: Vec<String>,
        /// The item as the server wants it back; `None` if the server could not read it again.
        back: Option<ProviderItem>,
    },
    /// It wants a tool called.
    Call(ToolCall),
    /// A piece that only the server understands.
    Other(ProviderItem),
}

/// Reads an item.
pub(super) fn read(item: &Value) -> Item {
    match kind(item) {
        "message" => {
            let refusals = parts(item, "content").filter(|part| kind(part) == "refusal");
            let said = parts(item, "content").map(|part| match kind(part) {
                "refusal" => text(part, "refusal"),
                _ => text(part, "text"),
            });
            Item::Message { text: said.collect(), refused: refusals.count() > 0 }
        }
        "reasoning" => {
            let shown = parts(item, "summary").chain(parts(item, "content")).map(|part| text(part, "text"));
            // Nothing is kept by the server, so an item that does not hold the reasoning itself means nothing to it.
            let holds = !text(item, "encrypted_content").is_empty() || parts(item, "content").count() > 0;
            let back = holds.then(|| ProviderItem::new(FORMAT, item.clone()));
            Item::Reasoning { parts: shown.filter(|part| !part.is_empty()).collect(), back }
        }
        "function_call" => Item::Call(ToolCall::new(call_id(item), text(item, "name"), text(item, "arguments"))),
        _ => Item::Other(ProviderItem::new(FORMAT, item.clone())),
    }
}

/// The id by which a call is answered.
pub(super) fn call_id(item: &Value) -> String {
    let id = text(item, "call_id");
    if id.is_empty() { text(item, "id") } else { id }
}

/// Why the model stopped, and what is to be said of that.
pub(super) fn ending(response: &Value, refused: bool, has_calls: bool) -> (FinishReason, Map<String, Value>) {
    let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
    let status = response.get("status").and_then(Value::as_str).unwrap_or("completed");
    let mut said = Map::new();
    let finish = match (status, reason) {
        ("incomplete", Some("max_output_tokens")) => FinishReason::Length,
        ("incomplete", Some("content_filter")) => FinishReason::ContentFilter,
        ("completed", _) if refused => FinishReason::ContentFilter,
        ("completed", _) if has_calls => FinishReason::ToolCalls,
        ("completed", _) => FinishReason::Stop,
        (status, reason) => {
            said.insert("finish_reason".to_owned(), reason.unwrap_or(status).into());
            FinishReason::Other
        }
    };
    if refused {
        said.insert("refusal".to_owned(), true.into());
    }
    (finish, said)
}
