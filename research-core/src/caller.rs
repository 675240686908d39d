//! What the tasks of a run share, and the task of the parent graph that runs a subgraph as those of the subgraph see it.

mod places;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::attempt::Attempt;
use crate::checkpoint::Durability;
use crate::clock::{Clock, Random};
use crate::end::FailurePolicy;
use crate::event::{Emit, TaskTag};
use crate::interrupt::NotDurable;
use crate::journal::Journal;
use crate::ledger::Ledger;

pub(crate) use places::{Place, Places, Wanted};

/// Where subgraphs are to pause, by the nodes that run them: paths of nodes inside.
pub(crate) type InnerStops = BTreeMap<u32, InnerStop>;

/// Where one subgraph is to pause.
#[derive(Clone, Debug, Default)]
pub(crate) struct InnerStop {
    pub(crate) before: Vec<String>,
    pub(crate) after: Vec<String>,
}

/// What all tasks of a run share.
pub(crate) struct Shared<R> {
    pub(crate) resources: Arc<R>,
    pub(crate) run_id: Arc<str>,
    pub(crate) names: Arc<[Arc<str>]>,
    /// The number of the last step that the run may take.
    pub(crate) last_step: u64,
    pub(crate) max_concurrency: usize,
    /// The places of tasks in flight, over the graph and its subgraphs. A task that runs a subgraph takes none.
    pub(crate) places: Option<Places>,
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
    pub(crate) caller: Option<Box<Caller>>,
    /// Where subgraphs are to pause, by the nodes that run them.
    pub(crate) inner_stops: InnerStops,
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

/// A task that runs a subgraph, which may have other resources.
pub(crate) struct Caller {
    pub(crate) shared: Arc<dyn Outer>,
    pub(crate) tag: TaskTag,
    pub(crate) attempt: Option<Arc<Attempt>>,
}

/// The run that a subgraph is part of, as the subgraph sees it.
pub(crate) trait Outer: Send + Sync {
    /// Notes a sign of life of an attempt at a task, and so of the tasks that run this graph.
    fn beat(&self, attempt: Option<&Attempt>);

    /// Returns whether an attempt at a task still counts: what it spawned may outlive it, and the step.
    fn is_current(&self, tag: TaskTag, attempt: Option<&Attempt>) -> bool;

    /// Notes what a task spent.
    fn spend(&self, tag: TaskTag, counter: String, amount: u64);

    /// Returns the id of a task: the same for every execution of it, and for no other.
    fn task_id(&self, tag: TaskTag) -> String;

    /// Returns whether anything is kept of this graph or of one that it runs inside of.
    fn is_kept(&self) -> bool;

    /// Returns the places of tasks in flight.
    fn places(&self) -> Option<Places>;

    /// Returns how many graphs this one runs inside of.
    fn depth(&self) -> usize;
}

impl<R: Send + Sync> Outer for Shared<R> {
    fn beat(&self, attempt: Option<&Attempt>) {
        self.beat(attempt);
    }

    fn is_current(&self, tag: TaskTag, attempt: Option<&Attempt>) -> bool {
        self.is_current(tag, attempt)
    }

    fn spend(&self, tag: TaskTag, counter: String, amount: u64) {
        self.spend(tag, counter, amount);
    }

    fn task_id(&self, tag: TaskTag) -> String {
        self.task_id(tag)
    }

    fn is_kept(&self) -> bool {
        self.is_kept()
    }

    fn places(&self) -> Option<Places> {
        self.places.clone()
    }

    fn depth(&self) -> usize {
        self.depth
    }
}

impl<R> Shared<R> {
    /// Notes a sign of life of an attempt at a task, and so of the tasks that run this graph.
    pub(crate) fn beat(&self, attempt: Option<&Attempt>) {
        if let Some(attempt) = attempt {
            attempt.beat();
        }
        self.live();
    }

    /// Notes a sign of life of this graph, and so of the tasks that run it.
    pub(crate) fn live(&self) {
        if let Some(caller) = &self.caller {
            caller.shared.beat(caller.attempt.as_deref());
        }
    }

    /// Returns whether an attempt at a task still counts: what it spawned may outlive it, and the step.
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

    /// Returns the id of a task: the same for every execution of it, and for no other.
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

    /// Returns whether anything is kept of this graph or of one that it runs inside of.
    pub(crate) fn is_kept(&self) -> bool {
        self.journal.is_some() || self.caller.as_ref().is_some_and(|caller| caller.shared.is_kept())
    }

    /// Why something cannot be kept, when there is no journal.
    pub(crate) fn why_not_durable(&self, what: &'static str) -> NotDurable {
        let in_subgraph = self.caller.as_ref().is_some_and(|caller| caller.shared.is_kept());
        NotDurable { what, in_subgraph }
    }

    /// A name for a task of a step: the same for every execution of it, and for no other task of the thread.
    pub(crate) fn call(&self, journal: &Journal, tag: TaskTag) -> String {
        self.ledger.call(tag.index).unwrap_or_else(|| journal.call(tag.step, tag.index))
    }
}
