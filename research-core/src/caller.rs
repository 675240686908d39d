//! What the tasks of a run share, and the task of the parent graph that runs a subgraph as those of the subgraph see it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use crate::attempt::Attempt;
use crate::checkpoint::Durability;
use crate::clock::{Clock, Random};
use crate::end::FailurePolicy;
use crate::event::{Emit, TaskTag};
use crate::interrupt::NotDurable;
use crate::journal::Journal;
use crate::ledger::Ledger;

/// What all tasks of a run share.
pub(crate) struct Shared<R> {
    pub(crate) resources: Arc<R>,
    pub(crate) run_id: Arc<str>,
    pub(crate) names: Arc<[Arc<str>]>,
    /// The number of the last step that the run may take.
    pub(crate) last_step: u64,
    pub(crate) max_concurrency: usize,
    /// The places of tasks in flight, over the graph and its subgraphs. A task that runs a subgraph takes none.
    pub(crate) places: Option<Arc<Semaphore>>,
    pub(crate) policy: FailurePolicy,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    /// When the time of the run is over: no retry waits beyond it.
    pub(crate) deadline: Option<Instant>,
    pub(crate) events: Option<Arc<dyn Emit>>,
    pub(crate) ledger: Ledger,
    /// The way to the store, when the run has a thread.
    pub(crate) journal: Option<Arc<Journal>>,
    /// When the run writes to its store.
    pub(crate) durability: Durability,
    /// The [namespace](crate::Event::namespace) of the run's events.
    pub(crate) path: Arc<str>,
    /// A question is asked although no thread keeps it: a test looks at it.
    pub(crate) asks_without_thread: bool,
    /// Set when the run has ended or was dropped.
    pub(crate) stop: Arc<Stop>,
    /// How many graphs this one runs inside of.
    pub(crate) depth: usize,
    /// The task that runs the graph, when it is a subgraph.
    pub(crate) caller: Option<Box<Caller<R>>>,
}

/// Says that a run has ended, or was dropped.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    is_set: AtomicBool,
    waiting: Notify,
}

impl Stop {
    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::Release);
        self.waiting.notify_waiters();
    }

    pub(crate) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Acquire)
    }

    /// Ends when it is set.
    pub(crate) async fn wait(&self) {
        loop {
            let waiting = self.waiting.notified();
            if self.is_set() {
                return;
            }
            waiting.await;
        }
    }
}

/// Sets a stop when it is dropped.
#[derive(Debug)]
pub(crate) struct StopOnDrop(pub(crate) Arc<Stop>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
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

    /// Why a question cannot be kept, when there is no journal.
    pub(crate) fn why_not_durable(&self) -> NotDurable {
        let mut caller = self.caller.as_deref();
        while let Some(outer) = caller {
            if outer.shared.journal.is_some() {
                return NotDurable::Subgraph;
            }
            caller = outer.shared.caller.as_deref();
        }
        NotDurable::Run
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
