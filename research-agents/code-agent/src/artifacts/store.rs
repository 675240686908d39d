//! A store of runs: for a time, up to a number, the oldest leaves first. In memory, and in a folder
//! if one is named.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::artifacts::folder::Folder;
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

/// Runs for a time. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct RunStore {
    limits: StoreLimits,
    runs: Arc<Mutex<VecDeque<Stored>>>,
    folder: Option<Arc<Folder>>,
}

/// The shortest beginning of an id that is looked up.
const MIN_PREFIX: usize = 4;

impl RunStore {
    /// Creates an empty store.
    pub fn new(limits: StoreLimits) -> Self {
        Self {
            limits,
            runs: Arc::default(),
            folder: None,
        }
    }

    /// Creates a store that also keeps its runs as files, and reads those that are there. The
    /// folder must be outside of the code bases that are asked about.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made or read.
    pub fn in_folder(limits: StoreLimits, folder: &Path) -> io::Result<Self> {
        let folder = Folder::open(folder)?;
        let now = Instant::now();
        let runs = folder.read(limits.life).into_iter().map(|(age, run)| {
            let stored = now.checked_sub(age).unwrap_or(now);
            (stored, Arc::new(run))
        });
        let store = Self {
            limits,
            runs: Arc::new(Mutex::new(runs.collect())),
            folder: Some(Arc::new(folder)),
        };
        store.limit(&mut store.live());
        Ok(store)
    }

    /// Returns whether the folder of the store is within another folder.
    pub fn is_within(&self, root: &Path) -> bool {
        let folder = self.folder.as_ref();
        folder.is_some_and(|folder| folder.path().starts_with(root))
    }

    /// Keeps a run. A run with the same id is replaced and keeps its place. A run that cannot be
    /// written to the folder is kept in memory.
    pub fn put(&self, run: ResearchRun) {
        if let Some(folder) = &self.folder {
            // A full disk costs the copy on it.
            drop(folder.write(&run));
        }
        let run = Arc::new(run);
        let mut runs = self.live();
        match runs
            .iter_mut()
            .find(|(_, known)| known.run_id == run.run_id)
        {
            Some((_, known)) => *known = run,
            None => runs.push_back((Instant::now(), run)),
        }
        self.limit(&mut runs);
    }

    /// Drops the oldest runs above the maximum number.
    fn limit(&self, runs: &mut VecDeque<Stored>) {
        while runs.len() > self.limits.runs.max(1) {
            if let Some((_, run)) = runs.pop_front() {
                self.forget(&run);
            }
        }
    }

    fn forget(&self, run: &ResearchRun) {
        if let Some(folder) = &self.folder {
            folder.remove(&run.run_id);
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
        runs.retain(|(stored, run)| {
            let is_live = now.duration_since(*stored) < self.limits.life;
            if !is_live {
                self.forget(run);
            }
            is_live
        });
        runs
    }
}
