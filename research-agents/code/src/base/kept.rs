//! What is kept between questions: facts and names by the hash of the content, and the hashes of
//! files by their times.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::base::index::Index;
use crate::base::memory::Memory;
use crate::base::names::{FileNames, Names};
use crate::facts::{Extraction, FactSource, extract};
use crate::lang::Language;
use crate::store::{CacheAt, Store, Stored};
use crate::tree::{CodeRoot, FileBytes, RelPath};

/// What is kept between questions.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) root: Arc<CodeRoot>,
    pub(crate) facts: FactCache,
    /// Hash of the content of each file, by its size and time.
    pub(crate) hashes: Mutex<HashMap<RelPath, Stamp>>,
    /// The names of each content, by its key.
    pub(crate) names: Mutex<HashMap<String, Arc<FileNames>>>,
    pub(crate) interned: Names,
    /// The last index, with the keys of its files.
    pub(crate) index: Mutex<Option<(Vec<String>, Arc<Index>)>>,
}

/// Facts by the hash of the content.
#[derive(Debug)]
pub(crate) struct FactCache {
    memory: Memory,
    pub(crate) store: Store,
}

/// Size and time of a file with the hash of its content.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    pub(crate) modified: Option<SystemTime>,
    pub(crate) hash: String,
    /// Whether the file was so new when it was read that another change may have the same time.
    pub(crate) is_racy: bool,
    /// Whether the store has it.
    pub(crate) is_stored: bool,
}

impl Kept {
    pub(crate) fn new(root: Arc<CodeRoot>, cache: &CacheAt) -> Self {
        let store = Store::open(cache, root.path());
        let hashes = store.stamps().into_iter().filter_map(|stored| {
            let path = RelPath::parse(&stored.path).ok()?;
            let stamp = Stamp {
                bytes: stored.bytes,
                modified: Some(stored.modified),
                hash: stored.hash,
                is_racy: false,
                is_stored: true,
            };
            Some((path, stamp))
        });

        Self {
            hashes: Mutex::new(hashes.collect()),
            root,
            facts: FactCache {
                memory: Memory::default(),
                store,
            },
            names: Mutex::default(),
            interned: Names::default(),
            index: Mutex::default(),
        }
    }

    /// Writes what is pending to the file of the store.
    pub(crate) fn write(&self) {
        self.facts.store.flush();
        if !self.facts.store.is_file() {
            return;
        }
        let mut hashes = self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stamps = Vec::new();

        for (path, stamp) in hashes.iter_mut() {
            if let (false, false, Some(modified)) = (stamp.is_stored, stamp.is_racy, stamp.modified)
            {
                stamp.is_stored = true;
                stamps.push(Stored {
                    path: path.to_string(),
                    bytes: stamp.bytes,
                    modified,
                    hash: stamp.hash.clone(),
                });
            }
        }
        drop(hashes);
        self.facts.store.put_stamps(&stamps);
    }

    /// Returns the known hash of a file with this size and time.
    pub(crate) fn known_hash(
        &self,
        path: &RelPath,
        bytes: u64,
        modified: Option<SystemTime>,
    ) -> Option<String> {
        let hashes = self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = hashes.get(path)?;
        let is_same = stamp.bytes == bytes && stamp.modified == modified && modified.is_some();
        (is_same && !stamp.is_racy).then(|| stamp.hash.clone())
    }
}

impl FactSource for FactCache {
    fn facts(&self, language: Language, file: &FileBytes, is_cancelled: &AtomicBool) -> Extraction {
        let key = key(language, &file.hash);
        if let Some(facts) = self.memory.get(&key) {
            return Extraction::Facts(facts);
        }
        if let Some(facts) = self.store.facts(&key) {
            let facts = Arc::new(facts);
            self.memory.put(&key, &facts);
            return Extraction::Facts(facts);
        }

        let extraction = extract(language, &file.bytes, is_cancelled);
        if let Extraction::Facts(facts) = &extraction {
            self.memory.put(&key, facts);
            self.store.put_facts(&key, facts);
        }
        extraction
    }
}

/// Returns the key of facts: the language matters, because a content may be in files of two.
pub(crate) fn key(language: Language, hash: &str) -> String {
    format!("{hash}-{}", language.name())
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.write();
    }
}
