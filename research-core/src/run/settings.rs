//! What the host chose for a run, but for its graph, its input and its thread.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::options::Budget;
use super::watch::Signal;
use crate::caller::{InnerStop, Shared};
use crate::clock::{Clock, IdSource, Random};
use crate::end::FailurePolicy;
use crate::graph::{Breakpoints, Defaults};
use crate::journal::IfIdle;

pub(crate) struct Settings {
    pub(crate) step_limit: u64,
    pub(crate) max_concurrency: usize,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) policy: FailurePolicy,
    /// When the time of the run that this one is part of is over.
    pub(crate) deadline: Option<Instant>,
    /// What few runs have.
    pub(crate) rare: Option<Box<Rare>>,
}

#[derive(Default)]
pub(crate) struct Rare {
    pub(crate) budget: Option<Budget>,
    pub(crate) before: Option<Breakpoints>,
    pub(crate) after: Option<Breakpoints>,
    pub(crate) run_limit: Option<Duration>,
    pub(crate) step_time: Option<Duration>,
    pub(crate) cancel: Option<Signal>,
    pub(crate) drain: Option<Signal>,
    pub(crate) if_idle: Option<IfIdle>,
}

impl Settings {
    /// What a run begins with.
    pub(crate) fn new(defaults: &Defaults) -> Self {
        let Defaults { clock, random, ids, step_limit, max_concurrency, policy, .. } = defaults;
        let mut settings = Self {
            step_limit: *step_limit,
            max_concurrency: *max_concurrency,
            clock: Arc::clone(clock),
            random: Arc::clone(random),
            ids: Arc::clone(ids),
            policy: *policy,
            deadline: None,
            rare: None,
        };
        let Defaults { run_limit, step_time, if_idle, before, after, .. } = defaults;
        if run_limit.is_some() || step_time.is_some() || if_idle.is_some() {
            let (run_limit, step_time, if_idle) = (*run_limit, *step_time, *if_idle);
            settings.rare = Some(Box::new(Rare { run_limit, step_time, if_idle, ..Rare::default() }));
        }
        settings.pause(before.clone(), after.clone());
        settings
    }

    /// What a subgraph takes over from its parent, which passes cancellation on by itself: it drops the subgraph. `node` runs it.
    pub(crate) fn for_child<R>(parent: &Shared<R>, own: &Defaults, node: u32) -> Self {
        let mut settings = Self {
            step_limit: own.step_limit,
            max_concurrency: parent.max_concurrency,
            clock: Arc::clone(&parent.clock),
            random: Arc::clone(&parent.random),
            ids: Arc::clone(&own.ids),
            policy: parent.policy,
            deadline: parent.deadline,
            rare: None,
        };
        let stop = parent.inner_stops.get(&node);
        let more = |of: fn(&InnerStop) -> &Vec<String>| stop.map_or(&[][..], |stop| of(stop));
        let before = Breakpoints::with(own.before.as_ref(), more(|stop| &stop.before));
        let after = Breakpoints::with(own.after.as_ref(), more(|stop| &stop.after));
        settings.pause(before, after);
        settings
    }

    /// Whether the run is to pause somewhere.
    pub(crate) fn pauses(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.before.is_some() || rare.after.is_some())
    }

    fn pause(&mut self, before: Option<Breakpoints>, after: Option<Breakpoints>) {
        if before.is_some() || after.is_some() {
            let rare = self.rare();
            (rare.before, rare.after) = (before, after);
        }
    }

    pub(crate) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }
}
