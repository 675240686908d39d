//! What a model answers: text, what it cost, and why it stopped.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::call::ToolCall;
use crate::message::{Message, Part, ProviderItem, Role};

/// Tokens of one or of several calls. Adds up; never overflows, but stays at the largest number.
///
/// ```
/// use research_llm::Usage;
///
/// let all: Usage = [Usage::new(10, 2), Usage::new(5, 1)].into_iter().sum();
/// assert_eq!(all, Usage::new(15, 3));
/// assert_eq!(all.total(), 18);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens read, those from and for the cache included.
    pub input_tokens: u64,
    /// Tokens written, those of the reasoning included.
    pub output_tokens: u64,
    /// Of the tokens read, those that came from the provider's cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_read_tokens: u64,
    /// Of the tokens read, those that were written to the provider's cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Of the tokens written, those of the reasoning.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field over by reference")]
fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl Usage {
    /// So many tokens read and written.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens, ..Self::default() }
    }

    /// Sets how many of the tokens read came from the cache, and how many were written to it.
    #[must_use]
    pub fn cached(mut self, read: u64, written: u64) -> Self {
        self.cache_read_tokens = read;
        self.cache_write_tokens = written;
        self
    }

    /// Sets how many of the tokens written are reasoning.
    #[must_use]
    pub fn reasoning(mut self, tokens: u64) -> Self {
        self.reasoning_tokens = tokens;
        self
    }

    /// Tokens read and written together.
    #[must_use]
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_read_tokens: self.cache_read_tokens.saturating_add(other.cache_read_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FinishReason {
    /// The answer is complete.
    #[default]
    Stop,
    /// The limit of the answer was reached.
    Length,
    /// The model wants tools called.
    ToolCalls,
    /// The provider or the model withheld the answer.
    ContentFilter,
    /// A reason of the provider's own.
    Other,
}

/// A model's answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Response {
    /// The text.
    pub text: String,
    /// The model's reasoning, where the provider shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Pieces that the provider wants back in the next turn, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub provider_items: Vec<ProviderItem>,
    /// Tools that the model wants called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What the call used.
    pub usage: Usage,
    /// Why the model stopped.
    pub finish: FinishReason,
    /// The model that answered, as the provider names it.
    pub model: String,
    /// The provider's id of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What else the provider says of the answer, such as its request id or its own reason for the end.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The whole answer as it came, when the request [keeps it](crate::Request::keep_raw) and it was not streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Value>,
}

impl Response {
    /// A complete answer of one text.
    pub fn new(model: impl Into<String>, text: impl Into<String>) -> Self {
        Self { text: text.into(), model: model.into(), ..Self::default() }
    }

    /// Sets what the call used.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Sets why the model stopped.
    #[must_use]
    pub fn finish(mut self, finish: FinishReason) -> Self {
        self.finish = finish;
        self
    }

    /// Adds a tool call, and says that the model stopped for it.
    #[must_use]
    pub fn tool_call(mut self, call: ToolCall) -> Self {
        self.tool_calls.push(call);
        self.finish(FinishReason::ToolCalls)
    }

    /// The answer as a turn of the conversation: what the provider wants back, the text, and the tool calls.
    ///
    /// ```
    /// use research_llm::{Request, Response, ToolCall};
    ///
    /// let answer = Response::new("demo", "Let me see.").tool_call(ToolCall::new("1", "weather", "{}"));
    /// let next = Request::new().user("Is it raining in Graz?").message(answer.to_message());
    /// assert_eq!(next.messages[1].text(), "Let me see.");
    /// assert_eq!(next.messages[1].parts.len(), 2);
    /// ```
    #[must_use]
    pub fn to_message(&self) -> Message {
        let items = self.provider_items.iter().cloned().map(Part::Provider);
        let text = Some(&self.text).filter(|text| !text.is_empty()).map(Part::text);
        let calls = self.tool_calls.iter().cloned().map(Part::ToolCall);
        Message::of(Role::Assistant, items.chain(text).chain(calls).collect())
    }
}
