//! A view of a code base: the files of one scope, listed when they are first needed.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use research_agents_code::CodeError;
use research_agents_code::base::{CodeBase, Snapshot};
use research_agents_code::facts::{FileFacts, LineIndex};
use research_agents_code::tree::{FileBytes, RelPath, Scope};

use crate::run::{EvidenceDraft, Provenance};
use crate::space::span::{MAX_SPAN_LINES, lines_of};

/// Number of bytes that tell text from binary data.
const HEAD: usize = 8_192;

/// Why files cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// The library refuses the path, or cannot read the file.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The path is outside of the scope of the run.
    #[error("`{path}` is outside of the scope `{scope}`")]
    OutOfScope {
        /// The path.
        path: String,
        /// The scope.
        scope: String,
    },
    /// The file is binary.
    #[error("`{path}` is a binary file")]
    Binary {
        /// The path.
        path: String,
    },
    /// The lines do not exist.
    #[error("`{path}` has {lines} lines; line {start} to {end} cannot be opened")]
    Lines {
        /// The path.
        path: String,
        /// First requested line.
        start: usize,
        /// Last requested line.
        end: usize,
        /// Number of lines.
        lines: usize,
    },
    /// More lines were requested than one action opens.
    #[error("{requested} lines were requested; at most {MAX_SPAN_LINES} are opened in one step")]
    TooManyLines {
        /// Number of requested lines.
        requested: usize,
    },
    /// The code base is absent, as in a replay.
    #[error("there is no code base here: a replay reads no file")]
    Absent,
}

/// A code base within a scope. Clones share the listing.
#[derive(Clone)]
pub struct View {
    base: Option<Arc<CodeBase>>,
    scope: Arc<Scope>,
    files: Arc<Mutex<Option<Arc<Snapshot>>>>,
    is_cancelled: Arc<AtomicBool>,
}

impl View {
    /// Creates a view of a code base. Nothing is listed yet.
    pub fn new(base: Arc<CodeBase>, scope: Scope) -> Self {
        Self {
            base: Some(base),
            scope: Arc::new(scope),
            files: Arc::default(),
            is_cancelled: Arc::default(),
        }
    }

    /// Creates the view of a replay: every access fails.
    pub fn absent() -> Self {
        Self {
            base: None,
            scope: Arc::default(),
            files: Arc::default(),
            is_cancelled: Arc::default(),
        }
    }

    /// Returns the scope.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Returns the code base.
    ///
    /// # Errors
    ///
    /// [`SpaceError::Absent`] in a replay.
    pub fn base(&self) -> Result<&Arc<CodeBase>, SpaceError> {
        self.base.as_ref().ok_or(SpaceError::Absent)
    }

    /// Returns the flag that ends work on other threads when it is set.
    pub fn cancel_flag(&self) -> &AtomicBool {
        &self.is_cancelled
    }

    /// Ends work on other threads.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns the files of the code base, which are looked at when they are first needed.
    ///
    /// # Errors
    ///
    /// As [`CodeBase::refresh`], and [`SpaceError::Absent`] in a replay.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>, SpaceError> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(files) = &*files {
            return Ok(Arc::clone(files));
        }
        let fresh = Arc::new(self.base()?.refresh(&self.is_cancelled)?);
        *files = Some(Arc::clone(&fresh));
        Ok(fresh)
    }

    /// Returns the paths of the scope, sorted.
    ///
    /// # Errors
    ///
    /// As [`snapshot`](Self::snapshot).
    pub fn paths(&self) -> Result<Vec<RelPath>, SpaceError> {
        let files = self.snapshot()?;
        let paths = files.tree().files().iter().map(|file| &file.path);
        Ok(paths
            .filter(|path| self.scope.admits(path))
            .cloned()
            .collect())
    }

    /// Checks a path that a model has named.
    ///
    /// # Errors
    ///
    /// When the path is not valid, leaves the root, or is outside of the scope.
    pub fn path(&self, text: &str) -> Result<RelPath, SpaceError> {
        let path = RelPath::parse(text)?;
        if !self.scope.admits(&path) {
            return Err(SpaceError::OutOfScope {
                path: path.to_string(),
                scope: self.scope.as_str().to_owned(),
            });
        }
        Ok(path)
    }

    /// Reads a file of the scope as it is now.
    ///
    /// # Errors
    ///
    /// When it is outside of the scope, not listed, binary, or cannot be read.
    pub fn read(&self, path: &RelPath) -> Result<FileBytes, SpaceError> {
        let path = self.path(path.as_str())?;
        let file = self.snapshot()?.read(&path)?;
        let head = file.bytes.get(..HEAD).unwrap_or(&file.bytes);
        if head.contains(&0) {
            return Err(SpaceError::Binary {
                path: path.to_string(),
            });
        }
        Ok(file)
    }

    /// Opens lines of a file. A last line after the end of the file is the last one.
    ///
    /// # Errors
    ///
    /// When the file cannot be [read](Self::read), the first line does not exist, or more than
    /// [`MAX_SPAN_LINES`] lines are requested.
    pub fn open(
        &self,
        path: &RelPath,
        (start, end): (usize, usize),
        reason: &str,
        provenance: Provenance,
    ) -> Result<EvidenceDraft, SpaceError> {
        let requested = (end + 1).saturating_sub(start);
        if requested > MAX_SPAN_LINES {
            return Err(SpaceError::TooManyLines { requested });
        }

        self.lines(path, (start, end), reason, provenance)
    }

    /// Reads lines of a file, however many.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), without its limit.
    pub fn lines(
        &self,
        path: &RelPath,
        (start, end): (usize, usize),
        reason: &str,
        provenance: Provenance,
    ) -> Result<EvidenceDraft, SpaceError> {
        let file = self.read(path)?;
        lines_of(path, &file.bytes, (start, end), reason, provenance).ok_or_else(|| {
            SpaceError::Lines {
                path: path.to_string(),
                start,
                end,
                lines: LineIndex::new(&file.bytes).count(),
            }
        })
    }

    /// Returns the facts of a file with its content; no facts for a file in no known language.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn facts(&self, path: &RelPath) -> Result<(FileBytes, Option<Arc<FileFacts>>), SpaceError> {
        let file = self.read(path)?;
        let facts = self.snapshot()?.facts(path, &self.is_cancelled)?;
        Ok((file, facts))
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("scope", &self.scope.as_str())
            .field("is_absent", &self.base.is_none())
            .finish_non_exhaustive()
    }
}
