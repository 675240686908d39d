//! The tables of a store.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior, params};
use sha2::{Digest, Sha256};

use crate::facts::FileFacts;
use crate::search::Document;

/// Number that says that a database is one of these: the bytes of `rcod`.
const APPLICATION: i64 = 0x7263_6f64;

/// Version of the tables and of the facts in them. Another version is replaced.
const VERSION: i64 = 3;

/// Number of bytes of a checksum.
const CHECKSUM: usize = 8;

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_millis(500);

const TABLES: &str = "
    CREATE TABLE fact(key TEXT PRIMARY KEY, facts BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE stamp(
        path TEXT PRIMARY KEY, bytes INTEGER NOT NULL, modified INTEGER NOT NULL,
        hash TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE content(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
    CREATE TABLE document(
        id INTEGER PRIMARY KEY, content INTEGER NOT NULL, first INTEGER NOT NULL,
        last INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL
    );
    CREATE INDEX document_content ON document(content);
    CREATE VIRTUAL TABLE search USING fts5(
        name, body, content='', contentless_delete=1, tokenize='unicode61'
    );
";

const NO_TABLES: &str = "
    DROP TABLE IF EXISTS fact;
    DROP TABLE IF EXISTS stamp;
    DROP TABLE IF EXISTS content;
    DROP TABLE IF EXISTS document;
    DROP TABLE IF EXISTS search;
    PRAGMA user_version = 0;
";

/// The hash of a file with its size and time.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) modified: SystemTime,
    pub(crate) hash: String,
}

/// A document with its words: those of its name, and those of its body.
pub(crate) type Worded = (Document, String, String);

/// A document that ranked search finds.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    pub(crate) key: String,
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) name: String,
    pub(crate) kind: String,
    /// Relevance; more is better.
    pub(crate) score: f64,
}

/// A database with the tables of a store.
#[derive(Debug)]
pub(crate) struct Database {
    connection: Connection,
}

