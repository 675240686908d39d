//! The cache of node results in the file.

use std::path::Path;
use std::time::{Duration, SystemTime};

use research_core::Cache;
use research_core::checkpoint::StoreError;
use rusqlite::{Connection, OptionalExtension, params};

use crate::connection::Synchronous;
use crate::error::{Failure, damaged_row};
use crate::row::{blob, milliseconds, sum};
use crate::store::SqliteCheckpointer;

/// Stores the results of cached nodes in an SQLite file, so that they outlive the process. A clone
/// is another handle on the file.
///
/// Expired entries are removed when an entry is added. Times have a precision of a millisecond.
///
/// ```
/// use research_core::{CachePolicy, Cx, END, Graph, State};
/// use research_core_sqlite::SqliteCache;
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Square {
///     n: u64,
///     square: u64,
/// }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("cache.db");
/// let mut g = Graph::<Square>::new("square");
/// let square = g.node("square", |cx| async move {
///     Ok(Square::update().square(cx.state.n * cx.state.n))
/// });
/// g.entry(square).edge(square, END).cache(square, CachePolicy::by(|s: &Square| s.n));
/// let graph = g.compile()?.with_cache(SqliteCache::open(path).await?);
///
/// assert_eq!(graph.run(Square::update().n(12)).await?.state.square, 144);
/// # Ok(()) }
/// # futures::executor::block_on(run()).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct SqliteCache {
    store: SqliteCheckpointer,
}

impl SqliteCache {
    /// Opens a file for the cache. It is created if it does not exist. A loss of power may lose the
    /// newest entries.
    ///
    /// # Errors
    ///
    /// As for [`Builder::open`](crate::Builder::open).
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let store = SqliteCheckpointer::builder()
            .synchronous(Synchronous::Normal)
            .open(path)
            .await?;
        Ok(Self::new(store))
    }

    /// Creates a cache in the file of a store, next to its threads.
    #[must_use]
    pub const fn new(store: SqliteCheckpointer) -> Self {
        Self { store }
    }
}

impl Cache for SqliteCache {
    async fn get(
        &self,
        namespace: &str,
        key: &[u8],
        now: SystemTime,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let (namespace, key) = (namespace.to_owned(), key.to_owned());
        self.store
            .read_with(move |db| get(db, &namespace, &key, now))
            .await
    }

    async fn put(
        &self,
        namespace: &str,
        key: &[u8],
        value: Vec<u8>,
        now: SystemTime,
        ttl: Option<Duration>,
    ) -> Result<(), StoreError> {
        let (namespace, key) = (namespace.to_owned(), key.to_owned());
        self.store
            .write(move |db| put(db, &namespace, &key, &value, now, ttl))
            .await
    }

    async fn clear(&self, namespace: &str) -> Result<(), StoreError> {
        let namespace = namespace.to_owned();
        self.store
            .write(move |db| {
                db.prepare_cached("DELETE FROM cached WHERE namespace = ?1")?
                    .execute([&namespace])?;
                Ok(())
            })
            .await
    }
}

/// Returns an entry that has not expired.
fn get(
    db: &Connection,
    namespace: &str,
    key: &[u8],
    now: SystemTime,
) -> Result<Option<Vec<u8>>, Failure> {
    let mut find = db.prepare_cached(
        "SELECT value, value_sum FROM cached
         WHERE namespace = ?1 AND key = ?2 AND (expires_ms IS NULL OR expires_ms > ?3)",
    )?;
    let found = find
        .query_row(params![namespace, key, milliseconds(now)], |row| {
            Ok(blob(row, 0, 1))
        })
        .optional()?;

    match found.transpose()? {
        Some(None) => Err(damaged_row("a cached result").into()),
        found => Ok(found.flatten()),
    }
}

/// Adds or replaces an entry, and removes the expired ones.
fn put(
    db: &Connection,
    namespace: &str,
    key: &[u8],
    value: &[u8],
    now: SystemTime,
    ttl: Option<Duration>,
) -> Result<(), Failure> {
    db.prepare_cached("DELETE FROM cached WHERE expires_ms <= ?1")?
        .execute([milliseconds(now)])?;

    // A time to live beyond the range of times means forever.
    let expires = ttl.and_then(|ttl| now.checked_add(ttl)).map(milliseconds);
    db.prepare_cached(
        "INSERT OR REPLACE INTO cached (namespace, key, expires_ms, value_sum, value)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![namespace, key, expires, sum(value), value])?;
    Ok(())
}
