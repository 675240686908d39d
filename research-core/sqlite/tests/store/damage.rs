//! Damaged files: a typed error or what was written, never something else, never a panic.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use research_core::checkpoint::{
    CheckpointId, Checkpointer, Prune, Query, RecordKey, RecordKind, StoreError, StoreErrorKind,
    TaskRecord, ThreadKey,
};
use research_core_sqlite::{SqliteCheckpointer, Synchronous};
use tempfile::TempDir;

use crate::support::{batch, body, bytes, checkpoint};

/// Size of a page of the file.
const PAGE: usize = 4_096;

/// A whole store: threads with small and large bodies, records and several runs.
async fn make() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let store = SqliteCheckpointer::builder()
        .synchronous(Synchronous::Normal)
        .open(&path)
        .await
        .unwrap();
    for thread in 0..4_u64 {
        let key = ThreadKey::root(format!("t{thread}"));
        let epoch = store.claim(&key, None).await.unwrap().epoch;
        for id in 1..=12 {
            let mut batch = batch(checkpoint(
                id,
                1,
                &format!("run-{}", id / 4),
                content(thread, id),
            ));
            let record = RecordKey::new(CheckpointId(id), 0, RecordKind::Done, "");
            batch.records.push(TaskRecord::new(record, bytes(id, 300)));
            store.put(&key, epoch, batch).await.unwrap();
        }
    }
    drop(store);
    (directory, path)
}

fn content(thread: u64, id: u64) -> Vec<u8> {
    let len = if id.is_multiple_of(3) { 20_000 } else { 400 };
    body(id > 1, "notes", &bytes(100 * thread + id, len))
}

/// Asks for everything; each answer must be what was written or an error of the right kind. Gives the number of errors.
async fn look_at(path: &Path) -> usize {
    let mut errors = 0;
    let mut judge = |error: &StoreError| {
        assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error:?}");
        errors += 1;
    };
    let store = match SqliteCheckpointer::open(path).await {
        Ok(store) => store,
        Err(error) => {
            judge(&error);
            return errors;
        }
    };
    for thread in 0..4_u64 {
        let key = ThreadKey::root(format!("t{thread}"));
        for id in 1..=12_u64 {
            match store.read(&key, Some(CheckpointId(id))).await {
                // A page that was replaced by an older one of the same file cannot be told from a deletion.
                Ok(None) => {}
                Ok(Some(loaded)) => {
                    let expected: Vec<Vec<u8>> = (1..=id).map(|id| content(thread, id)).collect();
                    assert!(
                        loaded.bodies == expected,
                        "what is read is what was written"
                    );
                    assert!(
                        loaded
                            .records
                            .iter()
                            .all(|record| record.data == bytes(id, 300))
                    );
                }
                Err(error) => judge(&error),
            }
        }
        if let Err(error) = store.list(&key, &Query::all()).await {
            judge(&error);
        }
    }
    for thread in 0..4_u64 {
        for change in [
            store
                .prune(&format!("t{thread}"), &Prune::keep_last(3))
                .await,
            store.delete_run("t1", "run-1").await,
        ] {
            if let Err(error) = change {
                judge(&error);
            }
        }
        if let Err(error) = store.delete_thread("t3").await {
            judge(&error);
        }
    }
    errors
}

#[tokio::test]
async fn a_whole_file_gives_no_error() {
    let (_directory, path) = make().await;
    assert_eq!(look_at(&path).await, 0);
}

#[tokio::test]
async fn a_truncated_file_is_reported() {
    let (_directory, path) = make().await;
    let whole = fs::read(&path).unwrap();
    for len in
        (1..whole.len())
            .step_by(whole.len() / 23)
            .chain([1, 99, 100, 512, PAGE, whole.len() - 1])
    {
        fs::write(&path, &whole[..len]).unwrap();
        assert!(
            look_at(&path).await > 0,
            "a file of {} bytes that was cut to {len}",
            whole.len()
        );
    }
}

#[tokio::test]
async fn pages_that_were_overwritten_are_reported_and_the_others_are_read() {
    let (_directory, path) = make().await;
    let whole = fs::read(&path).unwrap();
    let mut reported = 0;
    for page in 0..whole.len() / PAGE {
        for fill in [0, 0xff] {
            let mut damaged = whole.clone();
            damaged[page * PAGE..(page + 1) * PAGE].fill(fill);
            fs::write(&path, &damaged).unwrap();
            reported += usize::from(look_at(&path).await > 0);
        }
    }
    // A few pages are empty leaves of tables that stay unused.
    assert!(
        reported > whole.len() / PAGE,
        "{reported} of {}",
        2 * whole.len() / PAGE
    );
}

#[tokio::test]
async fn contents_of_large_bodies_are_checked() {
    let (_directory, path) = make().await;
    let mut damaged = fs::read(&path).unwrap();
    let sample = content(2, 6)[10_000..10_016].to_vec();
    let place = damaged
        .windows(16)
        .position(|window| window == sample)
        .unwrap();
    damaged[place] ^= 1;
    fs::write(&path, &damaged).unwrap();
    let store = SqliteCheckpointer::open(&path).await.unwrap();
    let key = ThreadKey::root("t2");
    let error = store.read(&key, None).await.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Corrupt);
    let error = store.prune("t2", &Prune::keep_last(1)).await.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Corrupt);
    let before = store
        .read(&key, Some(CheckpointId(5)))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        before.bodies.len(),
        5,
        "what lies before the damage is read"
    );
}

#[tokio::test]
async fn a_damaged_log_loses_at_most_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("threads.db");
    let store = SqliteCheckpointer::builder()
        .wal_autocheckpoint(0)
        .open(&path)
        .await
        .unwrap();
    crate::support::fill(&store, "t", 30, 1_000).await.unwrap();
    let copy = directory.path().join("copy.db");
    let log = fs::read(directory.path().join("threads.db-wal")).unwrap();
    for len in (0..log.len()).step_by(log.len() / 17) {
        fs::copy(&path, &copy).unwrap();
        fs::write(directory.path().join("copy.db-wal"), &log[..len]).unwrap();
        let store = SqliteCheckpointer::open(&copy).await.unwrap();
        let headers = store
            .list(&ThreadKey::root("t"), &Query::all())
            .await
            .unwrap();
        let ids: Vec<u64> = headers.iter().rev().map(|header| header.id.0).collect();
        assert!(
            ids.iter().copied().eq(1..=ids.len() as u64),
            "what is left has no gap: {ids:?}"
        );
        for id in ids {
            let loaded = store
                .read(&ThreadKey::root("t"), Some(CheckpointId(id)))
                .await
                .unwrap()
                .unwrap();
            assert_eq!(loaded.bodies, [bytes(id, 1_000)]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_damage_never_panics_or_changes_what_is_read(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 1..200_usize), 1..6),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (_directory, path) = make().await;
            let mut damaged = fs::read(&path).unwrap();
            for (place, byte, len) in places {
                // The header of the file says which version it has, which is another kind of error.
                let place = 100 + place.index(damaged.len() - 100);
                let end = damaged.len().min(place + len);
                damaged[place..end].fill(byte);
            }
            fs::write(&path, &damaged).unwrap();
            look_at(&path).await;
        });
    }
}
