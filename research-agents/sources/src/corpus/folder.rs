//! A corpus: the folder, its index and its documents.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
#[cfg(feature = "index-file")]
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use research_agents_report::text::Untrusted;
use serde::{Deserialize, Serialize};

use crate::corpus::files::{FileRead, IndexReport, NotRead, NotReadReason, files_of};
use crate::corpus::index::{PassageIndex, stems_of};
use crate::corpus::jail::Jail;
use crate::corpus::passages::{PassageSpan, passages_of};
use crate::corpus::spec::{CorpusError, CorpusSpec};
use crate::corpus::store::{Prepared, Store, key_of};
use crate::read::reader::sha256;
use crate::read::{Format, ReadDocument, ReadLimits, read_as};

/// Maximum number of threads that read files.
const MOST_THREADS: usize = 8;

/// Where the index of a corpus is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexPlace {
    /// In memory: every start reads all files.
    #[default]
    Memory,
    /// In a file of the user's cache directory.
    #[cfg(feature = "index-file")]
    Cache,
    /// In this file.
    #[cfg(feature = "index-file")]
    File(PathBuf),
}

/// How a corpus is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CorpusOptions {
    /// Limits of reading one file.
    pub limits: ReadLimits,
    /// Maximum number of files. Defaults to 200,000.
    pub most_files: usize,
    /// Where the index is kept. Defaults to memory.
    pub index: IndexPlace,
}

impl Default for CorpusOptions {
    fn default() -> Self {
        Self {
            limits: ReadLimits::default(),
            most_files: 200_000,
            index: IndexPlace::default(),
        }
    }
}

impl CorpusOptions {
    /// Sets the limits of reading one file.
    #[must_use]
    pub fn limits(mut self, limits: ReadLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the maximum number of files.
    #[must_use]
    pub fn most_files(mut self, files: usize) -> Self {
        self.most_files = files;
        self
    }

    /// Sets where the index is kept.
    #[must_use]
    pub fn index(mut self, place: IndexPlace) -> Self {
        self.index = place;
        self
    }
}

/// A passage that a search found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PassageHit {
    /// Id of the document: its path below the folder.
    pub document: String,
    /// Title of the document; empty if it has none.
    pub title: Untrusted<String>,
    /// Headings above the passage, outermost first.
    pub headings: Vec<String>,
    /// Bytes of the document's text, and where they are.
    pub passage: PassageSpan,
    /// Text of the passage.
    pub text: Untrusted<String>,
    /// Relevance to the query. Comparable within one search only.
    pub score: f32,
}

/// A folder of documents with its index.
pub struct Corpus {
    spec: CorpusSpec,
    options: CorpusOptions,
    jail: Jail,
    store: Store,
    index: PassageIndex,
    /// For each passage of the index, its document and its number there.
    places: Vec<(u32, u32)>,
    /// By path, the key of the document in the store.
    keys: BTreeMap<String, String>,
    paths: Vec<String>,
    report: IndexReport,
}

impl Corpus {
    /// Opens a folder and reads what is not in its index yet. Blocks the thread.
    ///
    /// # Errors
    ///
    /// When the folder or the file of the index cannot be opened. A file that cannot be read is an
    /// entry of the [report](Self::report).
    pub fn open(spec: &CorpusSpec, options: &CorpusOptions) -> Result<Self, CorpusError> {
        let jail = Jail::new(spec.path()).map_err(|error| CorpusError::Folder {
            path: spec.path().display().to_string(),
            problem: error.to_string(),
        })?;
        let store = match &options.index {
            IndexPlace::Memory => Store::memory(),
            #[cfg(feature = "index-file")]
            IndexPlace::File(path) => {
                Store::File(crate::corpus::store::file::FileStore::open(path)?)
            }
            #[cfg(feature = "index-file")]
            IndexPlace::Cache => {
                let path = cache_file(&jail)?;
                Store::File(crate::corpus::store::file::FileStore::open(&path)?)
            }
        };

        let mut corpus = Self {
            spec: spec.clone(),
            options: options.clone(),
            jail,
            store,
            index: PassageIndex::new(std::iter::empty()),
            places: Vec::new(),
            keys: BTreeMap::new(),
            paths: Vec::new(),
            report: IndexReport::default(),
        };
        corpus.refresh()?;
        Ok(corpus)
    }

    /// Reads what changed since the last time. Blocks the thread.
    ///
    /// # Errors
    ///
    /// When the index cannot be written.
    pub fn refresh(&mut self) -> Result<(), CorpusError> {
        let started = Instant::now();
        let (files, not_read) = files_of(&self.jail, self.options.most_files);
        let outcomes = self.read_all(&files);

        let mut report = IndexReport {
            not_read,
            ..IndexReport::default()
        };
        let (mut added, mut used) = (Vec::new(), HashSet::new());
        let mut prepared = Vec::new();
        self.keys.clear();
        for (path, outcome) in files.into_iter().zip(outcomes) {
            match outcome {
                Ok(found) => {
                    report.reused += usize::from(!found.is_new);
                    report.read.push(FileRead {
                        path: path.clone(),
                        hash: found.prepared.document.file_hash.clone(),
                        reader: found.prepared.document.reader.clone(),
                    });
                    if found.is_new {
                        added.push((found.key.clone(), Arc::clone(&found.prepared)));
                    }
                    used.insert(found.key.clone());
                    self.keys.insert(path, found.key);
                    prepared.push(found.prepared);
                }
                Err(reason) => report.not_read.push(NotRead { path, reason }),
            }
        }
        report.not_read.sort_by(|a, b| a.path.cmp(&b.path));

        self.store.update(added, &used)?;
        self.paths = report.read.iter().map(|file| file.path.clone()).collect();
        self.places = (0_u32..)
            .zip(&prepared)
            .flat_map(|(document, one)| {
                (0_u32..)
                    .zip(&one.passages)
                    .map(move |(at, _)| (document, at))
            })
            .collect();
        self.index = PassageIndex::new(
            prepared
                .iter()
                .flat_map(|one| one.stems.iter().map(String::as_str)),
        );
        report.passages = self.places.len();
        report.time = started.elapsed();
        self.report = report;
        Ok(())
    }

