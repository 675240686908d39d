//! The answer of an agent with tools.

use research_core::{Finished, Question};
use research_llm::{FinishReason, Message, Usage};

use crate::tools::agent::recording::ToolRecording;
use crate::tools::agent::state::ToolLoopState;

/// Why the loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolLoopEnd {
    /// The model answered when it could still have called tools.
    Answered,
    /// The model was asked the maximum number of times; the last time it had to answer without
    /// tools.
    IterationLimit,
    /// The budget was used up; the model had to answer without more tools.
    OutOfBudget,
    /// A tool asks the user; [`ToolAnswer::questions`] has the question. The run continues when it
    /// is [resumed](crate::tools::agent::ToolAgent::resume) with the
    /// [answer](crate::tools::agent::ToolRun::answer).
    Asking,
    /// The run stopped before there was an answer.
    Stopped,
}

/// The answer of an agent with tools.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolAnswer {
    /// The answer. A model wrote it after it had read results of tools: treat it as untrusted where
    /// that matters.
    pub text: String,
    /// Why the loop ended.
    pub end: ToolLoopEnd,
    /// Open questions of tools to the user; [`asked`](crate::tools::hub::asked) reads a question of
    /// an MCP server.
    pub questions: Vec<Question>,
    /// Why the model stopped there.
    pub finish: Option<FinishReason>,
    /// Number of times that the model was asked.
    pub iterations: u32,
    /// Tokens of all answers of the thread.
    pub usage: Usage,
    /// The conversation, without the standing instruction.
    pub messages: Vec<Message>,
    /// What a replay needs, if the agent [records](crate::tools::agent::ToolAgentBuilder::recorded)
    /// and the question is answered.
    pub recording: Option<ToolRecording>,
}

impl ToolAnswer {
    /// Reads the answer from a finished run.
    #[must_use]
    pub fn from_finished(finished: Finished<ToolLoopState>) -> Self {
        let questions = finished.questions().to_vec();
        let state = finished.state;
        let end = match state.answer {
            None if !questions.is_empty() => ToolLoopEnd::Asking,
            None => ToolLoopEnd::Stopped,
            Some(_) if state.stopped_by.is_some() => ToolLoopEnd::OutOfBudget,
            Some(_) if state.is_limited => ToolLoopEnd::IterationLimit,
            Some(_) => ToolLoopEnd::Answered,
        };

        Self {
            recording: ToolRecording::from_state(&state),
            text: state.answer.unwrap_or_default(),
            end,
            questions,
            finish: state.finish,
            iterations: state.iteration,
            usage: state.usage,
            messages: state.messages,
        }
    }
}
