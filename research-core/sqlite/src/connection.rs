//! Opens connections to the file, and checks that it is still in its place.

use std::path::{Path, PathBuf};
use std::time::Duration;

use research_core::checkpoint::{StoreError, StoreErrorKind};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::Failure;
use crate::schema::{self, File};

/// When a write is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Synchronous {
    /// When it is on the disk: it survives a loss of power, as the durability `sync` promises.
    #[default]
    Full,
    /// When the operating system has it: it survives the end of the process. A loss of power can
    /// lose the newest writes, but never the consistency of the file. Many times faster for a
    /// single writer.
    Normal,
}

/// The settings with which a file is opened.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) path: PathBuf,
    pub(crate) synchronous: Synchronous,
    pub(crate) busy_timeout: Duration,
    pub(crate) wal_autocheckpoint: u32,
    pub(crate) max_bytes: Option<u64>,
}

/// Maximum number of prepared statements that a connection keeps.
const STATEMENTS: usize = 64;

/// Size in bytes to which the log is truncated once its content is in the file.
const LOG_BYTES: u32 = 4 << 20;

impl Settings {
    /// Opens the connection that writes. Creates the file and its tables if they are missing.
    pub(crate) fn open_writer(&self) -> Result<Connection, StoreError> {
        self.try_open_writer()
            .map_err(|failure| self.explain(failure))
    }

    fn try_open_writer(&self) -> Result<Connection, Failure> {
        let db = self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        let file = schema::recognise(&db)?;

        // SQLite takes a file that is too short for a database as empty, and would overwrite it.
        // This is checked after the first read, which rolls back what a process wrote that was
        // killed while it created the file.
        let has_content = std::fs::metadata(&self.path).is_ok_and(|file| file.len() > 0);
        if has_content && file == (File::Empty { pages: 0 }) {
            return Err(StoreError::new(
                StoreErrorKind::Corrupt,
                "the file is no SQLite database, or what is left of one; it was not changed: \
                 restore it from a backup",
            )
            .into());
        }
        if db.is_readonly("main")? {
            return Err(read_only().into());
        }

        self.use_log(&db)?;
        db.pragma_update(
            None,
            "synchronous",
            match self.synchronous {
                Synchronous::Full => "FULL",
                Synchronous::Normal => "NORMAL",
            },
        )?;
        db.pragma_update(None, "wal_autocheckpoint", self.wal_autocheckpoint)?;
        db.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
        if let Some(bytes) = self.max_bytes {
            let page: u32 = db.pragma_query_value(None, "page_size", |row| row.get(0))?;
            let pages = (bytes / u64::from(page.max(1))).max(1);
            db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
        }

        schema::migrate(&db)?;
        Ok(db)
    }

    /// Opens a connection that reads.
    pub(crate) fn open_reader(&self) -> Result<Connection, StoreError> {
        let open = || {
            let db = self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            db.pragma_update(None, "query_only", true)?;
            Ok(db)
        };
        open().map_err(|failure| self.explain(failure))
    }

    fn connect(&self, flags: OpenFlags) -> Result<Connection, Failure> {
        // Each connection stays on one thread, so SQLite does not need to lock it.
        let db = Connection::open_with_flags(&self.path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        // SQLite counts milliseconds in an i32.
        db.busy_timeout(
            self.busy_timeout
                .min(Duration::from_millis(i32::MAX as u64)),
        )?;
        db.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(db)
    }

    /// Switches the file to the write-ahead log.
    fn use_log(&self, db: &Connection) -> Result<(), Failure> {
        let started = std::time::Instant::now();
        let mut is_last = false;
        let mode = loop {
            let mode = db.pragma_update_and_check(None, "journal_mode", "WAL", |row| {
                row.get::<_, String>(0)
            });
            match mode {
                // SQLite does not wait while another process makes the same switch.
                Err(error)
                    if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && !is_last =>
                {
                    // One more attempt after the timeout: this process may have been suspended, so
                    // that it did not really wait.
                    is_last = started.elapsed() >= self.busy_timeout;
                    std::thread::sleep(Duration::from_millis(2));
                }
                mode => break mode?,
            }
        };

        if mode.eq_ignore_ascii_case("wal") {
            return Ok(());
        }
        Err(StoreError::new(
            StoreErrorKind::Other,
            format!(
                "the database cannot use a write-ahead log (its journal is `{mode}`); put it on a \
                 local disk"
            ),
        )
        .into())
    }

    /// Adds the reason to a failure to open the file.
    fn explain(&self, failure: Failure) -> StoreError {
        let error = match failure {
            Failure::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::CannotOpen) => {
                error
            }
            failure => return failure.into(),
        };

        let path = self.path.display();
        let directory = self.path.parent().unwrap_or(Path::new(""));
        let (kind, message) = if !directory.is_dir() {
            (
                StoreErrorKind::NotFound,
                format!("the directory of `{path}` does not exist; create it first"),
            )
        } else if self.path.is_dir() {
            (
                StoreErrorKind::Unavailable,
                format!("`{path}` is a directory; give the store a file"),
            )
        } else if self.path.exists() {
            (
                StoreErrorKind::Unavailable,
                format!("`{path}` cannot be opened; allow reading and writing it"),
            )
        } else {
            (
                StoreErrorKind::ReadOnly,
                format!("`{path}` cannot be created; allow writing its directory"),
            )
        };
        StoreError::new(kind, message).with_source(error)
    }
}

/// Checks that the open file is still the one at its path. Otherwise everything that is written to
/// it would be lost.
pub(crate) fn check_in_place(db: &Connection) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        let mut moved = 0;
        db.file_control(Some("main"), rusqlite::FileControl::HasMoved(&mut moved))?;
        if moved != 0 {
            return Err(StoreError::new(
                StoreErrorKind::Unavailable,
                "the database file was deleted or moved while it was open; put it back and open \
                 the store again",
            )
            .into());
        }
    }
    // On other systems an open file cannot be deleted or renamed.
    #[cfg(not(unix))]
    let _ = db;
    Ok(())
}

#[cold]
fn read_only() -> StoreError {
    StoreError::new(
        StoreErrorKind::ReadOnly,
        "the database file cannot be written; allow writing it and its directory",
    )
}
