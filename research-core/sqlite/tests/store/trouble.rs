//! Trouble while a store is open: no room, another process, a file that is gone.

use std::fs;
use std::time::Duration;

use futures::future::join_all;
use research_core::checkpoint::{Checkpointer, Query, StoreErrorKind, ThreadKey};
use research_core_sqlite::SqliteCheckpointer;
use rusqlite::Connection;

use crate::support::{batch, bytes, checkpoint, fill};

async fn assert_whole(store: &SqliteCheckpointer, thread: &str, count: u64, len: usize) {
    let key = ThreadKey::root(thread);
    let headers = store.list(&key, &Query::all()).await.unwrap();
    assert_eq!(headers.len() as u64, count);
    for header in headers {
        let loaded = store.read(&key, Some(header.id)).await.unwrap().unwrap();
        assert!(loaded.bodies == [bytes(header.id.0, len)]);
    }
}

#[tokio::test]
async fn when_there_is_no_room_a_write_is_refused_and_nothing_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let store = SqliteCheckpointer::builder()
        .max_bytes(400_000)
        .open(&path)
        .await
        .unwrap();
    let key = ThreadKey::root("t");
    let epoch = store.claim(&key, None).await.unwrap().epoch;
    let mut written = 0;
    let error = loop {
        let next = batch(checkpoint(
            written + 1,
            written + 1,
            "run-1",
            bytes(written + 1, 10_000),
        ));
        match store.put(&key, epoch, next).await {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), StoreErrorKind::Full, "{error:?}");
    assert!(error.to_string().contains("make room"), "{error}");
    assert!((20..=40).contains(&written), "{written}");
    assert_whole(&store, "t", written, 10_000).await;
    // What is small still fits; once there is room again, the same claim goes on.
    fill(&store, "small", 3, 10).await.unwrap();
    drop(store);
    let store = SqliteCheckpointer::builder()
        .max_bytes(500_000)
        .open(&path)
        .await
        .unwrap();
    let next = batch(checkpoint(
        written + 1,
        written + 1,
        "run-1",
        bytes(written + 1, 10_000),
    ));
    store.put(&key, epoch, next).await.unwrap();
    assert_whole(&store, "t", written + 1, 10_000).await;
    store.delete_thread("t").await.unwrap();
    fill(&store, "t2", 20, 10_000).await.unwrap();
}

#[tokio::test]
async fn a_write_that_finds_no_room_does_not_hurt_those_it_waits_with() {
    let directory = tempfile::tempdir().unwrap();
    let builder = SqliteCheckpointer::builder().max_bytes(1_000_000);
    let store = builder
        .open(directory.path().join("threads.db"))
        .await
        .unwrap();
    let keys: Vec<ThreadKey> = (0..30)
        .map(|number| ThreadKey::root(format!("t{number}")))
        .collect();
    let claims = join_all(keys.iter().map(|key| store.claim(key, None))).await;
    let writes = keys
        .iter()
        .zip(claims)
        .zip(0..)
        .map(|((key, claim), number)| {
            let len = if number % 3 == 0 { 2_000_000 } else { 2_000 };
            let write = batch(checkpoint(1, 1, "run-1", bytes(number, len)));
            let store = store.clone();
            async move { store.put(key, claim.unwrap().epoch, write).await }
        });
    for (number, outcome) in join_all(writes).await.into_iter().enumerate() {
        let kind = (number % 3 == 0).then_some(StoreErrorKind::Full);
        assert_eq!(
            outcome.err().map(|error| error.kind()),
            kind,
            "write {number}"
        );
        let loaded = store.read(&keys[number], None).await.unwrap();
        assert_eq!(loaded.is_some(), kind.is_none(), "write {number}");
    }
}

#[tokio::test]
async fn a_conflict_does_not_hurt_those_it_waits_with() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteCheckpointer::open(directory.path().join("threads.db"))
        .await
        .unwrap();
    let keys: Vec<ThreadKey> = (0..60)
        .map(|number| ThreadKey::root(format!("t{number}")))
        .collect();
    let claims = join_all(keys.iter().map(|key| store.claim(key, None))).await;
    let writes = keys
        .iter()
        .zip(claims)
        .enumerate()
        .map(|(number, (key, claim))| {
            let epoch = claim.unwrap().epoch + u64::from(number % 4 == 1);
            store.put(
                key,
                epoch,
                batch(checkpoint(1, 1, "run-1", bytes(number as u64, 100))),
            )
        });
    for (number, outcome) in join_all(writes).await.into_iter().enumerate() {
        assert_eq!(
            outcome.is_err_and(|error| error.is_conflict()),
            number % 4 == 1,
            "write {number}"
        );
        assert_eq!(
            store.read(&keys[number], None).await.unwrap().is_none(),
            number % 4 == 1,
            "write {number}"
        );
    }
}

