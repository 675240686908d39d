//! Converts errors of SQLite into errors of a store.

use research_core::checkpoint::{StoreError, StoreErrorKind};
use rusqlite::ErrorCode;

/// Why an operation failed: for a reason of the store, or with an error of SQLite.
#[derive(Debug)]
pub(crate) enum Failure {
    Store(StoreError),
    Sqlite(rusqlite::Error),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Store(error) => error,
            Failure::Sqlite(error) => from_sqlite(error),
        }
    }
}

/// Returns the kind of an error of SQLite.
pub(crate) fn kind(error: &rusqlite::Error) -> StoreErrorKind {
    use rusqlite::Error::{
        FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType, QueryReturnedNoRows,
        SqlInputError, Utf8Error,
    };

    match error {
        // The statements are correct, so the tables must be wrong.
        SqlInputError { .. } | QueryReturnedNoRows => StoreErrorKind::Corrupt,
        FromSqlConversionFailure(..)
        | IntegralValueOutOfRange(..)
        | InvalidColumnType(..)
        | Utf8Error(..) => StoreErrorKind::Corrupt,
        _ => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreErrorKind::Corrupt,
            Some(ErrorCode::DiskFull) => StoreErrorKind::Full,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => StoreErrorKind::ReadOnly,
            Some(ErrorCode::ConstraintViolation) => StoreErrorKind::Conflict,
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::FileLockingProtocolFailed,
            ) => StoreErrorKind::Unavailable,
            _ => StoreErrorKind::Other,
        },
    }
}

#[cold]
fn from_sqlite(error: rusqlite::Error) -> StoreError {
    let busy = matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    );

    let message = match kind(&error) {
        StoreErrorKind::Corrupt => {
            "the database is damaged, or is no SQLite database; restore it from a backup"
        }
        StoreErrorKind::Full => {
            "there is no room left for the database; nothing was written: make room and try again"
        }
        StoreErrorKind::ReadOnly => {
            "the database cannot be written; allow writing the file and its directory"
        }
        StoreErrorKind::Conflict => {
            "another writer was faster; nothing was written: read the thread again"
        }
        StoreErrorKind::Unavailable if busy => {
            "the database stayed locked by another process for longer than the busy timeout; try \
             again, or open it with a longer one"
        }
        StoreErrorKind::Unavailable => "the database file cannot be read or written",
        _ => "the database refused the call",
    };

    StoreError::new(kind(&error), message).with_source(error)
}

/// Returns the error of a request to a thread that has ended.
#[cold]
pub(crate) fn closed() -> StoreError {
    StoreError::new(
        StoreErrorKind::Unavailable,
        "the thread that serves the database has ended; whether a write that was under way is kept \
         is not known: open the store again",
    )
}

/// Returns the error of a row that is damaged.
#[cold]
pub(crate) fn damaged_row(what: &str) -> StoreError {
    StoreError::new(
        StoreErrorKind::Corrupt,
        format!(
            "{what} in the database cannot be read; restore it from a backup, or go on from \
             another checkpoint"
        ),
    )
}
