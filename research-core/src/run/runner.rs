//! The seam between the loop of a run and whatever executes its tasks.

use std::future::Future;
use std::sync::Arc;

use crate::command::Command;
use crate::error::Cause;
use crate::event::TaskSource;
use crate::handle::Input;
use crate::ledger::Left;
use crate::state::State;

/// A task to be executed. Data crosses the seam, futures do not.
pub(crate) struct Call<S> {
    /// Place in the step's task-path order.
    pub(crate) index: usize,
    pub(crate) node: u32,
    pub(crate) input: Option<Input>,
    pub(crate) step: u64,
    pub(crate) snapshot: Arc<S>,
}

/// A task that was executed.
pub(crate) struct Outcome<S: State> {
    pub(crate) index: usize,
    pub(crate) settled: Settled<S>,
    /// What it asked and spent.
    pub(crate) left: Option<Box<Left>>,
}

/// How a task ended.
pub(crate) struct Settled<S: State> {
    pub(crate) result: Result<Command<S>, Cause>,
    /// The attempt that ended it, counted from 1.
    pub(crate) attempt: u32,
    pub(crate) source: TaskSource,
}

impl<S: State> Outcome<S> {
    /// Whether the task waits for an answer, or its subgraph has paused, whatever its node returned.
    pub(crate) fn asks(&self) -> bool {
        self.left.as_ref().is_some_and(|left| !left.questions.is_empty() || left.pause.is_some())
    }
}

impl<S: State> Settled<S> {
    pub(crate) fn ran(result: Result<Command<S>, Cause>) -> Self {
        Self { result, attempt: 1, source: TaskSource::Ran }
    }
}

/// Executes the tasks of a step.
pub(crate) trait TaskRunner<S: State>: Send {
    /// Takes all of `calls`.
    fn start(&mut self, calls: &mut Vec<Call<S>>);

    /// Adds at least one outcome, in the order of completion. Called only while some are missing.
    fn next(&mut self, outcomes: &mut Vec<Outcome<S>>) -> impl Future<Output = ()> + Send;

    /// Stops every task that has not ended; adds the outcomes of those that had.
    fn stop(&mut self, outcomes: &mut Vec<Outcome<S>>);
}
