//! How a store is opened.

use std::path::{Path, PathBuf};
use std::time::Duration;

use research_core::checkpoint::{StoreError, StoreErrorKind};

use crate::connection::{Settings, Synchronous};
use crate::store::SqliteCheckpointer;

/// What can be chosen about a store before it is opened; made by [`SqliteCheckpointer::builder`].
#[derive(Clone, Debug)]
pub struct Builder {
    synchronous: Synchronous,
    busy_timeout: Duration,
    wal_autocheckpoint: u32,
    max_bytes: Option<u64>,
}

impl Builder {
    pub(crate) const fn new() -> Self {
        Self {
            synchronous: Synchronous::Full,
            busy_timeout: Duration::from_secs(5),
            // A quarter of SQLite's own choice: it halves what file and log take together, for the same speed.
            wal_autocheckpoint: 256,
            max_bytes: None,
        }
    }

    /// When a write counts as done. Default [`Synchronous::Full`].
    #[must_use]
    pub const fn synchronous(mut self, synchronous: Synchronous) -> Self {
        self.synchronous = synchronous;
        self
    }

    /// How long to wait while another process writes. Default 5 seconds.
    #[must_use]
    pub const fn busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// After how many pages (of 4,096 bytes) the log is brought into the file; 0 for never. Default 256.
    #[must_use]
    pub const fn wal_autocheckpoint(mut self, pages: u32) -> Self {
        self.wal_autocheckpoint = pages;
        self
    }

    /// How large the file may become; a write beyond it is refused as full, and nothing of it is kept. Default no limit. The
    /// log beside the file comes on top.
    #[must_use]
    pub const fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Opens the file, which is made when it is not there.
    ///
    /// # Errors
    ///
    /// * `NotFound`: the directory does not exist.
    /// * `ReadOnly`: the file or its directory cannot be written.
    /// * `Corrupt`: the file is damaged, no SQLite database, or the database of something else. It is not changed.
    /// * `NewerSchema`: a newer version of this library wrote it.
    /// * `Unavailable`: another process kept it locked for longer than the busy timeout.
    pub async fn open(self, path: impl AsRef<Path>) -> Result<SqliteCheckpointer, StoreError> {
        let path = path.as_ref();
        if path.as_os_str().is_empty() || path.as_os_str() == ":memory:" {
            return Err(StoreError::new(
                StoreErrorKind::Other,
                "an SQLite store needs a file; use `MemoryCheckpointer` for one in memory",
            ));
        }
        // The file is opened again by other threads, and the working directory may have changed by then.
        let path = std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path));
        let Self { synchronous, busy_timeout, wal_autocheckpoint, max_bytes } = self;
        SqliteCheckpointer::start(Settings { path, synchronous, busy_timeout, wal_autocheckpoint, max_bytes }).await
    }

    /// Opens the file of a URL: `sqlite:PATH` or `sqlite://PATH`, with nothing encoded in it.
    ///
    /// # Errors
    ///
    /// When it is no such URL, or as [`open`](Builder::open).
    pub async fn from_url(self, url: &str) -> Result<SqliteCheckpointer, StoreError> {
        let path = url.strip_prefix("sqlite:").map(|path| path.strip_prefix("//").unwrap_or(path));
        match path {
            Some(path) if !path.contains('?') => self.open(path).await,
            _ => Err(StoreError::new(
                StoreErrorKind::Other,
                format!("`{url}` is no URL of an SQLite file; write `sqlite:PATH`, and set options on the builder"),
            )),
        }
    }
}