    /// Reads files on several threads. The outcomes are in the order of the files.
    fn read_all(&self, files: &[String]) -> Vec<Result<Found, NotReadReason>> {
        let next = AtomicUsize::new(0);
        let outcomes: Vec<Mutex<Option<Result<Found, NotReadReason>>>> =
            files.iter().map(|_| Mutex::new(None)).collect();
        let threads = thread::available_parallelism().map_or(1, usize::from);

        thread::scope(|scope| {
            for _ in 0..threads.min(MOST_THREADS).min(files.len()) {
                scope.spawn(|| {
                    while let Some(path) = {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        files.get(at).map(|path| (at, path))
                    } {
                        let outcome = self.read_one(path.1);
                        *outcomes[path.0]
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner) = Some(outcome);
                    }
                });
            }
        });

        let lost = || {
            NotReadReason::Unread(crate::read::ReadError::Panicked {
                message: "its thread ended".to_owned(),
            })
        };
        outcomes
            .into_iter()
            .map(|outcome| {
                let outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
                outcome.unwrap_or_else(|| Err(lost()))
            })
            .collect()
    }

    fn read_one(&self, path: &str) -> Result<Found, NotReadReason> {
        let limits = &self.options.limits;
        let content = self.jail.read(path, limits.file)?;
        let format = Format::from_name(path);
        let key = key_of(&sha256(&content), format);
        if let Some(prepared) = self.store.get(&key) {
            return Ok(Found {
                key,
                prepared,
                is_new: false,
            });
        }

        let document = read_as(content, format, None, limits)?;
        let prepared = Arc::new(prepare(document));
        Ok(Found {
            key,
            prepared,
            is_new: true,
        })
    }

    /// Returns the name of the corpus, which is the origin of its documents.
    pub fn name(&self) -> &str {
        self.spec.name()
    }

    /// Returns what the index contains, and what it does not.
    pub fn report(&self) -> &IndexReport {
        &self.report
    }

    /// Returns a document by its id.
    pub fn document(&self, id: &str) -> Option<ReadDocument> {
        let prepared = self.store.get(self.keys.get(id)?)?;
        Some(prepared.document.clone())
    }

    /// Returns the best passages for a query, the best first. Of passages with the same score the
    /// one whose document comes first by path, and then the earlier one, comes first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<PassageHit> {
        let found = self.index.search(query, limit);
        found
            .into_iter()
            .filter_map(|(index, score)| self.hit(index, score))
            .collect()
    }

    fn hit(&self, index: u32, score: f32) -> Option<PassageHit> {
        let (document, at) = *self.places.get(usize::try_from(index).ok()?)?;
        let path = self.paths.get(usize::try_from(document).ok()?)?;
        let prepared = self.store.get(self.keys.get(path)?)?;
        let passage = prepared.passages.get(usize::try_from(at).ok()?)?.clone();

        let document = &prepared.document;
        let headings = document.section_path(passage.section);
        Some(PassageHit {
            document: path.clone(),
            title: document.title.clone(),
            headings: headings.into_iter().map(str::to_owned).collect(),
            text: Untrusted::new(document.slice(&passage.range).to_owned()),
            passage,
            score,
        })
    }
}

impl fmt::Debug for Corpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Corpus")
            .field("spec", &self.spec)
            .field("documents", &self.report.read.len())
            .field("passages", &self.report.passages)
            .finish_non_exhaustive()
    }
}

/// A document as a file was found to contain it.
struct Found {
    key: String,
    prepared: Arc<Prepared>,
    is_new: bool,
}

/// Splits a document, and takes the stems of its passages. The title and the headings above a
/// passage count as its words.
fn prepare(document: ReadDocument) -> Prepared {
    let passages = passages_of(&document);
    let title = stems_of(document.title.for_code());
    let headings: Vec<String> = document
        .sections
        .iter()
        .map(|section| stems_of(document.slice(&section.heading)))
        .collect();

    let stems = passages.iter().map(|passage| {
        let mut stems = title.clone();
        let mut next = passage.section;
        while let Some(section) =
            next.and_then(|index| Some((index, document.sections.get(index)?)))
        {
            let (index, section) = section;
            // A heading that is the title, or that the passage begins with, counts once.
            if headings[index] != title && !contains(&passage.range, &section.heading) {
                stems.push(' ');
                stems.push_str(&headings[index]);
            }
            next = section.parent;
        }
        stems.push(' ');
        stems.push_str(&stems_of(document.slice(&passage.range)));
        stems
    });
    let stems = stems.collect();
    Prepared {
        document,
        passages,
        stems,
    }
}

fn contains(outer: &std::ops::Range<usize>, inner: &std::ops::Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Returns the file of an index in the user's cache directory.
#[cfg(feature = "index-file")]
fn cache_file(jail: &Jail) -> Result<PathBuf, CorpusError> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let base = variable("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))
        .or_else(|| variable("LOCALAPPDATA").map(PathBuf::from))
        .ok_or_else(|| CorpusError::Index {
            path: "the user's cache directory".to_owned(),
            problem: "neither XDG_CACHE_HOME nor HOME is set".to_owned(),
        })?;
    let root = jail.root().to_string_lossy();
    let name = &sha256(root.as_bytes())[..16];
    Ok(base
        .join("research-agents")
        .join("corpora")
        .join(format!("{name}.sqlite")))
}
