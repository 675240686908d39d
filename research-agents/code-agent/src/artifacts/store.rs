//! A store of runs in memory: for a time, up to a number, the oldest leaves first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::run::ResearchRun;

/// How long and how many runs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreLimits {
    /// How long a run is kept. Defaults to 60 minutes.
    pub life: Duration,
    /// Maximum number of runs. Defaults to 100.
    pub runs: usize,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self {
            life: Duration::from_secs(3_600),
            runs: 100,
        }
    }
}

/// What a look-up by an id or its beginning found.
#[derive(Clone, Debug)]
pub enum Lookup {
    /// The run.
    Found(Arc<ResearchRun>),
    /// No run has the id.
    None,
    /// Several runs have an id that begins like this.
    Ambiguous,
}

/// A run with the time when it was stored.
type Stored = (Instant, Arc<ResearchRun>);

/// Runs in memory. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct RunStore {
    limits: StoreLimits,
    runs: Arc<Mutex<VecDeque<Stored>>>,
}

/// The shortest beginning of an id that is looked up.
const MIN_PREFIX: usize = 4;

impl RunStore {
    /// Creates an empty store.
    pub fn new(limits: StoreLimits) -> Self {
        Self {
            limits,
            runs: Arc::default(),
        }
    }

    /// Keeps a run. A run with the same id is replaced and keeps its place.
    pub fn put(&self, run: ResearchRun) {
        let run = Arc::new(run);
        let mut runs = self.live();
        match runs
            .iter_mut()
            .find(|(_, known)| known.run_id == run.run_id)
        {
            Some((_, known)) => *known = run,
            None => runs.push_back((Instant::now(), run)),
        }
        while runs.len() > self.limits.runs.max(1) {
            runs.pop_front();
        }
    }

    /// Returns the runs, newest first.
    pub fn list(&self) -> Vec<Arc<ResearchRun>> {
        self.live()
            .iter()
            .rev()
            .map(|(_, run)| Arc::clone(run))
            .collect()
    }

    /// Looks a run up by its id, or by a beginning of it of at least four digits that no other run
    /// has.
    pub fn get(&self, id: &str) -> Lookup {
        if id.len() < MIN_PREFIX {
            return Lookup::None;
        }
        let runs = self.live();
        let mut found = runs
            .iter()
            .filter(|(_, run)| run.run_id.as_str().starts_with(id));
        match (found.next(), found.next()) {
            (Some((_, run)), None) => Lookup::Found(Arc::clone(run)),
            (None, _) => Lookup::None,
            (Some(_), Some(_)) => Lookup::Ambiguous,
        }
    }

    /// Returns the runs after those are dropped whose time is over.
    fn live(&self) -> std::sync::MutexGuard<'_, VecDeque<Stored>> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        runs.retain(|(stored, _)| now.duration_since(*stored) < self.limits.life);
        runs
    }
}
