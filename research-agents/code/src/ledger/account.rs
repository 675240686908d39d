//! Accounts for every occurrence of a name.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::error::CodeError;
use crate::facts::{Extraction, FactSource, FileFacts, LineIndex, Parse};
use crate::lang::FileKind;
use crate::ledger::class::Class;
use crate::ledger::classify::classify;
use crate::search::Word;
use crate::tree::{CodeTree, FileBytes, RelPath, Scope, SkipReason};

/// Maximum number of threads that read files.
const MAX_THREADS: usize = 8;

/// An occurrence of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// What it is.
    pub class: Class,
    /// Its bytes in the file.
    pub span: Range<usize>,
    /// Its line, counted from 1.
    pub line: usize,
    /// Qualified name of the innermost symbol around it, if the file has facts.
    pub within: Option<String>,
}

/// The occurrences in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileTally {
    /// The file.
    pub path: RelPath,
    /// SHA-256 of its content, in hexadecimal.
    pub hash: String,
    /// The occurrences, in the order of the file.
    pub occurrences: Vec<Occurrence>,
    /// Whether its syntax tree has errors.
    pub has_errors: bool,
    /// Whether it took too long to parse, so that its occurrences are unclassified.
    pub is_too_slow: bool,
}

/// Why files of the scope were not searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unread {
    /// Number of files by reason.
    pub counts: BTreeMap<SkipReason, usize>,
}

/// All occurrences of a name in a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// The name.
    pub name: String,
    /// Number of files that were searched.
    pub searched: usize,
    /// The files with occurrences, sorted by path.
    pub files: Vec<FileTally>,
    /// The files that were not searched.
    pub unread: Unread,
    /// Whether the search was cancelled, so that files are missing.
    pub is_cancelled: bool,
}

impl Ledger {
    /// Returns the number of occurrences.
    pub fn total(&self) -> usize {
        self.files.iter().map(|file| file.occurrences.len()).sum()
    }

    /// Returns the number of occurrences of each class. The sum is [`total`](Self::total).
    pub fn by_class(&self) -> BTreeMap<Class, usize> {
        let mut counts = BTreeMap::new();
        for occurrence in self.files.iter().flat_map(|file| &file.occurrences) {
            *counts.entry(occurrence.class).or_default() += 1;
        }
        counts
    }

    /// Returns the occurrences of a class with their files, in order.
    pub fn of_class(&self, class: Class) -> impl Iterator<Item = (&FileTally, &Occurrence)> {
        self.files.iter().flat_map(move |file| {
            let found = file.occurrences.iter();
            found
                .filter(move |occurrence| occurrence.class == class)
                .map(move |occurrence| (file, occurrence))
        })
    }

    /// Returns the account in one sentence.
    ///
    /// ```text
    /// 13 occurrences in 5 of 212 files: 1 definition, 8 calls, 3 imports, 1 in a comment.
    /// ```
    pub fn sentence(&self) -> String {
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        let classes: Vec<String> = self
            .by_class()
            .into_iter()
            .map(|(class, count)| {
                let (one, many) = class.names();
                format!("{count} {}", if count == 1 { one } else { many })
            })
            .collect();

        let mut sentence = format!(
            "{} occurrence{} in {} of {} file{}",
            self.total(),
            plural(self.total()),
            self.files.len(),
            self.searched,
            plural(self.searched)
        );
        if !classes.is_empty() {
            sentence.push_str(&format!(": {}", classes.join(", ")));
        }
        sentence.push('.');
        sentence
    }
}

/// A file with occurrences, as it was when they were found.
#[derive(Clone, Debug)]
pub(crate) struct HitFile {
    pub(crate) bytes: Arc<Vec<u8>>,
    pub(crate) facts: Option<Arc<FileFacts>>,
}

/// Finds and classifies every occurrence of a name in the listed files of a scope.
///
/// Files are read in parallel, and parsed only if they contain the name. `is_cancelled` ends the
/// search early; the ledger says so.
///
/// # Errors
///
/// [`CodeError::Pattern`] when the name cannot be searched for. Files that cannot be read are
/// counted and do not fail the search.
pub fn account(
    tree: &CodeTree,
    scope: &Scope,
    name: &str,
    is_cancelled: &AtomicBool,
) -> Result<Ledger, CodeError> {
    survey(tree, &Parse, scope, name, is_cancelled).map(|(ledger, _)| ledger)
}

