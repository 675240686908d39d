//! The cache in the file: its promises, that it outlives the process, and that damage is noticed.

use std::time::{Duration, SystemTime};

use research_core::testing::caches;
use research_core::{Cache, StoreErrorKind};
use research_core_sqlite::{SqliteCache, SqliteCheckpointer};
use rusqlite::Connection;

const START: SystemTime = SystemTime::UNIX_EPOCH;

#[tokio::test]
async fn the_cache_keeps_every_promise() {
    let directory = tempfile::tempdir().unwrap();
    let number = std::sync::atomic::AtomicU32::new(0);
    caches::run_all(async || {
        let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        SqliteCache::open(directory.path().join(format!("{number}.db")))
            .await
            .unwrap()
    })
    .await;
}

#[tokio::test]
async fn entries_are_there_when_the_file_is_opened_again_beside_threads_or_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("both.db");
    let cache = SqliteCache::new(SqliteCheckpointer::open(&path).await.unwrap());
    cache
        .put("n", b"k", b"value".to_vec(), START, None)
        .await
        .unwrap();
    drop(cache);
    let cache = SqliteCache::open(&path).await.unwrap();
    assert_eq!(
        cache.get("n", b"k", START).await.unwrap().as_deref(),
        Some(b"value".as_slice())
    );
}

#[tokio::test]
async fn what_has_expired_is_removed_when_something_is_added() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cache.db");
    let cache = SqliteCache::open(&path).await.unwrap();
    let ttl = Duration::from_secs(5);
    for key in 0..10_u8 {
        cache
            .put("n", &[key], vec![key], START, Some(ttl))
            .await
            .unwrap();
    }
    cache.put("n", b"kept", vec![1], START, None).await.unwrap();
    cache
        .put("n", b"new", vec![2], START + ttl, Some(ttl))
        .await
        .unwrap();
    let count = || -> u32 {
        Connection::open(&path)
            .unwrap()
            .query_row("SELECT count(*) FROM cached", [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(count(), 2);
}

#[tokio::test]
async fn a_damaged_entry_is_an_error_and_can_be_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cache.db");
    let cache = SqliteCache::open(&path).await.unwrap();
    cache
        .put("n", b"k", b"value".to_vec(), START, None)
        .await
        .unwrap();
    Connection::open(&path)
        .unwrap()
        .execute("UPDATE cached SET value = x'00'", [])
        .unwrap();
    assert_eq!(
        cache.get("n", b"k", START).await.unwrap_err().kind(),
        StoreErrorKind::Corrupt
    );
    cache
        .put("n", b"k", b"again".to_vec(), START, None)
        .await
        .unwrap();
    assert_eq!(
        cache.get("n", b"k", START).await.unwrap().as_deref(),
        Some(b"again".as_slice())
    );
}