impl Database {
    pub(crate) fn in_memory() -> rusqlite::Result<Self> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(TABLES)?;
        Ok(Self { connection })
    }

    /// Opens or creates a file. `None` if it belongs to another program.
    pub(crate) fn open(path: &Path) -> rusqlite::Result<Option<Self>> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        let number = |connection: &Connection, name: &str| -> rusqlite::Result<i64> {
            connection.pragma_query_value(None, name, |row| row.get(0))
        };
        let count = |connection: &Connection| -> rusqlite::Result<i64> {
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))
        };
        if count(&connection)? > 0 && number(&connection, "application_id")? != APPLICATION {
            return Ok(None);
        }

        connection.pragma_update(None, "journal_mode", "WAL")?;
        // What a crash may lose is computed again.
        connection.pragma_update(None, "synchronous", "OFF")?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if number(&transaction, "user_version")? != VERSION {
            transaction.execute_batch(NO_TABLES)?;
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        transaction.commit()?;
        Ok(Some(Self { connection }))
    }

    /// Returns the facts under a key. Facts whose checksum is wrong are not returned.
    pub(crate) fn facts(&self, key: &str) -> rusqlite::Result<Option<FileFacts>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT facts FROM fact WHERE key = ?1")?;
        let blob: Option<Vec<u8>> = statement.query_row([key], |row| row.get(0)).optional()?;
        Ok(blob.and_then(|blob| decode(&blob)))
    }

    /// Stores facts in one transaction.
    pub(crate) fn put_facts(&mut self, all: &[(String, Vec<u8>)]) -> rusqlite::Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut statement = transaction
            .prepare_cached("INSERT OR REPLACE INTO fact(key, facts) VALUES (?1, ?2)")?;
        for (key, blob) in all {
            statement.execute(params![key, blob])?;
        }
        drop(statement);
        transaction.commit()
    }

    pub(crate) fn stamps(&self) -> rusqlite::Result<Vec<Stored>> {
        let mut statement = self
            .connection
            .prepare("SELECT path, bytes, modified, hash FROM stamp")?;
        let rows = statement.query_map([], |row| {
            let bytes: i64 = row.get(1)?;
            let modified: i64 = row.get(2)?;
            let since = Duration::from_nanos(u64::try_from(modified).unwrap_or_default());
            Ok(Stored {
                path: row.get(0)?,
                bytes: u64::try_from(bytes).unwrap_or_default(),
                modified: UNIX_EPOCH + since,
                hash: row.get(3)?,
            })
        })?;
        rows.collect()
    }

    pub(crate) fn put_stamps(&mut self, all: &[Stored]) -> rusqlite::Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut statement = transaction.prepare_cached(
            "INSERT OR REPLACE INTO stamp(path, bytes, modified, hash) VALUES (?1, ?2, ?3, ?4)",
        )?;
        for stored in all {
            let since = stored
                .modified
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            let modified = i64::try_from(since.as_nanos()).unwrap_or_default();
            let bytes = i64::try_from(stored.bytes).unwrap_or_default();
            statement.execute(params![stored.path, bytes, modified, stored.hash])?;
        }
        drop(statement);
        transaction.commit()
    }

    /// Returns the keys of the contents that ranked search knows.
    pub(crate) fn searched(&self) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare("SELECT key FROM content")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        rows.collect()
    }

    /// Adds contents to ranked search, in one transaction.
    pub(crate) fn add(&mut self, all: &[(String, Vec<Worded>)]) -> rusqlite::Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut content =
            transaction.prepare_cached("INSERT OR IGNORE INTO content(key) VALUES (?1)")?;
        let mut document = transaction.prepare_cached(
            "INSERT INTO document(content, first, last, name, kind) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        let mut search = transaction
            .prepare_cached("INSERT INTO search(rowid, name, body) VALUES (?1, ?2, ?3)")?;

        for (key, documents) in all {
            // Another process may have added it.
            if content.execute([key])? == 0 {
                continue;
            }
            let id = transaction.last_insert_rowid();
            for (found, name, body) in documents {
                let first = i64::try_from(found.first).unwrap_or_default();
                let last = i64::try_from(found.last).unwrap_or_default();
                document.execute(params![id, first, last, found.name, found.kind])?;
                search.execute(params![transaction.last_insert_rowid(), name, body])?;
            }
        }
        drop((content, document, search));
        transaction.commit()
    }

    /// Removes contents from ranked search and from the facts.
    pub(crate) fn remove(&mut self, keys: &[String]) -> rusqlite::Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;

        for key in keys {
            let id: Option<i64> = transaction
                .query_row("SELECT id FROM content WHERE key = ?1", [key], |row| {
                    row.get(0)
                })
                .optional()?;
            if let Some(id) = id {
                transaction.execute(
                    "DELETE FROM search
                     WHERE rowid IN (SELECT id FROM document WHERE content = ?1)",
                    [id],
                )?;
                transaction.execute("DELETE FROM document WHERE content = ?1", [id])?;
                transaction.execute("DELETE FROM content WHERE id = ?1", [id])?;
            }
            // The key of facts begins with the same hash.
            let hash = key.split('-').next().unwrap_or_default();
            transaction.execute(
                "DELETE FROM fact WHERE key >= ?1 AND key < ?2",
                params![format!("{hash}-"), format!("{hash}.")],
            )?;
        }
        transaction.commit()
    }

    /// Returns the documents with any of the words, the best first. A word in the name counts three
    /// times as much as one in the body.
    pub(crate) fn search(&self, words: &[String], most: usize) -> rusqlite::Result<Vec<Match>> {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let mut statement = self.connection.prepare_cached(
            "SELECT c.key, d.first, d.last, d.name, d.kind, s.score
             FROM (SELECT rowid, bm25(search, 3.0, 1.0) AS score FROM search
                   WHERE search MATCH ?1 ORDER BY score LIMIT ?2) AS s
             JOIN document AS d ON d.id = s.rowid JOIN content AS c ON c.id = d.content
             ORDER BY s.score",
        )?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);

        let rows = statement.query_map(params![quoted.join(" OR "), most], |row| {
            let number = |at| {
                row.get::<_, i64>(at)
                    .map(|n| usize::try_from(n).unwrap_or_default())
            };
            let score: f64 = row.get(5)?;
            Ok(Match {
                key: row.get(0)?,
                first: number(1)?,
                last: number(2)?,
                name: row.get(3)?,
                kind: row.get(4)?,
                score: -score,
            })
        })?;
        rows.collect()
    }
}

/// Encodes facts with a checksum before them. `None` if they cannot be encoded.
pub(crate) fn encode(facts: &FileFacts) -> Option<Vec<u8>> {
    let body = rmp_serde::to_vec(facts).ok()?;
    let digest = Sha256::digest(&body);
    let mut blob = digest.get(..CHECKSUM)?.to_vec();
    blob.extend_from_slice(&body);
    Some(blob)
}

fn decode(blob: &[u8]) -> Option<FileFacts> {
    let (checksum, body) = blob.split_at_checked(CHECKSUM)?;
    let digest = Sha256::digest(body);
    (digest.get(..CHECKSUM)? == checksum).then_some(())?;
    rmp_serde::from_slice(body).ok()
}
