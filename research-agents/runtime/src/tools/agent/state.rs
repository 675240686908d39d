//! The state of an agent with tools.

use research_core::{Log, State};
use research_llm::{FinishReason, Message, Part, ToolCall, ToolResult, Usage};
use serde::{Deserialize, Serialize};

use crate::limits::usage::{Usage as RunUsage, add_usage};
use crate::tape::TaskRecord;

/// The state of a run of an agent with tools, and what a thread remembers between questions.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
#[state(crate = research_core)]
pub struct ToolLoopState {
    /// The conversation, oldest turn first, without the standing instruction. It only grows, so
    /// that providers can cache it.
    #[reduce(append)]
    pub messages: Vec<Message>,
    /// Results of the tools of the last step, in the order of their calls.
    #[reduce(append, ephemeral)]
    pub results: Vec<ToolResult>,
    /// The word that marks results of tools; one for the whole thread.
    pub marker: String,
    /// Number of times that the model was asked the current question.
    pub iteration: u32,
    /// Tokens of all answers of the thread.
    #[reduce(with = add_tokens)]
    pub usage: Usage,
    /// The answer, once there is one.
    pub answer: Option<String>,
    /// `true` if the answer was given when no tool could be called any more.
    pub is_limited: bool,
    /// Why the model stopped there.
    pub finish: Option<FinishReason>,
    /// The limit that ended the loop, if one did.
    #[serde(default)]
    pub stopped_by: Option<String>,
    /// What the run has used of its budget.
    #[serde(default)]
    #[reduce(with = add_usage)]
    pub used: RunUsage,
    /// What the thread had used when the current question came.
    #[serde(default)]
    pub used_before: RunUsage,
    /// How long the current question has been active, in milliseconds.
    #[serde(default)]
    pub active_ms: u64,
    /// `true` if the current question is recorded.
    #[serde(default)]
    pub is_recorded: bool,
    /// What the tasks of a recorded run did outside, in order.
    #[serde(default)]
    #[reduce(append)]
    pub recording: Log<TaskRecord>,
}

fn add_tokens(total: &mut Usage, more: Usage) {
    *total += more;
}

impl ToolLoopState {
    /// Returns the calls that the model's last turn asks for.
    pub fn pending(&self) -> impl Iterator<Item = &ToolCall> {
        let last = self.messages.len().saturating_sub(1);
        calls_of(&self.messages[last..]).filter(|_| self.answer.is_none())
    }
}

/// Returns the calls that these turns ask for.
pub(crate) fn calls_of(messages: &[Message]) -> impl Iterator<Item = &ToolCall> {
    messages
        .iter()
        .flat_map(|message| &message.parts)
        .filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        })
}
