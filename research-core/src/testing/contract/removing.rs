//! Promises about deleting.

use super::scribe::{Scribe, batch, header, ids, noting, ok, read, record, refused, state, state_of};
use crate::checkpoint::{CheckpointId, CheckpointRecord, Checkpointer, RecordKind, StoreErrorKind, ThreadKey};

/// A thread goes with all its namespaces; whoever held a claim on it is fenced off; its name begins anew.
pub async fn a_deleted_thread_is_gone_and_its_writer_fenced_off<C: Checkpointer>(store: C) {
    let keys = ["", "child", "child/x"].map(|namespace| ThreadKey::new("t", namespace));
    let mut holders = Vec::new();
    for key in &keys {
        let mut scribe = Scribe::claim(&store, key).await;
        scribe.write(3).await;
        scribe.put(noting([record(3, 0, RecordKind::Done, "", b"x")])).await;
        holders.push(scribe);
    }
    let mut others = Vec::new();
    for name in ["t ", "tt", "", "T"] {
        let mut scribe = Scribe::root(&store, name).await;
        scribe.write(2).await;
        others.push(scribe);
    }
    let promise = "a deleted thread is gone";
    ok(store.delete_thread("t").await, promise);
    for (key, holder) in keys.iter().zip(&mut holders) {
        assert!(ids(&store, key).await.is_empty(), "broken promise: {promise}");
        let next = holder.next();
        let fenced = "whoever held a claim on a deleted thread is fenced off";
        refused(holder.try_put(batch([next])).await, StoreErrorKind::Conflict, fenced);
        // Also when the name is claimed again, as often as it was before.
        let mut anew = Scribe::claim(&store, key).await;
        let next = holder.next();
        refused(holder.try_put(batch([next])).await, StoreErrorKind::Conflict, fenced);
        assert_eq!(anew.next_id(), CheckpointId(1), "broken promise: a deleted thread begins anew");
        anew.write(3).await;
        assert!(read(&store, key, 3).await.records.is_empty(), "broken promise: records go with their thread");
    }
    for other in &mut others {
        other.write(1).await;
        let loaded = read(&store, &other.key, 3).await;
        assert_eq!(state(&loaded), state_of([1, 2, 3]), "broken promise: deleting a thread spares the others");
    }
    ok(store.delete_thread("never written").await, "deleting a thread that is not there is no error");
}

/// The checkpoints of a run go in all namespaces, with their records; what was built on them stays readable.
pub async fn a_deleted_run_leaves_the_rest_readable<C: Checkpointer>(store: C) {
    let keys = ["", "child"].map(|namespace| ThreadKey::new("t", namespace));
    let other = ThreadKey::root("u");
    for key in [&keys[0], &keys[1], &other] {
        let mut scribe = Scribe::claim(&store, key).await;
        for (run, count) in [("run-1", 2), ("run-2", 3), ("run-3", 2), ("run-2", 1), ("run-4", 2)] {
            scribe.run = run.into();
            scribe.write(count).await;
        }
        scribe.put(noting([4, 6].map(|id| record(id, 0, RecordKind::Done, "", b"x")))).await;
    }
    let removed = ok(store.delete_run("t", "run-2").await, "a run can be deleted");
    assert_eq!(removed, 8, "broken promise: deleting a run tells how many checkpoints went, in all namespaces");
    for key in &keys {
        assert_eq!(ids(&store, key).await, [10, 9, 7, 6, 2, 1], "broken promise: the checkpoints of a run are deleted");
        for id in [1, 2, 6, 7, 9, 10] {
            let loaded = read(&store, key, id).await;
            assert_eq!(
                state(&loaded),
                state_of(1..=id),
                "broken promise: what was built on a deleted run stays readable"
            );
            assert_eq!(loaded.header.run, header_run(id).into(), "broken promise: what stays keeps its header");
        }
        assert_eq!(read(&store, key, 6).await.records.len(), 1, "broken promise: records of what stays stay");
    }
    assert_eq!(ids(&store, &other).await.len(), 10, "broken promise: deleting a run spares other threads");
    for (thread, run) in [("t", "run-2"), ("t", "never"), ("never", "run-1")] {
        let removed = ok(store.delete_run(thread, run).await, "deleting a run that is not there is no error");
        assert_eq!(removed, 0, "broken promise: nothing is deleted when there is nothing");
    }
}

const fn header_run(id: u64) -> &'static str {
    match id {
        1 | 2 => "run-1",
        6 | 7 => "run-3",
        _ => "run-4",
    }
}

/// A writer goes on when an older run is deleted under it, and is fenced off when its newest checkpoint goes.
pub async fn a_writer_goes_on_unless_its_newest_checkpoint_was_deleted<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    scribe.run = "old".into();
    scribe.write(3).await;
    scribe.run = "new".into();
    scribe.write(2).await;
    ok(store.delete_run("t", "old").await, "a run can be deleted");
    scribe.write(2).await;
    let loaded = read(&store, &scribe.key, 7).await;
    assert_eq!(state(&loaded), state_of(1..=7), "broken promise: a writer goes on when an older run is deleted");
    ok(store.delete_run("t", "new").await, "a run can be deleted");
    let promise = "a writer whose newest checkpoint was deleted is fenced off";
    let next = scribe.next();
    refused(scribe.try_put(batch([next])).await, StoreErrorKind::Conflict, promise);
    let whole = header(CheckpointId(8), None, CheckpointId(8), "new");
    let whole = CheckpointRecord::new(whole, Vec::new());
    refused(scribe.try_put(batch([whole])).await, StoreErrorKind::Conflict, promise);
    let mut anew = Scribe::claim(&store, &scribe.key).await;
    anew.write(1).await;
    assert_eq!(ids(&store, &scribe.key).await, [1], "broken promise: a thread without checkpoints begins anew");
}
