//! What runs of a graph begin with, unless they say otherwise.

use std::sync::Arc;
use std::time::Duration;

use crate::checkpoint::Durability;
use crate::clock::{Clock, IdSource, Random, RandomIds, SystemClock, SystemRandom};
use crate::end::FailurePolicy;
use crate::journal::IfIdle;

/// Steps that a run may take unless it is told otherwise.
const STEP_LIMIT: u64 = 1_000;
/// Tasks of a run in flight at once unless it is told otherwise.
const MAX_CONCURRENCY: usize = 1_024;

/// What every run of a graph takes over.
#[derive(Clone, Debug)]
pub(crate) struct Defaults {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) durability: Durability,
    pub(crate) step_limit: u64,
    pub(crate) max_concurrency: usize,
    pub(crate) policy: FailurePolicy,
    pub(crate) run_limit: Option<Duration>,
    pub(crate) step_time: Option<Duration>,
    pub(crate) if_idle: Option<IfIdle>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
            ids: Arc::new(RandomIds),
            durability: Durability::default(),
            step_limit: STEP_LIMIT,
            max_concurrency: MAX_CONCURRENCY,
            policy: FailurePolicy::default(),
            run_limit: None,
            step_time: None,
            if_idle: None,
        }
    }
}
