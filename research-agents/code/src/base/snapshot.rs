//! The files of a code base as they are when a question is asked.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::base::index::{Index, IndexedFile};
use crate::base::kept::{Kept, Stamp, key};
use crate::base::names::FileNames;
use crate::base::place::Place;
use crate::base::span::{Provenance, Span};
use crate::error::CodeError;
use crate::facts::{Extraction, FactSource, FileFacts, LineIndex};
use crate::lang::{FileKind, Language};
use crate::ledger::{HitFile, Ledger, survey};
use crate::tree::{CodeTree, FileBytes, ListedFile, RelPath, Scope};

/// Maximum number of threads that read files.
const MAX_THREADS: usize = 8;

/// A file may change again within this time and keep its time of change.
const RACE: Duration = Duration::from_secs(2);

/// The files of a code base as they are when a question is asked.
///
/// The listing is fixed. A file is read when it is needed; if it has changed by then, the newer
/// content is what counts.
#[derive(Debug)]
pub struct Snapshot {
    pub(crate) kept: Arc<Kept>,
    tree: CodeTree,
    has_sources: bool,
    /// Files that took too long to parse.
    slow: Mutex<BTreeMap<RelPath, ()>>,
}

impl Snapshot {
    pub(crate) fn new(kept: Arc<Kept>, tree: CodeTree) -> Self {
        let code = tree
            .files()
            .iter()
            .filter(|file| matches!(FileKind::of_path(&file.path), FileKind::Code(_)));
        let (built, sources): (Vec<_>, Vec<_>) = code.partition(|file| Place::is_built(&file.path));
        Self {
            kept,
            has_sources: sources.len() * 4 >= built.len(),
            tree,
            slow: Mutex::default(),
        }
    }

    /// Returns the listed and the skipped files.
    pub fn tree(&self) -> &CodeTree {
        &self.tree
    }

    /// Returns the files that took too long to parse so far, sorted by path.
    pub fn slow_files(&self) -> Vec<RelPath> {
        let slow = self.slow.lock().unwrap_or_else(PoisonError::into_inner);
        slow.keys().cloned().collect()
    }

    /// Returns the name of the folder of the code base.
    pub(crate) fn root_name(&self) -> String {
        let name = self.kept.root.path().file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Returns the place of a file by its path.
    pub fn place(&self, path: &RelPath) -> Place {
        Place::from_path(path, self.has_sources)
    }

    /// Returns the place of a file by its path and its mark.
    pub(crate) fn place_of(&self, path: &RelPath, is_generated: bool) -> Place {
        if is_generated {
            Place::Generated
        } else {
            self.place(path)
        }
    }

    /// Reads a listed file.
    ///
    /// # Errors
    ///
    /// As [`CodeTree::read`].
    pub fn read(&self, path: &RelPath) -> Result<FileBytes, CodeError> {
        self.tree.read(path)
    }

    /// Reads lines of a listed file, counted from 1 and inclusive. A `last` beyond the end is the
    /// last line.
    ///
    /// # Errors
    ///
    /// As [`CodeTree::read`], and [`CodeError::Line`] when `first` does not exist.
    pub fn span(&self, path: &RelPath, first: usize, last: usize) -> Result<Span, CodeError> {
        let file = self.read(path)?;
        span_of(path, &file.bytes, (first, last), Provenance::Manual)
    }

    /// Returns the facts of a listed file. `None` if its language is not known or it is too slow.
    ///
    /// # Errors
    ///
    /// As [`CodeTree::read`].
    pub fn facts(
        &self,
        path: &RelPath,
        is_cancelled: &AtomicBool,
    ) -> Result<Option<Arc<FileFacts>>, CodeError> {
        let file = self.read(path)?;
        Ok(self.facts_of(path, &file, is_cancelled))
    }

    /// Returns the facts of a content that was read.
    pub(crate) fn facts_of(
        &self,
        path: &RelPath,
        file: &FileBytes,
        is_cancelled: &AtomicBool,
    ) -> Option<Arc<FileFacts>> {
        let FileKind::Code(language) = FileKind::of_path(path) else {
            return None;
        };
        match self.kept.facts.facts(language, file, is_cancelled) {
            Extraction::Facts(facts) => Some(facts),
            Extraction::TooSlow => {
                let mut slow = self.slow.lock().unwrap_or_else(PoisonError::into_inner);
                slow.insert(path.clone(), ());
                None
            }
            Extraction::NoGrammar | Extraction::Cancelled => None,
        }
    }

    /// Finds and classifies every occurrence of a name in a scope.
    ///
    /// # Errors
    ///
    /// [`CodeError::Pattern`] when the name cannot be searched for.
    pub fn ledger(
        &self,
        scope: &Scope,
        name: &str,
        is_cancelled: &AtomicBool,
    ) -> Result<Ledger, CodeError> {
        self.survey(scope, name, is_cancelled)
            .map(|(ledger, _)| ledger)
    }

    pub(crate) fn survey(
        &self,
        scope: &Scope,
        name: &str,
        is_cancelled: &AtomicBool,
    ) -> Result<(Ledger, Vec<HitFile>), CodeError> {
        let found = survey(&self.tree, &self.kept.facts, scope, name, is_cancelled)?;
        let mut slow = self.slow.lock().unwrap_or_else(PoisonError::into_inner);
        let files = found.0.files.iter().filter(|file| file.is_too_slow);
        slow.extend(files.map(|file| (file.path.clone(), ())));
        drop(slow);
        Ok(found)
    }

    /// Returns the symbols and calls of all files. Contents that were indexed before are not read.
    pub(crate) fn index(&self, is_cancelled: &AtomicBool) -> Arc<Index> {
        let code: Vec<(&ListedFile, Language)> = self
            .tree
            .files()
            .iter()
            .filter_map(|file| match FileKind::of_path(&file.path) {
                FileKind::Code(language) => Some((file, language)),
                FileKind::Document | FileKind::Other => None,
            })
            .collect();

        let next = AtomicUsize::new(0);
        let found = Mutex::new(Vec::with_capacity(code.len()));
        let threads = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|threads_of_scope| {
            for _ in 0..threads.min(MAX_THREADS) {
                threads_of_scope.spawn(|| {
                    while let Some((file, language)) =
                        code.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        if is_cancelled.load(Ordering::Relaxed) {
                            break;
                        }
                        if let Some(indexed) = self.indexed(file, *language, is_cancelled) {
                            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                            found.push(indexed);
                        }
                    }
                });
            }
        });

