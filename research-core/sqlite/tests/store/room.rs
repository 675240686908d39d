//! What the store takes on the disk.

use std::fs;
use std::path::Path;

use research_core::checkpoint::{Checkpointer, Prune, ThreadKey};
use research_core_sqlite::{SqliteCheckpointer, Synchronous};

use crate::support::{batch, body, bytes, checkpoint, fill};

/// Bytes of all files in a directory.
fn taken(directory: &Path) -> u64 {
    fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum()
}

async fn open(directory: &Path) -> SqliteCheckpointer {
    let builder = SqliteCheckpointer::builder().synchronous(Synchronous::Normal);
    builder.open(directory.join("threads.db")).await.unwrap()
}

#[tokio::test]
async fn a_thousand_steps_of_a_kilobyte_take_four_megabytes_at_most() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).await;
    fill(&store, "t", 1_000, 1_024).await.unwrap();
    let shared = fs::metadata(directory.path().join("threads.db-shm"))
        .unwrap()
        .len();
    let open = taken(directory.path()) - shared;
    assert!(open <= 4_000_000, "{open} bytes while it is open");
    drop(store);
    let closed = taken(directory.path());
    assert!(closed <= 2_000_000, "{closed} bytes after it was closed");
}

#[tokio::test]
async fn small_steps_take_less_than_a_hundred_bytes_more_than_their_body() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).await;
    let key = ThreadKey::root("t");
    let epoch = store.claim(&key, None).await.unwrap().epoch;
    for id in 1..=5_000 {
        store
            .put(
                &key,
                epoch,
                batch(checkpoint(
                    id,
                    1,
                    "0192f3a0-7d1c-7000-8000-000000000001",
                    bytes(id, 20),
                )),
            )
            .await
            .unwrap();
    }
    drop(store);
    let each = taken(directory.path()) / 5_000;
    assert!(
        each < 120,
        "{each} bytes for each checkpoint of 20 bytes and 16 of what is due"
    );
}

#[tokio::test]
async fn room_that_was_pruned_is_used_again() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).await;
    let mut after_a_while = 0;
    let mut id = 0;
    for round in 0..60_u64 {
        // Each round is a run on the same thread, and a thread of its own that is deleted.
        let key = ThreadKey::root("t");
        let epoch = store.claim(&key, None).await.unwrap().epoch;
        for _ in 0..100 {
            id += 1;
            let body = body(false, "notes", &bytes(id, 500));
            store
                .put(
                    &key,
                    epoch,
                    batch(checkpoint(id, id, &format!("run-{round}"), body)),
                )
                .await
                .unwrap();
        }
        store.prune("t", &Prune::keep_last(10)).await.unwrap();
        fill(&store, &format!("other-{round}"), 20, 700)
            .await
            .unwrap();
        store
            .delete_thread(&format!("other-{round}"))
            .await
            .unwrap();
        if round == 10 {
            after_a_while = taken(directory.path());
        }
    }
    let at_the_end = taken(directory.path());
    assert!(
        at_the_end <= after_a_while,
        "{after_a_while} bytes after 10 rounds, {at_the_end} after 60"
    );
}

#[tokio::test]
async fn compacting_gives_room_back() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).await;
    fill(&store, "large", 500, 10_000).await.unwrap();
    fill(&store, "small", 5, 100).await.unwrap();
    store.delete_thread("large").await.unwrap();
    let before = taken(directory.path());
    store.compact().await.unwrap();
    let after = taken(directory.path());
    assert!(
        before > 5_000_000 && after < 200_000,
        "{before} bytes before, {after} after"
    );
    let loaded = store
        .read(&ThreadKey::root("small"), None)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(loaded.bodies, [bytes(5, 100)]);
    fill(&store, "other", 5, 100).await.unwrap();
}

#[tokio::test]
async fn the_file_alone_can_be_copied_once_the_log_was_brought_in() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteCheckpointer::builder()
        .wal_autocheckpoint(0)
        .open(directory.path().join("a.db"))
        .await
        .unwrap();
    fill(&store, "t", 50, 1_000).await.unwrap();
    store.checkpoint_wal().await.unwrap();
    fs::copy(directory.path().join("a.db"), directory.path().join("b.db")).unwrap();
    let copy = SqliteCheckpointer::open(directory.path().join("b.db"))
        .await
        .unwrap();
    assert_eq!(
        copy.read(&ThreadKey::root("t"), None)
            .await
            .unwrap()
            .unwrap()
            .header
            .id
            .0,
        50
    );
}
