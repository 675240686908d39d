//! The entries of the log.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::kind::EventKind;
use crate::state::State;

/// One entry of a run's event log.
#[derive(Clone)]
#[non_exhaustive]
pub struct Event<S: State> {
    /// Position in the log, counted from 0 over the subscribed kinds. Positions that a reader misses are announced by a
    /// [`Gap`](EventKind::Gap), whose own `seq` is the last of them.
    pub seq: u64,
    /// When it was written, by the run's [`Clock`](crate::Clock).
    pub at: SystemTime,
    /// The step it belongs to, counted from 1; 0 before the first. Subgraphs count their own steps.
    pub step: u64,
    /// The graph that it comes from: empty for the root graph; the name of the node for a subgraph, with `:` and the place of the
    /// task in its step where it is a [task](crate::Graph::subgraph_task) that runs it, since several may; and these joined by `/`
    /// for a subgraph in a subgraph. The characters `/`, `:`, `#`, `@` and `%` of a name are escaped as in URLs.
    pub namespace: Arc<str>,
    /// The task it belongs to, for events of tasks.
    pub task: Option<EventTask>,
    /// What happened.
    pub kind: EventKind<S>,
}

/// The task that an event belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventTask {
    /// Name of the node.
    pub node: Arc<str>,
    /// Position in the step's task-path order, counted from 0.
    pub index: usize,
}

/// Place of a task in its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskTag {
    /// The step, counted from 1.
    pub step: u64,
    /// Position in the step's task-path order, counted from 0.
    pub index: usize,
    /// Position of the node in its graph.
    pub(crate) node: u32,
}

impl<S: State> Event<S> {
    /// Name of the node, for events of tasks.
    #[must_use]
    pub fn node(&self) -> Option<&str> {
        self.task.as_ref().map(|task| &*task.node)
    }

    /// The value that a node emitted, when it is a `T`.
    #[must_use]
    pub fn custom<T: Any>(&self) -> Option<&T> {
        match &self.kind {
            EventKind::Custom(custom) => custom.downcast_ref(),
            _ => None,
        }
    }

    /// Whether it comes from a subgraph.
    #[must_use]
    pub fn is_of_subgraph(&self) -> bool {
        !self.namespace.is_empty()
    }
}

impl<S: State> fmt::Debug for Event<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("seq", &self.seq)
            .field("at", &self.at)
            .field("step", &self.step)
            .field("namespace", &self.namespace)
            .field("task", &self.task)
            .field("kind", &self.kind)
            .finish()
    }
}
