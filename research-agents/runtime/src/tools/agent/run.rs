//! A run of an agent with tools.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;

use research_core::{MissingResources, Run, RunStream, Supplied};
use serde_json::Value;

use crate::bundle::expected::Expected;
use crate::error::model::Error;
use crate::tools::agent::answer::ToolAnswer;
use crate::tools::agent::plan::Plan;
use crate::tools::agent::services::ToolServices;
use crate::tools::agent::state::ToolLoopState;

/// A run that has not started: await it, or read its [stream](Self::stream).
#[must_use = "a run does nothing until it is awaited or its stream is read"]
pub struct ToolRun {
    run: Run<ToolLoopState, ToolServices, MissingResources>,
    plan: Arc<Plan>,
    expected: Option<Arc<Expected>>,
}

impl ToolRun {
    pub(crate) fn new(
        run: Run<ToolLoopState, ToolServices, MissingResources>,
        plan: Arc<Plan>,
        expected: Option<Arc<Expected>>,
    ) -> Self {
        Self {
            run,
            plan,
            expected,
        }
    }

    /// Sets the thread that keeps the conversation; the agent needs a
    /// [checkpointer](crate::tools::agent::ToolAgentBuilder::checkpointer). Another question on the
    /// same thread continues the conversation.
    pub fn thread(mut self, name: &str) -> Self {
        self.run = self.run.thread(name);
        self
    }

    /// Stops the run when `signal` ends. Tools and model calls in flight are dropped.
    pub fn cancel_on(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.run = self.run.cancel_on(signal);
        self
    }

    /// Answers the one open question of a [resumed](crate::tools::agent::ToolAgent::resume) run.
    /// The answer to a question of an MCP server is an
    /// [`ElicitAnswer`](crate::tools::hub::ElicitAnswer) as JSON.
    pub fn answer(mut self, value: impl Into<Value>) -> Self {
        self.run = self.run.answer(value);
        self
    }

    /// Answers one of several open questions, by its [id](research_core::Question::id).
    pub fn answer_to(mut self, id: impl Into<String>, value: impl Into<Value>) -> Self {
        self.run = self.run.answer_to(id, value);
        self
    }

    /// Returns the events of the run: text of the model as
    /// [`Message`](research_core::EventKind::Message)s named `answer-1`, `answer-2`, …,
    /// [`ToolLoopEvent`](crate::tools::agent::ToolLoopEvent)s, and the
    /// [`RunEvent`](crate::event::RunEvent)s of calls and retries. The run advances while the
    /// stream is read; [`ToolAnswer::from_finished`] reads the answer from what
    /// [`finish`](RunStream::finish) returns.
    #[must_use = "a run does nothing until its stream is read"]
    pub fn stream(self) -> RunStream<ToolLoopState> {
        self.supplied().stream()
    }

    fn supplied(self) -> Run<ToolLoopState, ToolServices, Supplied<ToolServices>> {
        self.run.resources(self.plan.services(self.expected))
    }
}

impl IntoFuture for ToolRun {
    type Output = Result<ToolAnswer, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let expected = self.expected.clone();
            let outcome = self
                .supplied()
                .await
                .map(ToolAnswer::from_finished)
                .map_err(Error::from);
            if let Some(expected) = expected {
                let text = outcome.as_ref().map(|answer| answer.text.as_str());
                expected.compare(text)?;
            }
            outcome
        })
    }
}

impl fmt::Debug for ToolRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolRun").finish_non_exhaustive()
    }
}
