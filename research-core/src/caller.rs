//! What the tasks of a run share, and the task of the parent graph that runs a subgraph as those of the subgraph see it.

use std::sync::Arc;
use std::time::SystemTime;

use crate::attempt::Attempt;
use crate::checkpoint::Durability;
use crate::end::FailurePolicy;
use crate::event::Emit;
use crate::journal::Journal;
use crate::ledger::Ledger;
use crate::{Clock, Random, TaskTag};

/// What all tasks of a run share.
pub(crate) struct Shared<R> {
    pub(crate) resources: Arc<R>,
    pub(crate) run_id: Arc<str>,
    pub(crate) names: Arc<[Arc<str>]>,
    /// The number of the last step that the run may take.
    pub(crate) last_step: u64,
    pub(crate) max_concurrency: usize,
    pub(crate) policy: FailurePolicy,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    /// When the time of the run is over: no retry waits beyond it.
    pub(crate) deadline: Option<SystemTime>,
    pub(crate) events: Option<Arc<dyn Emit>>,
    pub(crate) ledger: Ledger,
    /// The way to the store, when the run has a thread.
    pub(crate) journal: Option<Arc<Journal>>,
    /// When the run writes to its store.
    pub(crate) durability: Durability,
    /// The [namespace](crate::Event::namespace) of the run's events.
    pub(crate) path: Arc<str>,
    /// The task that runs the graph, when it is a subgraph.
    pub(crate) caller: Option<Box<Caller<R>>>,
}

/// A task that runs a subgraph.
pub(crate) struct Caller<R> {
    pub(crate) shared: Arc<Shared<R>>,
    pub(crate) tag: TaskTag,
    pub(crate) attempt: Option<Arc<Attempt>>,
}

impl<R> Shared<R> {
    /// A sign of life of an attempt at a task, and so of the tasks that run this graph.
    pub(crate) fn beat(&self, attempt: Option<&Attempt>) {
        if let Some(attempt) = attempt {
            attempt.beat();
        }
        self.live();
    }

    /// A sign of life of this graph, and so of the tasks that run it.
    pub(crate) fn live(&self) {
        if let Some(caller) = &self.caller {
            caller.shared.beat(caller.attempt.as_deref());
        }
    }

    /// Whether an attempt at a task still counts: what it spawned may outlive it, and the step.
    pub(crate) fn is_current(&self, tag: TaskTag, attempt: Option<&Attempt>) -> bool {
        attempt.is_none_or(Attempt::is_current)
            && self.ledger.is_open(tag.step)
            && self.caller.as_ref().is_none_or(|by| by.shared.is_current(by.tag, by.attempt.as_deref()))
    }

    /// Notes what a task spent. Where nothing is kept of this graph it is the spending of the task that runs it, whatever the end.
    pub(crate) fn spend(&self, tag: TaskTag, counter: String, amount: u64) {
        match &self.caller {
            Some(caller) if self.journal.is_none() => caller.shared.spend(caller.tag, counter, amount),
            _ => self.ledger.spend(tag, counter, amount),
        }
    }

    /// A name for a task of a step: the same for every execution of it, and for no other task of the thread.
    pub(crate) fn call(&self, journal: &Journal, tag: TaskTag) -> String {
        self.ledger.call(tag.index).unwrap_or_else(|| journal.call(tag.step, tag.index))
    }

    /// The same for every execution of a task, and for no other.
    pub(crate) fn task_id(&self, tag: TaskTag) -> String {
        let place = |outer: &dyn std::fmt::Display, step: &dyn std::fmt::Display| {
            format!("{outer}/{step}/{}/{}", tag.index, self.names[tag.node as usize])
        };
        match (&self.journal, &self.caller) {
            (Some(journal), _) => {
                format!("{}/{}/{}", journal.key(), self.call(journal, tag), self.names[tag.node as usize])
            }
            (None, Some(caller)) => place(&caller.shared.task_id(caller.tag), &tag.step),
            (None, None) => place(&self.run_id, &tag.step),
        }
    }
}
