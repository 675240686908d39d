//! What the host chose for a run, but for its graph, its input and its thread.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::options::{Breakpoints, Budget};
use super::watch::Signal;
use crate::caller::Shared;
use crate::end::FailurePolicy;
use crate::{Clock, IdSource, Random, RandomIds, SystemClock, SystemRandom};

/// Steps that a run may take unless [`Run::step_limit`](super::Run::step_limit) says otherwise.
const STEP_LIMIT: u64 = 1_000;
/// Tasks of a step in flight at once unless [`Run::max_concurrency`](super::Run::max_concurrency) says otherwise.
const MAX_CONCURRENCY: usize = 1_024;

pub(crate) struct Settings {
    pub(crate) step_limit: u64,
    pub(crate) max_concurrency: usize,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) policy: FailurePolicy,
    /// When the time of the run that this one is part of is over.
    pub(crate) deadline: Option<SystemTime>,
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
}

impl Settings {
    /// What a subgraph takes over from its parent, which passes cancellation on by itself: it drops the subgraph.
    pub(crate) fn of_child<R>(parent: &Shared<R>) -> Self {
        Self {
            clock: Arc::clone(&parent.clock),
            random: Arc::clone(&parent.random),
            max_concurrency: parent.max_concurrency,
            policy: parent.policy,
            deadline: parent.deadline,
            ..Self::default()
        }
    }

    pub(crate) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step_limit: STEP_LIMIT,
            max_concurrency: MAX_CONCURRENCY,
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
            ids: Arc::new(RandomIds),
            policy: FailurePolicy::default(),
            deadline: None,
            rare: None,
        }
    }
}