#[tokio::test]
async fn while_another_process_writes_the_store_waits_and_then_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let builder = SqliteCheckpointer::builder().busy_timeout(Duration::from_millis(60));
    let store = builder.clone().open(&path).await.unwrap();
    let epoch = fill(&store, "t", 3, 100).await.unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let key = ThreadKey::root("t");
    let next = batch(checkpoint(4, 4, "run-1", bytes(4, 100)));
    for error in [
        store.put(&key, epoch, next.clone()).await.unwrap_err(),
        store.claim(&key, None).await.unwrap_err(),
        store.delete_thread("t").await.unwrap_err(),
        store.compact().await.unwrap_err(),
    ] {
        assert_eq!(error.kind(), StoreErrorKind::Unavailable, "{error:?}");
        assert!(error.to_string().contains("busy timeout"), "{error}");
    }
    assert_whole(&store, "t", 3, 100).await;
    let second = builder.open(&path).await.unwrap();
    assert_whole(&second, "t", 3, 100).await;
    other.execute_batch("COMMIT").unwrap();
    store.put(&key, epoch, next).await.unwrap();
    assert_whole(&second, "t", 4, 100).await;
}

#[tokio::test]
async fn a_second_store_on_the_file_fences_the_first() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let first = SqliteCheckpointer::open(&path).await.unwrap();
    let second = SqliteCheckpointer::open(&path).await.unwrap();
    let key = ThreadKey::root("t");
    let epoch = fill(&first, "t", 2, 100).await.unwrap();
    let claim = second.claim(&key, None).await.unwrap();
    assert_eq!(claim.head.map(|head| head.0), Some(2));
    let next = batch(checkpoint(3, 3, "run-1", bytes(3, 100)));
    assert!(
        first
            .put(&key, epoch, next.clone())
            .await
            .unwrap_err()
            .is_conflict()
    );
    second.put(&key, claim.epoch, next).await.unwrap();
    assert_whole(&first, "t", 3, 100).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_was_deleted_or_replaced_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let store = SqliteCheckpointer::open(&path).await.unwrap();
    let epoch = fill(&store, "t", 2, 100).await.unwrap();
    let key = ThreadKey::root("t");
    let away = directory.path().join("away.db");
    fs::rename(&path, &away).unwrap();
    for replaced in [false, true] {
        if replaced {
            fs::write(&path, "").unwrap();
        }
        let next = batch(checkpoint(3, 3, "run-1", bytes(3, 100)));
        let error = store.put(&key, epoch, next).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Unavailable, "{error:?}");
        assert!(error.to_string().contains("deleted or moved"), "{error}");
        let error = store.read(&key, None).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Unavailable, "{error:?}");
    }
    // Nothing is lost when it comes back.
    fs::rename(&away, &path).unwrap();
    assert_whole(&store, "t", 2, 100).await;
    store
        .put(&key, epoch, batch(checkpoint(3, 3, "run-1", bytes(3, 100))))
        .await
        .unwrap();
}

#[tokio::test]
async fn writes_go_on_while_another_process_reads() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let store = SqliteCheckpointer::open(&path).await.unwrap();
    let epoch = fill(&store, "t", 2, 100).await.unwrap();
    let other = Connection::open(&path).unwrap();
    let count = || {
        other
            .query_row("SELECT count(*) FROM checkpoint", [], |row| {
                row.get::<_, u32>(0)
            })
            .unwrap()
    };
    other.execute_batch("BEGIN").unwrap();
    assert_eq!(count(), 2);
    store
        .put(
            &ThreadKey::root("t"),
            epoch,
            batch(checkpoint(3, 3, "run-1", bytes(3, 100))),
        )
        .await
        .unwrap();
    assert_whole(&store, "t", 3, 100).await;
    assert_eq!(count(), 2, "who reads sees what there was when it began");
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(count(), 3);
}

#[tokio::test]
async fn what_another_handle_removes_is_not_taken_for_there() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let store = SqliteCheckpointer::open(&path).await.unwrap();
    let other = SqliteCheckpointer::open(&path).await.unwrap();
    let key = ThreadKey::root("t");
    let epoch = store.claim(&key, None).await.unwrap().epoch;
    let write = |number, run| batch(checkpoint(number, number, run, bytes(number, 100)));

    store.put(&key, epoch, write(1, "run-1")).await.unwrap();
    store.put(&key, epoch, write(2, "run-2")).await.unwrap();
    assert_eq!(other.delete_run("t", "run-2").await.unwrap(), 1);
    let refused = store.put(&key, epoch, write(3, "run-2")).await.unwrap_err();
    assert!(refused.is_conflict(), "{refused:?}");

    let epoch = store.claim(&key, None).await.unwrap().epoch;
    store.put(&key, epoch, write(3, "run-2")).await.unwrap();

    for handle in [&store, &other] {
        let headers = handle.list(&key, &Query::all()).await.unwrap();
        let found: Vec<_> = headers
            .iter()
            .map(|header| (header.id.0, &*header.run))
            .collect();
        assert_eq!(found, [(3, "run-2"), (1, "run-1")]);
    }
    other.claim(&key, None).await.unwrap();
    let refused = store.put(&key, epoch, write(4, "run-2")).await.unwrap_err();
    assert!(refused.is_conflict(), "{refused:?}");
}
