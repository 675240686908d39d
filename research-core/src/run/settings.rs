//! What the host chose for a run, but for its graph, its input and its thread.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::options::{Breakpoints, Budget};
use super::watch::Signal;
use crate::caller::Shared;
use crate::clock::{Clock, IdSource, Random};
use crate::end::FailurePolicy;
use crate::graph::Defaults;
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
        let Defaults { clock, random, ids, step_limit, max_concurrency, policy, run_limit, step_time, if_idle, .. } =
            defaults;
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
        if run_limit.is_some() || step_time.is_some() || if_idle.is_some() {
            let (run_limit, step_time, if_idle) = (*run_limit, *step_time, *if_idle);
            settings.rare = Some(Box::new(Rare { run_limit, step_time, if_idle, ..Rare::default() }));
        }
        settings
    }

    /// What a subgraph takes over from its parent, which passes cancellation on by itself: it drops the subgraph.
    pub(crate) fn for_child<R>(parent: &Shared<R>, own: &Defaults) -> Self {
        Self {
            step_limit: own.step_limit,
            max_concurrency: parent.max_concurrency,
            clock: Arc::clone(&parent.clock),
            random: Arc::clone(&parent.random),
            ids: Arc::clone(&own.ids),
            policy: parent.policy,
            deadline: parent.deadline,
            rare: None,
        }
    }

    pub(crate) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }
}
