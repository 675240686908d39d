//! What an event can tell.

use std::fmt;
use std::sync::Arc;

use super::payload::{Custom, Erased};
use crate::checkpoint::CheckpointId;
use crate::end::End;
use crate::interrupt::Question;
use crate::state::{Snapshot, State};

/// What happened.
///
/// A run of a chain of two nodes gives three `Values`, two `Updated`, and two pairs of `TaskStarted` and `TaskFinished`.
#[derive(Clone)]
#[non_exhaustive]
pub enum EventKind<S: State> {
    /// The run begins. One that cannot begin, such as one on a thread without a checkpointer, has `RunFailed` alone.
    RunStarted {
        /// Id of the run.
        run_id: Arc<str>,
    },
    /// The input of the run put questions aside that were waiting for an answer.
    Abandoned {
        /// Ids of the questions.
        questions: Vec<String>,
    },
    /// A step begins.
    StepStarted {
        /// Number of tasks due.
        tasks: usize,
    },
    /// A task is due. It ends with `TaskFinished`, or with `Asked`; a task that is stopped together with its run with neither.
    TaskStarted,
    /// The node emitted this with [`Cx::emit`](crate::Cx::emit).
    Custom(Custom),
    /// The node emitted this piece of a message with [`Cx::message`](crate::Cx::message), such as a token of a model.
    Message {
        /// The message; its pieces come in order.
        id: Arc<str>,
        /// The piece.
        text: String,
    },
    /// The node gave back this update. Updates arrive as tasks finish; they fold in task-path order.
    Updated(S::Update),
    /// A node of a subgraph with a state of another type gave back this update: a `C::Update` of the subgraph's state `C`.
    ChildUpdated(Erased),
    /// The task ended.
    TaskFinished {
        /// Why it failed, when it did.
        error: Option<String>,
        /// Where its result comes from.
        source: TaskSource,
    },
    /// The task ended for now: it waits for answers, and runs again when it has them.
    Asked {
        /// What it asks.
        questions: Vec<Question>,
    },
    /// The state: once before the first step and once after each.
    Values(Snapshot<S>),
    /// The state of a subgraph, of another type `C` than that of the root graph: once before its first step and once after each.
    ChildValues(Erased),
    /// All updates of the step are folded.
    StepFinished,
    /// A checkpoint was made. With [`Durability`](crate::Durability) `Sync` it is stored when the next step starts.
    Checkpoint {
        /// Its number.
        id: CheckpointId,
        /// The checkpoint it was made from.
        parent: Option<CheckpointId>,
    },
    /// The run stops here until the questions are answered.
    Interrupted {
        /// All open questions.
        questions: Vec<Question>,
    },
    /// A counter of the budget is spent.
    BudgetSpent {
        /// Name of the counter.
        counter: String,
    },
    /// This reader came too late, or was too slow, for some events.
    Gap {
        /// `seq` of the first that is missing.
        from: u64,
        /// `seq` of the last that is missing.
        to: u64,
    },
    /// The run ended without an error.
    RunFinished {
        /// How.
        end: End,
    },
    /// The run failed. [`RunStream::finish`](crate::RunStream::finish) gives the typed error.
    RunFailed {
        /// The error's text.
        error: String,
    },
}

/// Where the result of a task comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TaskSource {
    /// The node ran.
    #[default]
    Ran,
    /// The cache had it.
    Cached,
    /// The store had it from an earlier execution of the step.
    Restored,
    /// The node failed, and its error handler ran.
    Handled,
}

impl<S: State> EventKind<S> {
    /// Whether nothing comes after it in its graph.
    pub(crate) const fn is_last(&self) -> bool {
        matches!(self, Self::RunFinished { .. } | Self::RunFailed { .. })
    }
}

impl<S: State> fmt::Debug for EventKind<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RunStarted { run_id } => f.debug_struct("RunStarted").field("run_id", run_id).finish(),
            Self::Abandoned { questions } => f.debug_struct("Abandoned").field("questions", questions).finish(),
            Self::StepStarted { tasks } => f.debug_struct("StepStarted").field("tasks", tasks).finish(),
            Self::TaskStarted => f.write_str("TaskStarted"),
            Self::Custom(custom) => f.debug_tuple("Custom").field(custom).finish(),
            Self::Message { id, text } => f.debug_struct("Message").field("id", id).field("text", text).finish(),
            Self::Updated(update) => f.debug_tuple("Updated").field(update).finish(),
            Self::ChildUpdated(update) => f.debug_tuple("ChildUpdated").field(update).finish(),
            Self::TaskFinished { error, source } => {
                f.debug_struct("TaskFinished").field("error", error).field("source", source).finish()
            }
            Self::Asked { questions } => f.debug_struct("Asked").field("questions", questions).finish(),
            Self::Values(_) => f.write_str("Values(..)"),
            Self::ChildValues(state) => f.debug_tuple("ChildValues").field(state).finish(),
            Self::StepFinished => f.write_str("StepFinished"),
            Self::Checkpoint { id, parent } => {
                f.debug_struct("Checkpoint").field("id", id).field("parent", parent).finish()
            }
            Self::Interrupted { questions } => f.debug_struct("Interrupted").field("questions", questions).finish(),
            Self::BudgetSpent { counter } => f.debug_struct("BudgetSpent").field("counter", counter).finish(),
            Self::Gap { from, to } => f.debug_struct("Gap").field("from", from).field("to", to).finish(),
            Self::RunFinished { end } => f.debug_struct("RunFinished").field("end", end).finish(),
            Self::RunFailed { error } => f.debug_struct("RunFailed").field("error", error).finish(),
        }
    }
}
