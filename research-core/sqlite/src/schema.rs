//! The tables and their versions, and the check that a file belongs to a store.

use research_core::checkpoint::{StoreError, StoreErrorKind};
use rusqlite::Connection;

use crate::error::Failure;

/// Marks a file as that of a store (`PRAGMA application_id`): the letters `RSCH`.
pub(crate) const APPLICATION_ID: i32 = 0x5253_4348;

/// The migrations: each leads to the next version (`PRAGMA user_version`).
///
/// A history is a thread and namespace. The key of a checkpoint, and of its records, is the key of
/// the history times 2³² plus the number of the checkpoint, so that the rows of a history are
/// contiguous and in order. Records are short-lived and mostly small, hence without a row id;
/// bodies are neither. Checksums are those of [`sum`](crate::row::sum). A thread has at most one
/// lease, the newest; numbers of leases are not used again.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE history (
        key INTEGER PRIMARY KEY AUTOINCREMENT,
        thread TEXT NOT NULL,
        namespace TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        UNIQUE (thread, namespace)
    );
    CREATE TABLE run (
        key INTEGER PRIMARY KEY,
        history INTEGER NOT NULL,
        name TEXT NOT NULL,
        UNIQUE (history, name)
    );
    CREATE TABLE checkpoint (
        key INTEGER PRIMARY KEY,
        parent_below INTEGER,
        base_below INTEGER NOT NULL,
        run INTEGER NOT NULL,
        made_ms INTEGER NOT NULL,
        step INTEGER NOT NULL,
        origin INTEGER NOT NULL,
        metadata TEXT,
        next BLOB NOT NULL,
        next_sum INTEGER NOT NULL,
        body_sum INTEGER NOT NULL,
        body BLOB NOT NULL
    );
    CREATE TABLE record (
        key INTEGER NOT NULL,
        task INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        name TEXT NOT NULL,
        data_sum INTEGER NOT NULL,
        data BLOB NOT NULL,
        PRIMARY KEY (key, task, kind, name)
    ) WITHOUT ROWID;
    CREATE TABLE cached (
        namespace TEXT NOT NULL,
        key BLOB NOT NULL,
        expires_ms INTEGER,
        value_sum INTEGER NOT NULL,
        value BLOB NOT NULL,
        UNIQUE (namespace, key)
    );
    CREATE INDEX cached_expiry ON cached (expires_ms) WHERE expires_ms IS NOT NULL;
",
    "
    CREATE TABLE lease (
        token INTEGER PRIMARY KEY AUTOINCREMENT,
        thread TEXT NOT NULL UNIQUE,
        run TEXT NOT NULL,
        since_ms INTEGER NOT NULL,
        until_ms INTEGER NOT NULL
    );
",
];

/// The state of a file before anything is written to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum File {
    Empty { pages: i64 },
    Ours { version: usize },
}

/// Reads the state of a file.
///
/// # Errors
///
/// When the file belongs to another program, or has a newer version.
pub(crate) fn recognise(db: &Connection) -> Result<File, Failure> {
    let (application, version, tables, pages): (i32, i64, i64, i64) = db.query_row(
        "SELECT (SELECT application_id FROM pragma_application_id),
                (SELECT user_version FROM pragma_user_version),
                (SELECT count(*) FROM sqlite_schema),
                (SELECT page_count FROM pragma_page_count)",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    match (application, version, tables) {
        (0, 0, 0) => Ok(File::Empty { pages }),
        (APPLICATION_ID, _, _) => match usize::try_from(version) {
            Ok(version) if version <= MIGRATIONS.len() => Ok(File::Ours { version }),
            _ => Err(newer(version).into()),
        },
        _ => Err(foreign().into()),
    }
}

/// Migrates the file to the newest version, in one transaction.
pub(crate) fn migrate(db: &Connection) -> Result<(), Failure> {
    if recognise(db)?
        == (File::Ours {
            version: MIGRATIONS.len(),
        })
    {
        return Ok(());
    }

    db.execute_batch("BEGIN IMMEDIATE")?;
    let done = migrate_in_transaction(db);
    db.execute_batch(if done.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    done
}

fn migrate_in_transaction(db: &Connection) -> Result<(), Failure> {
    // Another process may have migrated the file.
    let done = match recognise(db)? {
        File::Empty { .. } => 0,
        File::Ours { version } => version,
    };
    for migration in &MIGRATIONS[done..] {
        db.execute_batch(migration)?;
    }
    db.pragma_update(None, "application_id", APPLICATION_ID)?;
    db.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    Ok(())
}

#[cold]
fn newer(version: i64) -> StoreError {
    StoreError::new(
        StoreErrorKind::NewerSchema,
        format!(
            "the database has version {version} and this library knows up to {}; update the \
             library that opens it",
            MIGRATIONS.len()
        ),
    )
}

#[cold]
fn foreign() -> StoreError {
    StoreError::new(
        StoreErrorKind::Corrupt,
        "the file is an SQLite database of something else; it was not changed: give the store a \
         file of its own",
    )
}
