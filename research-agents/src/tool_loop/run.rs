//! A run of an agent with tools, and its answer.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

use research_core::{Finished, Question, Run, RunStream, Supplied};
use research_llm::{FinishReason, Message, Usage};
use serde_json::Value;

use super::nodes::ToolServices;
use super::state::ToolLoopState;
use crate::Error;

/// A run that has not started: await it, or read its [stream](Self::stream).
#[must_use = "a run does nothing until it is awaited or its stream is read"]
pub struct ToolRun {
    run: Run<ToolLoopState, ToolServices, Supplied<ToolServices>>,
}

impl ToolRun {
    pub(super) fn new(run: Run<ToolLoopState, ToolServices, Supplied<ToolServices>>) -> Self {
        Self { run }
    }

    /// Names the thread that keeps the conversation; the agent needs a
    /// [checkpointer](super::ToolAgentBuilder::checkpointer). Another question on the same thread goes on with it.
    pub fn thread(self, name: &str) -> Self {
        Self { run: self.run.thread(name) }
    }

    /// Stops the run when `signal` ends. Tools and model calls in flight are dropped.
    pub fn cancel_on(self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { run: self.run.cancel_on(signal) }
    }

    /// Answers the one open question of a [resumed](super::ToolAgent::resume) run. To a question of an MCP server, that is an
    /// [`ElicitAnswer`](crate::mcp::ElicitAnswer) as JSON.
    pub fn answer(self, value: impl Into<Value>) -> Self {
        Self { run: self.run.answer(value) }
    }

    /// Answers one of several open questions, by its [id](Question::id).
    pub fn answer_to(self, id: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { run: self.run.answer_to(id, value) }
    }

    /// The events of the run: text of the model as [`Message`](research_core::EventKind::Message)s named `answer-1`,
    /// `answer-2`, …, and [`ToolLoopEvent`](super::ToolLoopEvent)s. The run advances while the stream is read;
    /// [`ToolAnswer::of`] reads the answer from what [`finish`](RunStream::finish) gives.
    #[must_use = "a run does nothing until its stream is read"]
    pub fn stream(self) -> RunStream<ToolLoopState> {
        self.run.stream()
    }
}

impl IntoFuture for ToolRun {
    type Output = Result<ToolAnswer, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { Ok(ToolAnswer::of(self.run.await?)) })
    }
}

impl fmt::Debug for ToolRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolRun").finish_non_exhaustive()
    }
}

/// Why the asking ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolLoopEnd {
    /// The model answered of its own accord.
    Answered,
    /// The model was asked as often as allowed; the last time it had to answer without tools.
    IterationLimit,
    /// A tool asks the user; [`ToolAnswer::questions`] says what. The run goes on when it is
    /// [resumed](super::ToolAgent::resume) with the [answer](ToolRun::answer).
    Asking,
    /// The run stopped before there was an answer.
    Stopped,
}

/// What an agent with tools answered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolAnswer {
    /// The answer. A model wrote it after it had read what tools returned: treat it as untrusted where that matters.
    pub text: String,
    /// Why the asking ended.
    pub end: ToolLoopEnd,
    /// What tools ask the user; [`asked`](crate::mcp::asked) reads a question of an MCP server.
    pub questions: Vec<Question>,
    /// Why the model stopped there.
    pub finish: Option<FinishReason>,
    /// Times that the model was asked.
    pub iterations: u32,
    /// Tokens of all answers of the thread.
    pub usage: Usage,
    /// The conversation, without the standing instruction.
    pub messages: Vec<Message>,
}

impl ToolAnswer {
    /// Reads the answer from a finished run.
    #[must_use]
    pub fn of(finished: Finished<ToolLoopState>) -> Self {
        let questions = finished.questions().to_vec();
        let state = finished.state;
        let end = match state.answer {
            None if !questions.is_empty() => ToolLoopEnd::Asking,
            None => ToolLoopEnd::Stopped,
            Some(_) if state.is_limited => ToolLoopEnd::IterationLimit,
            Some(_) => ToolLoopEnd::Answered,
        };
        Self {
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
