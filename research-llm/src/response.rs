//! What a model answers: text, what it cost, and why it stopped.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

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
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

impl Usage {
    /// So many tokens read and written.
    #[must_use]
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens }
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
    /// The provider withheld the answer.
    ContentFilter,
}

/// A call of a tool that the model asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// The provider's id of the call.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// The arguments as the model wrote them: JSON, unless the model erred.
    pub arguments: String,
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
    /// Tools that the model wants called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// What the call used.
    pub usage: Usage,
    /// Why the model stopped.
    pub finish: FinishReason,
    /// The model that answered, as the provider names it.
    pub model: String,
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
}
