//! The state of an agent with tools.

use research_core::State;
use research_llm::{FinishReason, Message, Part, ToolCall, ToolResult, Usage};
use serde::{Deserialize, Serialize};

/// What a run of an agent with tools keeps, and what a thread remembers from question to question.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
#[state(crate = research_core)]
pub struct ToolLoopState {
    /// The conversation, oldest turn first, without the standing instruction. It only grows, so that providers can cache it.
    #[reduce(append)]
    pub messages: Vec<Message>,
    /// What the tools of the last step returned, in the order of their calls.
    #[reduce(append, ephemeral)]
    pub results: Vec<ToolResult>,
    /// The word that marks what tools returned; one for the whole thread.
    pub marker: String,
    /// Times that the model was asked the present question.
    pub iteration: u32,
    /// Tokens of all answers of the thread.
    #[reduce(with = add_usage)]
    pub usage: Usage,
    /// The answer, once there is one.
    pub answer: Option<String>,
    /// The answer was given when no tool could be called any more.
    pub is_limited: bool,
    /// Why the model stopped there.
    pub finish: Option<FinishReason>,
}

fn add_usage(total: &mut Usage, more: Usage) {
    *total += more;
}

impl ToolLoopState {
    /// The calls that the model's last turn asks for.
    pub fn pending(&self) -> impl Iterator<Item = &ToolCall> {
        let last = self.messages.len().saturating_sub(1);
        calls_of(&self.messages[last..]).filter(|_| self.answer.is_none())
    }
}

/// The calls that these turns ask for.
pub(super) fn calls_of(messages: &[Message]) -> impl Iterator<Item = &ToolCall> {
    messages.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
        Part::ToolCall(call) => Some(call),
        _ => None,
    })
}
