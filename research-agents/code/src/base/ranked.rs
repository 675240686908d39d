//! Ranked search over the functions, types and gaps of all files.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::base::place::Place;
use crate::base::snapshot::{Snapshot, span_of};
use crate::base::span::{Provenance, Span};
use crate::error::CodeError;
use crate::search::{documents, query_words, words};
use crate::store::{Match, Worded};
use crate::tree::{FileBytes, ListedFile, RelPath, Scope};

/// Maximum number of threads that read files.
const MAX_THREADS: usize = 8;

/// Number of contents that are added in one transaction.
const BATCH: usize = 64;

/// Number of bytes that are looked at to tell text from binary data.
const HEAD: usize = 8_192;

impl Snapshot {
    /// Returns the functions, types and other lines that fit a query best, the best first.
    ///
    /// The words of the query and those of the code are compared whole and in their parts, by BM25;
    /// words in the name of a symbol count three times. Tests and copies are ranked lower. The
    /// first search of a code base reads all of its files.
    ///
    /// # Errors
    ///
    /// [`CodeError::Question`] when the query has no word.
    pub fn search(
        &self,
        query: &str,
        k: usize,
        scope: &Scope,
        is_cancelled: &AtomicBool,
    ) -> Result<Vec<Span>, CodeError> {
        let query = query_words(query);
        if query.is_empty() {
            return Err(CodeError::Question {
                reason: "the query has no word that can be searched for",
            });
        }

        // A store that fails is replaced by an empty one, which the second attempt fills.
        for _ in 0..2 {
            let Some(paths) = self.make_searchable(is_cancelled) else {
                continue;
            };
            let mut most = 50 + 4 * k;
            while let Some(found) = self.kept.facts.store.search(&query, most) {
                let is_all = found.len() < most;
                let spans = self.spans_of(found, &paths, scope, k);
                if spans.len() >= k || is_all {
                    return Ok(spans);
                }
                most *= 8;
            }
        }
        Ok(Vec::new())
    }

    /// Turns matches into spans of the files that have the contents now.
    fn spans_of(
        &self,
        found: Vec<Match>,
        paths: &HashMap<String, Vec<RelPath>>,
        scope: &Scope,
        k: usize,
    ) -> Vec<Span> {
        let mut ranked: Vec<(f64, &RelPath, Match)> = Vec::new();
        for one in found {
            let known = paths.get(&one.key).map_or(&[][..], Vec::as_slice);
            for path in known.iter().filter(|path| scope.admits(path)) {
                let weight = match self.place(path) {
                    Place::Source => 1.0,
                    Place::Test => 0.7,
                    Place::Generated => 0.4,
                };
                ranked.push((one.score * weight, path, one.clone()));
            }
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));

        let mut spans = Vec::new();
        for (score, path, one) in ranked {
            if spans.len() >= k {
                break;
            }
            let Ok(file) = self.read(path) else { continue };
            let lines = (one.first, one.last);
            let Ok(mut span) = span_of(path, &file.bytes, lines, Provenance::Bm25) else {
                continue;
            };
            if !one.name.is_empty() {
                span = span.with_symbol(one.name, &one.kind);
            }
            span.score = Some(score);
            spans.push(span);
        }
        spans
    }

    /// Adds the contents to ranked search that it does not know. Returns the files of each content;
    /// `None` if the store failed.
    fn make_searchable(&self, is_cancelled: &AtomicBool) -> Option<HashMap<String, Vec<RelPath>>> {
        let store = &self.kept.facts.store;
        let known: HashSet<String> = store.searched()?.into_iter().collect();
        let files = self.tree().files();
        let next = AtomicUsize::new(0);
        let paths: Mutex<HashMap<String, Vec<RelPath>>> = Mutex::default();
        let is_broken = AtomicBool::new(false);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|threads_of_scope| {
            for _ in 0..threads.min(MAX_THREADS) {
                threads_of_scope.spawn(|| {
                    let mut batch: Vec<(String, Vec<Worded>)> = Vec::new();
                    while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if is_cancelled.load(Ordering::Relaxed) {
                            break;
                        }
                        let Some(key) = self.searchable(file, &known, &mut batch, is_cancelled)
                        else {
                            continue;
                        };
                        let mut paths = paths.lock().unwrap_or_else(PoisonError::into_inner);
                        paths.entry(key).or_default().push(file.path.clone());
                        drop(paths);
                        if batch.len() >= BATCH && !store.add(&std::mem::take(&mut batch)) {
                            is_broken.store(true, Ordering::Relaxed);
                        }
                    }
                    if !batch.is_empty() && !store.add(&batch) {
                        is_broken.store(true, Ordering::Relaxed);
                    }
                });
            }
        });

        let paths = paths.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !is_cancelled.load(Ordering::Relaxed) {
            let gone: Vec<String> = known
                .into_iter()
                .filter(|key| !paths.contains_key(key))
                .collect();
            if !gone.is_empty() {
                store.remove(&gone);
            }
        }
        (!is_broken.load(Ordering::Relaxed)).then_some(paths)
    }

    /// Returns the key of the content of a file, and adds its documents to a batch if ranked search
    /// does not know them. The key has the extension, because it decides how a content is split.
    fn searchable(
        &self,
        file: &ListedFile,
        known: &HashSet<String>,
        batch: &mut Vec<(String, Vec<Worded>)>,
        is_cancelled: &AtomicBool,
    ) -> Option<String> {
        let key = |hash: &str| format!("{hash}-{}", file.path.extension());
        let hash = self.kept.known_hash(&file.path, file.bytes, file.modified);
        if let Some(key) = hash
            .map(|hash| key(&hash))
            .filter(|key| known.contains(key))
        {
            return Some(key);
        }

        let content = self.read(&file.path).ok()?;
        self.remember(file, &content);
        let key = key(&content.hash);
        let head = content.bytes.get(..HEAD).unwrap_or(&content.bytes);
        if head.contains(&0) {
            return None;
        }
        if !known.contains(&key) {
            batch.push((key.clone(), self.worded(&file.path, &content, is_cancelled)));
        }
        Some(key)
    }

    /// Splits a content into documents with their words.
    fn worded(
        &self,
        path: &RelPath,
        content: &FileBytes,
        is_cancelled: &AtomicBool,
    ) -> Vec<Worded> {
        let facts = self.facts_of(path, content, is_cancelled);
        let stem = path.name().split('.').next().unwrap_or_default();
        documents(facts.as_deref(), &content.bytes)
            .into_iter()
            .filter_map(|document| {
                let lines = (document.first, document.last);
                let span = span_of(path, &content.bytes, lines, Provenance::Bm25).ok()?;
                let name = words(&format!("{stem} {}", document.name));
                let body = words(&span.text());
                Some((document, name, body))
            })
            .collect()
    }
}
