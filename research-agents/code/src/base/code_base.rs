//! The handle on a code base that lives as long as a program asks questions.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::base::kept::Kept;
use crate::base::snapshot::Snapshot;
use crate::error::CodeError;
use crate::store::CacheAt;
use crate::tree::{CodeRoot, CodeTree};

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
    kept: Arc<Kept>,
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
        Ok(Self {
            kept: Arc::new(Kept::new(root, cache)),
        })
    }

    /// Returns the absolute path of the root.
    pub fn root(&self) -> &Path {
        self.kept.root.path()
    }

    /// Lists the files as they are now. Contents are read when a question needs them.
    ///
    /// Nothing is watched: the time of every file is looked at, and a file whose size or time has
    /// changed is read again.
    ///
    /// # Errors
    ///
    /// [`CodeError::Root`] when the root can no longer be read.
    pub fn refresh(&self, is_cancelled: &AtomicBool) -> Result<Snapshot, CodeError> {
        let tree = CodeTree::list(Arc::clone(&self.kept.root), is_cancelled)?;
        Ok(Snapshot::new(Arc::clone(&self.kept), tree))
    }

    /// Returns whether facts are kept in a file.
    pub fn has_cache_file(&self) -> bool {
        self.kept.facts.store.is_file()
    }
}
