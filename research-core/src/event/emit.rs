//! Where tasks and subgraphs of any state write to, and events whose state their reader does not know.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::entry::{EventTask, TaskTag};
use super::kind::{EventKind, TaskSource};
use super::modes::Modes;
use super::payload::{Custom, Emitted, Erased};
use crate::checkpoint::CheckpointId;
use crate::end::End;
use crate::interrupt::Question;
use crate::state::{Snapshot, State};

/// Where tasks and subgraphs of any state write to.
pub(crate) trait Emit: fmt::Debug + Send + Sync {
    /// Writes what a task of this graph emitted, if it is wanted.
    fn emit(&self, tag: TaskTag, node: Arc<str>, emitted: Emitted);

    /// Whether one of these kinds is read of subgraphs.
    fn wants_of_subgraphs(&self, modes: Modes) -> bool;

    /// Writes an event of a subgraph; `namespace` is the whole of it.
    fn foreign(&self, namespace: Arc<str>, step: u64, task: Option<EventTask>, kind: Foreign);

    /// As [`Sink::poll_ready`](super::sink::Sink::poll_ready).
    fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()>;

    /// The log of the root graph.
    fn root(self: Arc<Self>) -> Arc<dyn Emit>;
}

/// An [`EventKind`] whose state is of a type that its reader does not know.
pub(crate) enum Foreign {
    RunStarted { run_id: Arc<str> },
    Abandoned { questions: Vec<String> },
    StepStarted { tasks: usize },
    TaskStarted,
    Custom(Custom),
    Message { id: Arc<str>, text: String },
    Updated(Erased),
    TaskFinished { error: Option<String>, source: TaskSource },
    Asked { questions: Vec<Question> },
    Values(Erased),
    StepFinished,
    Checkpoint { id: CheckpointId, parent: Option<CheckpointId> },
    Interrupted { questions: Vec<Question> },
    BudgetSpent { counter: String },
    Gap { from: u64, to: u64 },
    RunFinished { end: End },
    RunFailed { error: String },
}

impl From<Emitted> for Foreign {
    fn from(emitted: Emitted) -> Self {
        match emitted {
            Emitted::Custom(custom) => Self::Custom(custom),
            Emitted::Message { id, text } => Self::Message { id, text },
        }
    }
}

impl<C: State> From<EventKind<C>> for Foreign {
    fn from(kind: EventKind<C>) -> Self {
        match kind {
            EventKind::RunStarted { run_id } => Self::RunStarted { run_id },
            EventKind::Abandoned { questions } => Self::Abandoned { questions },
            EventKind::StepStarted { tasks } => Self::StepStarted { tasks },
            EventKind::TaskStarted => Self::TaskStarted,
            EventKind::Custom(custom) => Self::Custom(custom),
            EventKind::Message { id, text } => Self::Message { id, text },
            EventKind::Updated(update) => Self::Updated(Erased::new(Arc::new(update))),
            EventKind::ChildUpdated(update) => Self::Updated(update),
            EventKind::TaskFinished { error, source } => Self::TaskFinished { error, source },
            EventKind::Asked { questions } => Self::Asked { questions },
            EventKind::Values(Snapshot(state)) => Self::Values(Erased::new(state)),
            EventKind::ChildValues(state) => Self::Values(state),
            EventKind::StepFinished => Self::StepFinished,
            EventKind::Checkpoint { id, parent } => Self::Checkpoint { id, parent },
            EventKind::Interrupted { questions } => Self::Interrupted { questions },
            EventKind::BudgetSpent { counter } => Self::BudgetSpent { counter },
            EventKind::Gap { from, to } => Self::Gap { from, to },
            EventKind::RunFinished { end } => Self::RunFinished { end },
            EventKind::RunFailed { error } => Self::RunFailed { error },
        }
    }
}

/// A subgraph whose state has the type of the reader's gives typed updates and values.
impl<S: State> From<Foreign> for EventKind<S> {
    fn from(kind: Foreign) -> Self {
        match kind {
            Foreign::RunStarted { run_id } => Self::RunStarted { run_id },
            Foreign::Abandoned { questions } => Self::Abandoned { questions },
            Foreign::StepStarted { tasks } => Self::StepStarted { tasks },
            Foreign::TaskStarted => Self::TaskStarted,
            Foreign::Custom(custom) => Self::Custom(custom),
            Foreign::Message { id, text } => Self::Message { id, text },
            Foreign::Updated(update) => match update.downcast::<S::Update>() {
                Ok(update) => Self::Updated(Arc::unwrap_or_clone(update)),
                Err(update) => Self::ChildUpdated(update),
            },
            Foreign::TaskFinished { error, source } => Self::TaskFinished { error, source },
            Foreign::Asked { questions } => Self::Asked { questions },
            Foreign::Values(state) => match state.downcast::<S>() {
                Ok(state) => Self::Values(Snapshot(state)),
                Err(state) => Self::ChildValues(state),
            },
            Foreign::StepFinished => Self::StepFinished,
            Foreign::Checkpoint { id, parent } => Self::Checkpoint { id, parent },
            Foreign::Interrupted { questions } => Self::Interrupted { questions },
            Foreign::BudgetSpent { counter } => Self::BudgetSpent { counter },
            Foreign::Gap { from, to } => Self::Gap { from, to },
            Foreign::RunFinished { end } => Self::RunFinished { end },
            Foreign::RunFailed { error } => Self::RunFailed { error },
        }
    }
}