        let mut files = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        self.kept.write();
        self.put_together(files)
    }

    /// Returns the last index if its files are these, and otherwise creates a new one.
    fn put_together(&self, files: Vec<IndexedFile>) -> Arc<Index> {
        let keys: Vec<String> = files
            .iter()
            .map(|file| format!("{} {}", file.hash, file.path))
            .collect();
        let mut known = self
            .kept
            .index
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((of, index)) = known.as_ref()
            && *of == keys
        {
            return Arc::clone(index);
        }

        // Names of contents that are gone are dropped.
        let live: HashSet<String> = files
            .iter()
            .map(|file| key(file.language, &file.hash))
            .collect();
        let mut names = self
            .kept
            .names
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        names.retain(|key, _| live.contains(key));
        drop(names);

        let index = Arc::new(Index::new(files));
        *known = Some((keys, Arc::clone(&index)));
        index
    }

    /// Returns the names of a file. The file is read only if its size or time has changed.
    fn indexed(
        &self,
        file: &ListedFile,
        language: Language,
        is_cancelled: &AtomicBool,
    ) -> Option<IndexedFile> {
        let known = self.kept.known_hash(&file.path, file.bytes, file.modified);
        if let Some(hash) = known
            && let Some(names) = self.known_names(&key(language, &hash))
        {
            return Some(IndexedFile {
                path: file.path.clone(),
                hash,
                language,
                place: self.place_of(&file.path, names.is_generated),
                names,
            });
        }

        let content = self.read(&file.path).ok()?;
        self.remember(file, &content);
        let key = key(language, &content.hash);
        let names = match self.known_names(&key) {
            Some(names) => names,
            None => {
                let facts = self.facts_of(&file.path, &content, is_cancelled)?;
                let names = Arc::new(FileNames::new(&facts, &self.kept.interned));
                let mut all = self
                    .kept
                    .names
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                all.insert(key, Arc::clone(&names));
                names
            }
        };
        Some(IndexedFile {
            path: file.path.clone(),
            place: self.place_of(&file.path, names.is_generated),
            hash: content.hash,
            language,
            names,
        })
    }

    fn known_names(&self, key: &str) -> Option<Arc<FileNames>> {
        let names = self
            .kept
            .names
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        names.get(key).map(Arc::clone)
    }

    /// Notes the hash of a file that was read. A file of another size than the listed one has
    /// changed since, and is read again by the next question.
    pub(crate) fn remember(&self, file: &ListedFile, content: &FileBytes) {
        let is_racy = file.modified.is_none_or(|modified| {
            SystemTime::now()
                .duration_since(modified)
                .map_or(true, |age| age < RACE)
        });
        let stamp = Stamp {
            bytes: file.bytes,
            modified: file.modified,
            hash: content.hash.clone(),
            is_stored: false,
            is_racy: is_racy || content.bytes.len() as u64 != file.bytes,
        };

        let mut hashes = self
            .kept
            .hashes
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        hashes.insert(file.path.clone(), stamp);
    }
}

/// Takes lines of a content, counted from 1 and inclusive.
pub(crate) fn span_of(
    path: &RelPath,
    bytes: &[u8],
    (first, last): (usize, usize),
    provenance: Provenance,
) -> Result<Span, CodeError> {
    let lines = LineIndex::new(bytes);
    let range = lines.bytes(first, last).ok_or_else(|| CodeError::Line {
        path: path.to_string(),
        lines: lines.count(),
        line: first,
    })?;
    let last = last.min(lines.count());
    let part = bytes.get(range).unwrap_or_default().to_vec();
    Ok(Span::new(path.clone(), (first, last), part, provenance))
}
