//! What can go wrong in a store.

use std::error::Error;
use std::fmt;

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// Another writer took the thread over, or wrote the checkpoint first. Nothing was written; read the thread again.
    Conflict,
    /// What is stored cannot be read: it is damaged, or something else than a store of this kind.
    Corrupt,
    /// The store was written by a newer version of this library.
    NewerSchema,
    /// There is no room left.
    Full,
    /// The store cannot be written.
    ReadOnly,
    /// What the call names does not exist.
    NotFound,
    /// What the call would make exists already.
    AlreadyExists,
    /// The store was closed, or cannot be reached.
    Unavailable,
    /// The store does not offer what the call asks for.
    Unsupported,
    /// Anything else.
    Other,
}

/// A failure of a store: what kind, what was wrong, and the cause.
#[derive(Debug)]
pub struct StoreError {
    kind: StoreErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl StoreError {
    /// An error with a message that says what to do about it.
    #[cold]
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same error with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of failure it was.
    #[must_use]
    pub const fn kind(&self) -> StoreErrorKind {
        self.kind
    }

    /// Whether another writer was faster.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        self.kind == StoreErrorKind::Conflict
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|source| &**source as &(dyn Error + 'static))
    }
}
