//! What a provider wants back in the next turn, carried through the conversation as items of its wire format.

use std::collections::BTreeMap;

use ::genai::adapter::AdapterKind;
use ::genai::chat::{ContentPart, ToolCall as SdkCall};
use serde_json::{Value, json};

use crate::message::{Part, ProviderItem};

/// Signatures of reasoning that belong to a tool call, by the id of the call.
pub(super) type Signatures = BTreeMap<String, Vec<String>>;

/// Field of an item that holds the signatures of tool calls.
const CALLS: &str = "tool_call_signatures";

fn format(kind: AdapterKind) -> String {
    format!("genai.{}", kind.as_lower_str())
}

/// The pieces of an answer that the provider wants back, and those that belong to its tool calls.
pub(super) fn from_contents<'a>(
    kind: AdapterKind,
    contents: impl IntoIterator<Item = &'a ContentPart>,
) -> Vec<ProviderItem> {
    let mut items = Vec::new();
    let mut signatures = Signatures::new();
    for content in contents {
        match content {
            ContentPart::ThoughtSignature(_) | ContentPart::ReasoningContent(_) | ContentPart::Custom(_) => {
                items.extend(serde_json::to_value(content).ok().map(|item| ProviderItem::new(format(kind), item)));
            }
            ContentPart::ToolCall(SdkCall { call_id, thought_signatures: Some(all), .. }) => {
                signatures.insert(call_id.clone(), all.clone());
            }
            _ => {}
        }
    }
    if !signatures.is_empty() {
        items.push(ProviderItem::new(format(kind), json!({ CALLS: signatures })));
    }
    items
}

/// A piece as genai wants it back; nothing if another provider made it.
pub(super) fn to_content(kind: AdapterKind, item: &ProviderItem) -> Option<ContentPart> {
    if item.format != format(kind) {
        return None;
    }
    serde_json::from_value(item.item.clone()).ok()
}

/// The signatures of the tool calls of a turn.
pub(super) fn signatures(kind: AdapterKind, parts: &[Part]) -> Signatures {
    let items = parts.iter().filter_map(|part| match part {
        Part::Provider(item) if item.format == format(kind) => item.item.get(CALLS),
        _ => None,
    });
    items.filter_map(|value: &Value| serde_json::from_value::<Signatures>(value.clone()).ok()).flatten().collect()
}
