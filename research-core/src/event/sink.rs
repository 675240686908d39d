//! The seams through which a run, its tasks and its subgraphs write events.

use std::sync::Arc;
use std::task::{Context, Poll};

use super::child::ChildLog;
use super::emit::Emit;
use super::entry::EventTask;
use super::kind::EventKind;
use super::log::{Batch, EventLog};
use super::modes::Modes;
use crate::state::State;

/// Where the loop of a graph of the state `S` writes to.
pub(crate) enum Sink<S: State> {
    /// The log of the run.
    Root(Arc<EventLog<S>>),
    /// That of the run of the root graph, for a subgraph.
    Child(Arc<ChildLog>),
}

/// Writes events of one moment.
pub(crate) enum Moment<'s, S: State> {
    Root(Batch<'s, S>),
    Child { log: &'s ChildLog, step: u64 },
}

impl<S: State> Sink<S> {
    /// Whether one of these kinds is read.
    pub(crate) fn wants(&self, modes: Modes) -> bool {
        match self {
            Self::Root(log) => log.wants(modes),
            Self::Child(log) => log.wants_of_subgraphs(modes),
        }
    }

    /// Begins to write events of one moment. Until it is dropped no code of nodes or states may run, which might emit.
    pub(crate) fn moment(&self, step: u64) -> Moment<'_, S> {
        match self {
            Self::Root(log) => Moment::Root(log.batch(step)),
            Self::Child(log) => Moment::Child { log, step },
        }
    }

    /// Writes one event.
    pub(crate) fn write(&self, step: u64, task: Option<EventTask>, kind: EventKind<S>) {
        self.moment(step).add(task, kind);
    }

    /// Ready when the next step may start, as far as the reader is concerned.
    pub(crate) fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()> {
        match self {
            Self::Root(log) => log.poll_ready(cx),
            Self::Child(log) => log.poll_ready(cx),
        }
    }
}

impl<S: State> Moment<'_, S> {
    /// Writes an event; the caller has asked whether it is wanted.
    #[inline]
    pub(crate) fn add(&mut self, task: Option<EventTask>, kind: EventKind<S>) {
        match self {
            Self::Root(batch) => batch.add(task, kind),
            Self::Child { log, step } => log.forward(*step, task, kind.into()),
        }
    }
}
