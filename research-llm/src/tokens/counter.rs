//! Counters of tokens, and what a whole request costs to read.

use serde::{Deserialize, Serialize};

use super::estimate;
use crate::message::{Message, Part};
use crate::request::Request;

/// What a provider adds around a message: its role and its ends.
///
/// Source: OpenAI's cookbook counts 3 or 4 for a message; more is on the safe side.
const MESSAGE: u64 = 6;

/// What a provider adds to a request: the beginning of the answer, and instructions of its own for tools.
const REQUEST: u64 = 8;

/// What a provider adds to the first tool, and to every tool.
///
/// Source: Anthropic's table of tool use names up to 530 tokens of instructions of its own for a request with tools.
const TOOLS: u64 = 530;
const TOOL: u64 = 16;

/// What a picture costs at most.
///
/// Source: Anthropic names about 4,800 tokens for a picture of high resolution and 1,600 for others; OpenAI up to 1,536
/// patches, times up to 2.46 for its smallest model.
const IMAGE: u64 = 4_800;

/// How far a count can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CountKind {
    /// Texts are counted with the model's tokenizer. What the provider adds around them is still an estimate.
    Exact,
    /// Texts are [estimated](super::estimate()), on the high side.
    Estimate,
}

/// Counts tokens.
///
/// ```
/// use research_llm::Request;
/// use research_llm::tokens::{CountKind, EstimateCounter, TokenCounter, estimate_request};
///
/// let counter: &dyn TokenCounter = &EstimateCounter;
/// let request = Request::new().user("How far is the moon?");
/// assert_eq!(counter.kind(), CountKind::Estimate);
/// assert_eq!(counter.count_request(&request), estimate_request(&request));
/// assert!(counter.count_request(&request) > counter.count("How far is the moon?"));
/// ```
pub trait TokenCounter: Send + Sync {
    /// How far the counts can be trusted.
    fn kind(&self) -> CountKind;

    /// Tokens of a text.
    fn count(&self, text: &str) -> u64;

    /// Tokens of a message, with what the provider adds.
    fn count_message(&self, message: &Message) -> u64 {
        let parts = message.parts.iter().map(|part| match part {
            Part::Text { text } => self.count(text),
            Part::Image(_) => IMAGE,
            Part::ToolCall(call) => self.count(&call.id) + self.count(&call.name) + self.count(&call.arguments) + TOOL,
            Part::ToolResult(result) => self.count(&result.call_id) + self.count(&result.content) + TOOL,
            Part::Provider(item) => self.count(&item.item.to_string()),
        });
        parts.fold(MESSAGE, u64::saturating_add)
    }

    /// Tokens that a request costs to read: messages, pictures, tools and the schema, with what the provider adds. The
    /// answer is not part of it.
    fn count_request(&self, request: &Request) -> u64 {
        let messages = request.messages.iter().map(|message| self.count_message(message));
        let tools = request.tools.iter().map(|tool| {
            self.count(&tool.name) + self.count(&tool.description) + self.count(&tool.parameters.to_string()) + TOOL
        });
        let around = if request.tools.is_empty() { REQUEST } else { REQUEST + TOOLS };
        // The schema may go into the prompt, with a sentence about it.
        let schema = request.schema.iter().map(|output| self.count(&output.schema.to_string()) + 64);
        messages.chain(tools).chain(schema).fold(around, u64::saturating_add)
    }
}

/// Counts by the [estimate](super::estimate()).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EstimateCounter;

impl TokenCounter for EstimateCounter {
    fn kind(&self) -> CountKind {
        CountKind::Estimate
    }

    fn count(&self, text: &str) -> u64 {
        estimate(text)
    }
}

/// About how many tokens a request costs to read at most, by the [estimate](super::estimate()).
#[must_use]
pub fn estimate_request(request: &Request) -> u64 {
    EstimateCounter.count_request(request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{ToolCall, ToolDefinition};
    use crate::message::{Image, ToolResult};
    use crate::request::OutputSchema;
    use serde_json::json;

    #[test]
    fn every_part_of_a_request_counts() {
        let plain = Request::new().user("Hello");
        let call = ToolCall::new("call_1", "weather", r#"{"city": "Graz"}"#);
        let all = [
            plain.clone().system("Be brief."),
            plain.clone().message(Message::user("").image(Image::url("https://example.com/a.png"))),
            plain.clone().message(Message::tools([ToolResult::new(&call, "sunny")])),
            plain.clone().message(Message::of(crate::message::Role::Assistant, vec![Part::ToolCall(call)])),
            plain.clone().tool(ToolDefinition::new("weather", "Tells the weather.", json!({"type": "object"}))),
            plain.clone().schema(OutputSchema::new("n", json!({"type": "integer"}))),
        ];
        for request in all {
            assert!(estimate_request(&request) > estimate_request(&plain) + 2, "{request:?}");
        }
    }
}