/// Finds and classifies every occurrence of a name, and returns the files with occurrences in the
/// order of [`Ledger::files`].
pub(crate) fn survey(
    tree: &CodeTree,
    source: &dyn FactSource,
    scope: &Scope,
    name: &str,
    is_cancelled: &AtomicBool,
) -> Result<(Ledger, Vec<HitFile>), CodeError> {
    let word = Word::new(name)?;
    let files: Vec<&RelPath> = tree
        .files()
        .iter()
        .map(|file| &file.path)
        .filter(|path| scope.admits(path))
        .collect();

    let next = AtomicUsize::new(0);
    let tallies = Mutex::new(Vec::new());
    let unread = Mutex::new(skipped(tree, scope));
    let searched = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|threads_of_scope| {
        for _ in 0..threads.min(MAX_THREADS) {
            threads_of_scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if is_cancelled.load(Ordering::Relaxed) {
                        break;
                    }
                    match tally(tree, source, path, &word, is_cancelled) {
                        Ok(found) => {
                            searched.fetch_add(1, Ordering::Relaxed);
                            lock(&tallies).extend(found);
                        }
                        Err(reason) => *lock(&unread).counts.entry(reason).or_default() += 1,
                    }
                }
            });
        }
    });

    let mut found = tallies.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by(|(a, _): &(FileTally, HitFile), (b, _)| a.path.cmp(&b.path));
    let (files, hits) = found.into_iter().unzip();
    let ledger = Ledger {
        name: name.to_owned(),
        searched: searched.into_inner(),
        files,
        unread: unread.into_inner().unwrap_or_else(PoisonError::into_inner),
        is_cancelled: is_cancelled.load(Ordering::Relaxed),
    };
    Ok((ledger, hits))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts the files of a scope that are not listed. Names that are not paths are in every scope.
fn skipped(tree: &CodeTree, scope: &Scope) -> Unread {
    let mut unread = Unread::default();
    for (reason, paths) in tree.skipped() {
        let count = paths
            .iter()
            .filter(|path| RelPath::parse(path).map_or(true, |path| scope.admits(&path)))
            .count();
        if count > 0 {
            unread.counts.insert(*reason, count);
        }
    }
    unread
}

/// Finds the occurrences in a file. `None` for a file without one.
fn tally(
    tree: &CodeTree,
    source: &dyn FactSource,
    path: &RelPath,
    word: &Word,
    is_cancelled: &AtomicBool,
) -> Result<Option<(FileTally, HitFile)>, SkipReason> {
    /// Number of bytes that are looked at to tell text from binary data.
    const HEAD: usize = 8_192;
    let bytes = tree.read_bytes(path).map_err(|error| match error {
        CodeError::NotText { .. } => SkipReason::TooLarge,
        _ => SkipReason::Unreadable,
    })?;
    let head = bytes.get(..HEAD).unwrap_or(&bytes);
    if head.contains(&0) {
        return Err(SkipReason::Binary);
    }

    let hits = word.occurrences(&bytes);
    if hits.is_empty() {
        return Ok(None);
    }
    let file = FileBytes::new(bytes);
    let kind = FileKind::of_path(path);
    let extraction = match kind {
        FileKind::Code(language) => source.facts(language, &file, is_cancelled),
        FileKind::Document | FileKind::Other => Extraction::NoGrammar,
    };
    let facts = match &extraction {
        Extraction::Facts(facts) => Some(facts.as_ref()),
        _ => None,
    };

    let lines = LineIndex::new(&file.bytes);
    let occurrences = hits
        .into_iter()
        .map(|hit| Occurrence {
            class: classify(kind, facts, &hit.span),
            line: lines.line(hit.span.start),
            within: facts.and_then(|facts| within(facts, &hit.span)),
            span: hit.span,
        })
        .collect();
    let tally = FileTally {
        path: path.clone(),
        hash: file.hash,
        occurrences,
        has_errors: facts.is_some_and(|facts| facts.has_errors),
        is_too_slow: extraction == Extraction::TooSlow,
    };
    let hit = HitFile {
        bytes: Arc::new(file.bytes),
        facts: match extraction {
            Extraction::Facts(facts) => Some(facts),
            _ => None,
        },
    };
    Ok(Some((tally, hit)))
}

/// Returns the qualified name of the innermost symbol around an occurrence; of the name of a
/// symbol, the one around that symbol.
fn within(facts: &FileFacts, span: &Range<usize>) -> Option<String> {
    facts
        .symbols
        .iter()
        .filter(|symbol| symbol.span.contains(&span.start) && symbol.name_span != *span)
        .min_by_key(|symbol| symbol.span.len())
        .map(|symbol| facts.qualified_name(symbol))
}
