//! The blocks of an answer: what of them is handed back, and how they are told apart.

use serde_json::{Map, Value};

use crate::message::ProviderItem;
use crate::response::{FinishReason, Usage};

/// The format of a block to hand back.
pub(super) const FORMAT: &str = "anthropic";

/// The format of a whole turn to hand back.
pub(super) const TURN_FORMAT: &str = "anthropic.turn";

/// What a block is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text of the answer.
    Text,
    /// A call of a tool.
    ToolUse,
    /// Reasoning, open or redacted, that is handed back as it came.
    Thinking,
    /// Anything else, such as the steps of a tool that the provider runs by itself.
    Other,
}

impl Kind {
    /// The kind of a block.
    pub(super) fn of(block: &Value) -> Self {
        match block["type"].as_str() {
            Some("text") => Self::Text,
            Some("tool_use") => Self::ToolUse,
            Some("thinking" | "redacted_thinking") => Self::Thinking,
            _ => Self::Other,
        }
    }
}

/// A block of reasoning as a piece to hand back.
pub(super) fn item(block: Value) -> ProviderItem {
    ProviderItem::new(FORMAT, block)
}

/// The whole answer as a piece to hand back, where reasoning, text and tool calls do not tell it: they are put in this
/// order again in the next request, and a provider refuses signed reasoning in another place than it had.
pub(super) fn turn_item(blocks: &[Value]) -> Option<ProviderItem> {
    let kinds: Vec<Kind> = blocks.iter().map(Kind::of).collect();
    let in_order = kinds.iter().skip_while(|&&kind| kind == Kind::Thinking).all(|&kind| kind != Kind::Thinking);
    if in_order && !kinds.contains(&Kind::Other) {
        return None;
    }
    let is_blank = |block: &Value| block["text"].as_str().is_some_and(|text| text.trim().is_empty());
    let kept = blocks.iter().filter(|block| Kind::of(block) != Kind::Text || !is_blank(block)).cloned().collect();
    Some(ProviderItem::new(TURN_FORMAT, kept))
}

/// Why the model stopped, by the word of the wire.
pub(super) fn finish(stop_reason: Option<&str>) -> FinishReason {
    match stop_reason {
        Some("end_turn" | "stop_sequence") => FinishReason::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Length,
        Some("tool_use") => FinishReason::ToolCalls,
        Some("refusal") => FinishReason::ContentFilter,
        _ => FinishReason::Other,
    }
}

/// What a message, or the end of a streamed one, says of the end beside the reason's category.
pub(super) fn metadata(ended: &Value) -> Map<String, Value> {
    const FIELDS: [&str; 4] = ["stop_reason", "stop_sequence", "stop_details", "container"];
    FIELDS
        .iter()
        .filter_map(|&name| Some((name.to_owned(), ended.get(name).filter(|value| !value.is_null())?.clone())))
        .collect()
}

/// Tokens as the wire counts them: what is read leaves out what concerns the cache.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WireUsage {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    thinking: u64,
}

impl WireUsage {
    /// Takes over the counts that are there. Later ones are totals and replace the ones before.
    pub(super) fn update(&mut self, usage: &Value) {
        let counts = [
            (&mut self.input, &usage["input_tokens"]),
            (&mut self.output, &usage["output_tokens"]),
            (&mut self.cache_read, &usage["cache_read_input_tokens"]),
            (&mut self.cache_write, &usage["cache_creation_input_tokens"]),
            (&mut self.thinking, &usage["output_tokens_details"]["thinking_tokens"]),
        ];
        for (count, value) in counts {
            *count = value.as_u64().unwrap_or(*count);
        }
    }
}

impl From<WireUsage> for Usage {
    fn from(wire: WireUsage) -> Self {
        let input = wire.input.saturating_add(wire.cache_read).saturating_add(wire.cache_write);
        Self::new(input, wire.output).cached(wire.cache_read, wire.cache_write).reasoning(wire.thinking)
    }
}
