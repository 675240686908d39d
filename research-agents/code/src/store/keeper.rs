//! A store that survives the loss of its file.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::facts::FileFacts;
use crate::store::database::{Database, Match, Stored, Worded, encode};
use crate::store::folder::CacheAt;

/// Number of facts that are written in one transaction.
const BATCH: usize = 256;

/// A store in a file or in memory.
///
/// The first error of the file replaces it by a store in memory.
#[derive(Debug)]
pub(crate) struct Store {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// `None` if not even memory can hold one.
    database: Option<Database>,
    is_file: bool,
    pending: Vec<(String, Vec<u8>)>,
}

impl Store {
    /// Opens the store of a code base. One that cannot be opened is replaced by one in memory.
    pub(crate) fn open(at: &CacheAt, root: &Path) -> Self {
        let file = at
            .file(root)
            .and_then(|path| Database::open(&path).ok().flatten());
        Self {
            state: Mutex::new(State {
                is_file: file.is_some(),
                database: file.or_else(|| Database::in_memory().ok()),
                pending: Vec::new(),
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the facts under a key. Only a file has them.
    pub(crate) fn facts(&self, key: &str) -> Option<FileFacts> {
        let mut state = self.lock();
        match state.is_file {
            true => state.with(|database| database.facts(key)).flatten(),
            false => None,
        }
    }

    /// Keeps facts. They are written in batches, and only to a file.
    pub(crate) fn put_facts(&self, key: &str, facts: &Arc<FileFacts>) {
        if !self.is_file() {
            return;
        }
        let Some(blob) = encode(facts) else { return };
        let mut state = self.lock();
        state.pending.push((key.to_owned(), blob));
        if state.pending.len() >= BATCH {
            state.flush();
        }
    }

    /// Writes the facts that are pending.
    pub(crate) fn flush(&self) {
        self.lock().flush();
    }

    /// Returns whether the store is in a file.
    pub(crate) fn is_file(&self) -> bool {
        self.lock().is_file
    }

    /// Returns the hashes of files by their sizes and times.
    pub(crate) fn stamps(&self) -> Vec<Stored> {
        let mut state = self.lock();
        match state.is_file {
            true => state.with(|database| database.stamps()).unwrap_or_default(),
            false => Vec::new(),
        }
    }

    pub(crate) fn put_stamps(&self, stamps: &[Stored]) {
        let mut state = self.lock();
        if state.is_file && !stamps.is_empty() {
            state.with(|database| database.put_stamps(stamps));
        }
    }

    /// Returns the keys of the contents that ranked search knows.
    pub(crate) fn searched(&self) -> Option<Vec<String>> {
        self.lock().with(|database| database.searched())
    }

    /// Adds contents to ranked search. Returns whether they were added.
    pub(crate) fn add(&self, all: &[(String, Vec<Worded>)]) -> bool {
        self.lock().with(|database| database.add(all)).is_some()
    }

    /// Removes contents from ranked search and from the facts.
    pub(crate) fn remove(&self, keys: &[String]) {
        self.lock().with(|database| database.remove(keys));
    }

    /// Returns the documents with any of the words, the best first.
    pub(crate) fn search(&self, words: &[String], most: usize) -> Option<Vec<Match>> {
        self.lock().with(|database| database.search(words, most))
    }
}

impl State {
    /// Does something with the database. On an error, a file is left for memory, and the result is
    /// `None`.
    fn with<T>(&mut self, work: impl FnOnce(&mut Database) -> rusqlite::Result<T>) -> Option<T> {
        let found = work(self.database.as_mut()?);
        if found.is_err() {
            self.database = Database::in_memory().ok();
            self.is_file = false;
            self.pending.clear();
        }
        found.ok()
    }

    fn flush(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if !pending.is_empty() && self.is_file {
            self.with(|database| database.put_facts(&pending));
        }
    }
}
