//! What can be opened, what cannot, and what closing leaves.

use std::fs;
use std::time::{Duration, SystemTime};

use futures::FutureExt;
use research_core::checkpoint::{Checkpointer, LeaseReply, StoreErrorKind, ThreadKey};
use research_core_sqlite::SqliteCheckpointer;
use rusqlite::Connection;

use crate::support::{batch, bytes, checkpoint, fill};

#[tokio::test]
async fn a_file_is_made_and_found_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ünïcode name?.db");
    for round in 1..=3 {
        let store = SqliteCheckpointer::open(&path).await.unwrap();
        assert_eq!(store.path(), path);
        fill(&store, &format!("t{round}"), round, 10).await.unwrap();
    }
    let store = SqliteCheckpointer::open(&path).await.unwrap();
    assert_eq!(store.threads(None, 9).await.unwrap(), ["t1", "t2", "t3"]);
}

#[tokio::test]
async fn a_url_names_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let path = path.to_str().unwrap();
    for url in [format!("sqlite:{path}"), format!("sqlite://{path}")] {
        let store = SqliteCheckpointer::from_url(&url).await.unwrap();
        assert_eq!(store.path().to_str(), Some(path));
    }
    for url in [
        "postgres://host/db",
        "threads.db",
        "sqlite:threads.db?mode=ro",
        "sqlite:",
        "sqlite::memory:",
    ] {
        let error = SqliteCheckpointer::from_url(url).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Other, "{url}");
    }
}

#[tokio::test]
async fn a_missing_directory_is_not_found() {
    let directory = tempfile::tempdir().unwrap();
    let error = SqliteCheckpointer::open(directory.path().join("missing/threads.db"))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::NotFound);
    assert!(error.to_string().contains("create it first"), "{error}");
}

#[tokio::test]
async fn a_directory_is_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let error = SqliteCheckpointer::open(directory.path())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Unavailable);
}

#[tokio::test]
async fn what_is_no_database_is_refused_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    for content in [
        b"Some notes that somebody would miss.".repeat(200),
        vec![0; 8_192],
        bytes(1, 3_000),
    ] {
        fs::write(&path, &content).unwrap();
        let error = SqliteCheckpointer::open(&path).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
        assert!(fs::read(&path).unwrap() == content);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}

#[tokio::test]
async fn the_database_of_something_else_is_refused_and_left_as_it_is() {
    for make in [
        "CREATE TABLE customer (name TEXT); INSERT INTO customer VALUES ('Zoë')",
        "PRAGMA application_id = 77",
        "PRAGMA user_version = 3",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("customers.db");
        Connection::open(&path)
            .unwrap()
            .execute_batch(make)
            .unwrap();
        let content = fs::read(&path).unwrap();
        let error = SqliteCheckpointer::open(&path).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
        assert!(error.to_string().contains("something else"), "{error}");
        assert!(fs::read(&path).unwrap() == content);
    }
}

#[tokio::test]
async fn a_newer_version_is_refused_with_a_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    fill(&SqliteCheckpointer::open(&path).await.unwrap(), "t", 3, 10)
        .await
        .unwrap();
    let db = Connection::open(&path).unwrap();
    let current: i64 = db
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    for newer in [current + 1, 1_000_000, -1] {
        db.pragma_update(None, "user_version", newer).unwrap();
        let error = SqliteCheckpointer::open(&path).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::NewerSchema);
        assert!(error.to_string().contains("update the library"), "{error}");
    }
    db.pragma_update(None, "user_version", current).unwrap();
    let store = SqliteCheckpointer::open(&path).await.unwrap();
    assert_eq!(
        store
            .read(&ThreadKey::root("t"), None)
            .await
            .unwrap()
            .unwrap()
            .header
            .id
            .0,
        3
    );
}

#[tokio::test]
async fn an_empty_file_becomes_a_store() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    fs::write(&path, "").unwrap();
    fill(&SqliteCheckpointer::open(&path).await.unwrap(), "t", 3, 10)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_can_open_a_new_file_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let open = |number: usize| {
        let path = path.clone();
        tokio::spawn(async move {
            // Eight that write at once on a busy machine may wait for longer than one application would.
            let store = SqliteCheckpointer::builder()
                .busy_timeout(Duration::from_secs(60))
                .open(path)
                .await
                .unwrap();
            fill(&store, &format!("t{number}"), 5, 100).await.unwrap();
            store
        })
    };
    let tasks: Vec<_> = (0..8).map(open).collect();
    let mut stores = Vec::new();
    for task in tasks {
        stores.push(task.await.unwrap());
    }
    for store in stores {
        assert_eq!(store.threads(None, 99).await.unwrap().len(), 8);
    }
}

#[test]
fn no_runtime_is_needed() {
    let directory = tempfile::tempdir().unwrap();
    futures::executor::block_on(async {
        let store = SqliteCheckpointer::open(directory.path().join("threads.db"))
            .await
            .unwrap();
        fill(&store, "t", 3, 10).await.unwrap();
        assert!(
            store
                .read(&ThreadKey::root("t"), None)
                .await
                .unwrap()
                .is_some()
        );
    });
}

#[tokio::test]
async fn what_was_begun_is_written_when_the_last_handle_is_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let store = SqliteCheckpointer::open(&path).await.unwrap();
    let key = ThreadKey::root("t");
    let epoch = store.claim(&key, None).await.unwrap().epoch;
    let handle = store.clone();
    for id in 1..=100 {
        // Polled once, which queues the write, and dropped.
        let write = store
            .put(
                &key,
                epoch,
                batch(checkpoint(id, id, "run-1", bytes(id, 50_000))),
            )
            .now_or_never();
        assert!(write.is_none_or(|done| done.is_ok()));
    }
    drop((store, handle));
    assert_eq!(
        fs::read_dir(directory.path()).unwrap().count(),
        1,
        "closing brings the log into the file"
    );
    let store = SqliteCheckpointer::open(&path).await.unwrap();
    assert_eq!(
        store.read(&key, None).await.unwrap().unwrap().header.id.0,
        100
    );
}

#[tokio::test]
async fn a_file_of_an_older_layout_is_opened_and_migrated() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    fill(&SqliteCheckpointer::open(&path).await.unwrap(), "t", 3, 10)
        .await
        .unwrap();
    let version = |db: &Connection| -> i64 {
        db.pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap()
    };
    // The layout before leases: no table of them.
    let db = Connection::open(&path).unwrap();
    assert_eq!(version(&db), 2);
    db.execute_batch("DROP TABLE lease; PRAGMA user_version = 1")
        .unwrap();
    drop(db);

    let store = SqliteCheckpointer::open(&path).await.unwrap();
    let loaded = store.read(&ThreadKey::root("t"), None).await.unwrap();
    assert_eq!(loaded.unwrap().header.id.0, 3);
    let (now, until) = (
        SystemTime::now(),
        SystemTime::now() + Duration::from_secs(9),
    );
    let lease = store.acquire_lease("t", "run", now, until).await.unwrap();
    assert!(matches!(lease, LeaseReply::Granted(_)), "{lease:?}");
    drop(store);

    assert_eq!(version(&Connection::open(&path).unwrap()), 2);
    let store = SqliteCheckpointer::open(&path).await.unwrap();
    assert_eq!(
        *store.lease("t").await.unwrap().unwrap().run,
        *"run",
        "a lease survives the process"
    );
}
