//! The handle on a code base that lives as long as a program asks questions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::base::index::Index;
use crate::base::memory::Memory;
use crate::base::names::{FileNames, Names};
use crate::base::snapshot::Snapshot;
use crate::error::CodeError;
use crate::facts::{Extraction, FactSource, extract};
use crate::lang::Language;
use crate::tree::{CodeRoot, CodeTree, FileBytes, RelPath};

/// Where the facts of files are kept between questions.
///
/// A cache only saves time: without it, the answers are the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheAt {
    /// In the memory of this process.
    Memory,
    /// In a file of this folder, which must be outside of the code base.
    Folder(PathBuf),
    /// In the cache folder of the user; in memory if there is none.
    #[default]
    Default,
}

/// A handle on a code base.
///
/// It holds no copy of the files: each [`refresh`](Self::refresh) looks at them again. It can be
/// shared between threads.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use research_agents_code::base::{CacheAt, CodeBase};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.rs"), "fn run() {}\n")?;
///
/// let base = CodeBase::open(folder.path(), &CacheAt::Memory)?;
/// let files = base.refresh(&AtomicBool::new(false))?;
/// assert_eq!(files.tree().files().len(), 1);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct CodeBase {
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
}

/// Size and time of a file with the hash of its content.
#[derive(Clone, Debug)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    pub(crate) modified: Option<SystemTime>,
    pub(crate) hash: String,
    /// Whether the file was so new when it was read that another change may have the same time.
    pub(crate) is_racy: bool,
}

impl CodeBase {
    /// Opens a code base. Nothing is read yet.
    ///
    /// # Errors
    ///
    /// [`CodeError::Root`] when the folder does not exist or cannot be read. A cache that cannot be
    /// used is not an error.
    pub fn open(root: impl AsRef<Path>, cache: &CacheAt) -> Result<Self, CodeError> {
        let root = Arc::new(CodeRoot::open(root)?);
        let _ = cache;
        Ok(Self {
            root,
            facts: FactCache {
                memory: Memory::default(),
            },
            hashes: Mutex::default(),
            names: Mutex::default(),
            interned: Names::default(),
            index: Mutex::default(),
        })
    }

    /// Returns the absolute path of the root.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// Lists the files as they are now. Contents are read when a question needs them.
    ///
    /// Nothing is watched: the time of every file is looked at, and a file whose size or time has
    /// changed is read again.
    ///
    /// # Errors
    ///
    /// [`CodeError::Root`] when the root can no longer be listed.
    pub fn refresh(&self, is_cancelled: &AtomicBool) -> Result<Snapshot<'_>, CodeError> {
        let tree = CodeTree::list(Arc::clone(&self.root), is_cancelled)?;
        Ok(Snapshot::new(self, tree))
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
        let extraction = extract(language, &file.bytes, is_cancelled);
        if let Extraction::Facts(facts) = &extraction {
            self.memory.put(&key, facts);
        }
        extraction
    }
}

/// Returns the key of facts: the language matters, because a content may be in files of two.
pub(crate) fn key(language: Language, hash: &str) -> String {
    format!("{hash}-{}", language.name())
}
