//! Opens a store with settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use research_core::checkpoint::{StoreError, StoreErrorKind};

use crate::connection::{Settings, Synchronous};
use crate::store::SqliteCheckpointer;

/// Settings of a store that is to be opened. [`SqliteCheckpointer::builder`] creates it.
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
            // A quarter of SQLite's default: it halves the size of file and log together, at the
            // same speed.
            wal_autocheckpoint: 256,
            max_bytes: None,
        }
    }

    /// Sets when a write is complete. Defaults to [`Synchronous::Full`].
    #[must_use]
    pub const fn synchronous(mut self, synchronous: Synchronous) -> Self {
        self.synchronous = synchronous;
        self
    }

    /// Sets the maximum time to wait while another process writes. Defaults to 5 seconds.
    #[must_use]
    pub const fn busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// Sets the number of pages of 4,096 bytes in the log after which it is merged into the file; 0
    /// means never. Defaults to 256.
    #[must_use]
    pub const fn wal_autocheckpoint(mut self, pages: u32) -> Self {
        self.wal_autocheckpoint = pages;
        self
    }

    /// Sets the maximum size of the file, without its log. A write beyond it fails as `Full` and
    /// leaves nothing. Defaults to no limit.
    #[must_use]
    pub const fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = Some(bytes);
        self
    }

    /// Opens the file, which is created if it does not exist.
    ///
    /// # Errors
    ///
    /// * `NotFound`: the directory does not exist.
    /// * `ReadOnly`: the file or its directory cannot be written.
    /// * `Corrupt`: the file is damaged, is not an SQLite database, or belongs to another program.
    ///   It is not changed.
    /// * `NewerSchema`: a newer version of this library wrote it.
    /// * `Unavailable`: another process kept the file locked for longer than the busy timeout.
    pub async fn open(self, path: impl AsRef<Path>) -> Result<SqliteCheckpointer, StoreError> {
        let path = path.as_ref();
        if path.as_os_str().is_empty() || path.as_os_str() == ":memory:" {
            return Err(StoreError::new(
                StoreErrorKind::Other,
                "an SQLite store needs a file; use `MemoryCheckpointer` for one in memory",
            ));
        }

        // Other threads open the file again, when the working directory may have changed.
        let path = std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path));
        let Self {
            synchronous,
            busy_timeout,
            wal_autocheckpoint,
            max_bytes,
        } = self;
        SqliteCheckpointer::start(Settings {
            path,
            synchronous,
            busy_timeout,
            wal_autocheckpoint,
            max_bytes,
        })
        .await
    }

    /// Opens the file of a URL: `sqlite:PATH` or `sqlite://PATH`, without percent-encoding.
    ///
    /// # Errors
    ///
    /// When the URL has another form, and as for [`open`](Builder::open).
    pub async fn from_url(self, url: &str) -> Result<SqliteCheckpointer, StoreError> {
        let path = url
            .strip_prefix("sqlite:")
            .map(|path| path.strip_prefix("//").unwrap_or(path));
        match path {
            Some(path) if !path.contains('?') => self.open(path).await,
            _ => Err(StoreError::new(
                StoreErrorKind::Other,
                format!(
                    "`{url}` is no URL of an SQLite file; write `sqlite:PATH`, and set options on \
                     the builder"
                ),
            )),
        }
    }
}

impl SqliteCheckpointer {
    /// Opens a file with the default settings. It is created if it does not exist.
    ///
    /// # Errors
    ///
    /// As for [`Builder::open`].
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::builder().open(path).await
    }

    /// Opens the file of a URL such as `sqlite:threads.db` with the default settings.
    ///
    /// # Errors
    ///
    /// As for [`Builder::from_url`].
    pub async fn from_url(url: &str) -> Result<Self, StoreError> {
        Self::builder().from_url(url).await
    }

    /// Creates a builder with the default settings.
    #[must_use]
    pub const fn builder() -> Builder {
        Builder::new()
    }
}
