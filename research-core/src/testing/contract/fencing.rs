//! Promises about who may write.

use super::scribe::{Scribe, batch, header, ids, noting, ok, read, record, refused, state, state_of, there};
use crate::checkpoint::{
    Batch, CheckpointId, CheckpointRecord, Checkpointer, Loaded, RecordKind, Seen, StoreErrorKind, ThreadKey,
};

/// Once a history is claimed again, nothing of the earlier claim's holder is written; reading goes on.
pub async fn a_later_claim_fences_off_an_earlier_one<C: Checkpointer>(store: C) {
    let mut earlier = Scribe::root(&store, "t").await;
    earlier.write(2).await;
    let mut later = Scribe::claim(&store, &earlier.key).await;
    let promise = "a write under an earlier claim is refused with a conflict";
    let next = earlier.next();
    refused(earlier.try_put(batch([next])).await, StoreErrorKind::Conflict, promise);
    let note = record(2, 0, RecordKind::Done, "", b"late");
    refused(earlier.try_put(noting([note])).await, StoreErrorKind::Conflict, promise);
    let settling = Batch { settled: vec![CheckpointId(2)], ..Batch::default() };
    refused(earlier.try_put(settling).await, StoreErrorKind::Conflict, promise);
    let loaded = read(&store, &earlier.key, 2).await;
    assert!(loaded.records.is_empty(), "broken promise: nothing of a refused write is kept");
    assert_eq!(ids(&store, &earlier.key).await, [2, 1], "broken promise: nothing of a refused write is kept");
    later.write(1).await;
    assert_eq!(
        state(&read(&store, &earlier.key, 3).await),
        state_of([1, 2, 3]),
        "broken promise: the later claim may write"
    );
}

/// A claim on the condition that nothing has changed fences nobody off when something has.
pub async fn a_claim_of_what_was_seen_is_refused_when_it_has_changed<C: Checkpointer>(store: C) {
    let mut holder = Scribe::root(&store, "t").await;
    let promise = "a claim on what was seen is refused when that has changed, and nobody is fenced off";
    holder.write(2).await;
    let seen = |loaded: &Loaded| Seen::head(Some(loaded.header.id)).records(&loaded.records);
    let before = seen(&read(&store, &holder.key, 2).await);

    // A record, its removal, and a checkpoint each are a change.
    let note = record(2, 0, RecordKind::Done, "", b"new");
    holder.put(noting([note.clone()])).await;
    let stale = [before.clone(), Seen::head(None), Seen::head(Some(CheckpointId(1))), Seen::head(None).records([])];
    for seen in &stale {
        let claimed = ok(store.claim_if(&holder.key, seen).await, promise);
        assert!(claimed.is_none(), "broken promise: {promise}; {seen:?} was claimed");
    }
    let noted = seen(&read(&store, &holder.key, 2).await);
    holder.put(Batch { removed: vec![note.key], ..Batch::default() }).await;
    assert!(ok(store.claim_if(&holder.key, &noted).await, promise).is_none(), "broken promise: {promise}");
    holder.write(1).await;
    assert!(ok(store.claim_if(&holder.key, &before).await, promise).is_none(), "broken promise: {promise}");
    holder.write(1).await;
}

/// A claim of what is as it was seen fences like any other, also on a thread that is new.
pub async fn a_claim_of_what_was_seen_fences_off_an_earlier_one<C: Checkpointer>(store: C) {
    let promise = "a claim of what is as it was seen takes the thread over";
    let key = ThreadKey::root("t");
    let first = there(store.claim_if(&key, &Seen::head(None).records([])).await, promise);
    let mut scribe = Scribe::claim(&store, &key).await;
    refused(store.put(&key, first, batch([scribe.next()])).await, StoreErrorKind::Conflict, promise);
    let mut scribe = Scribe::claim(&store, &key).await;
    scribe.write(1).await;
    scribe.put(noting([record(1, 1, RecordKind::Done, "", b"b"), record(1, 0, RecordKind::Once, "k", b"a")])).await;
    let loaded = read(&store, &key, 1).await;
    let epoch = there(store.claim_if(&key, &Seen::head(Some(CheckpointId(1))).records(&loaded.records)).await, promise);
    let next = scribe.next();
    refused(scribe.try_put(batch([next.clone()])).await, StoreErrorKind::Conflict, promise);
    ok(store.put(&key, epoch, batch([next])).await, promise);
    let epoch = there(store.claim_if(&key, &Seen::head(Some(CheckpointId(2)))).await, promise);
    ok(store.put(&key, epoch, noting([record(2, 0, RecordKind::Done, "", b"c")])).await, promise);
}

/// A claim fences its own thread and namespace, and no other.
pub async fn claims_of_other_histories_do_not_interfere<C: Checkpointer>(store: C) {
    let keys = [("t", ""), ("t", "child"), ("t", "child/grandchild"), ("t2", ""), ("t2", "child"), ("", "t")];
    let keys = keys.map(|(thread, namespace)| ThreadKey::new(thread, namespace));
    let mut scribes = Vec::new();
    for key in &keys {
        scribes.push(Scribe::claim(&store, key).await);
    }
    for (place, scribe) in scribes.iter_mut().enumerate() {
        scribe.write(place + 1).await;
        scribe.put(noting([record(1, 0, RecordKind::Done, "", &[place as u8])])).await;
    }
    for (place, key) in keys.iter().enumerate() {
        let promise = "histories are apart";
        let expected: Vec<u64> = (1..=place as u64 + 1).rev().collect();
        assert_eq!(ids(&store, key).await, expected, "broken promise: {promise}");
        assert_eq!(read(&store, key, 1).await.records[0].data, [place as u8], "broken promise: {promise}");
    }
}

/// Without a claim, or with the claim of another history, nothing can be written.
pub async fn only_a_claim_of_the_history_may_write<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    let other = Scribe::root(&store, "u").await;
    let promise = "only the holder of a claim of the history may write";
    let first = scribe.next();
    for epoch in [0, other.epoch, scribe.epoch + 1, scribe.epoch.wrapping_sub(1), u64::MAX] {
        let refusal = store.put(&scribe.key, epoch, batch([first.clone()])).await;
        refused(refusal, StoreErrorKind::Conflict, promise);
    }
    let unclaimed = ThreadKey::new("t", "child");
    refused(store.put(&unclaimed, scribe.epoch, batch([first.clone()])).await, StoreErrorKind::Conflict, promise);
    assert!(ids(&store, &unclaimed).await.is_empty(), "broken promise: {promise}");
    scribe.put(batch([first])).await;
}

/// A number can be written once, and numbers only go up.
pub async fn a_number_that_is_taken_is_refused<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    scribe.write(3).await;
    for taken in [3, 2] {
        let header = header(CheckpointId(taken), None, CheckpointId(taken), "run-2");
        let again = CheckpointRecord::new(header, b"again".to_vec());
        refused(scribe.try_put(batch([again])).await, StoreErrorKind::Conflict, "a number that is taken is refused");
    }
    for id in 1..=3 {
        let loaded = read(&store, &scribe.key, id).await;
        assert_eq!(state(&loaded), state_of(1..=id), "broken promise: what was stored first stays");
    }
    scribe.write(1).await;
}

/// A checkpoint that is built on others is refused when the one before it is not there.
pub async fn a_checkpoint_without_its_forerunner_is_refused<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    let promise = "a checkpoint whose forerunner is missing is refused";
    let orphan = |id, base| {
        let header = header(CheckpointId(id), None, CheckpointId(base), "run-1");
        batch([CheckpointRecord::new(header, state_of([id]))])
    };
    refused(scribe.try_put(orphan(2, 1)).await, StoreErrorKind::Conflict, promise);
    scribe.write(1).await;
    refused(scribe.try_put(orphan(3, 1)).await, StoreErrorKind::Conflict, promise);
    assert_eq!(ids(&store, &scribe.key).await, [1], "broken promise: {promise}");
    scribe.put(orphan(3, 3)).await;
}

/// When one part of a batch is refused, no other part of it is written.
pub async fn a_batch_with_a_conflict_leaves_nothing<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    scribe.write(2).await;
    let kept = [record(2, 0, RecordKind::Done, "", b"kept")];
    scribe.put(noting(kept.clone())).await;
    let good = scribe.next();
    let taken = CheckpointRecord::new(header(CheckpointId(3), None, CheckpointId(3), "run-2"), Vec::new());
    let refusal = scribe
        .try_put(Batch {
            checkpoints: vec![good, taken],
            records: vec![record(2, 2, RecordKind::Done, "", b"lost")],
            removed: vec![kept[0].key.clone()],
            settled: vec![CheckpointId(2)],
        })
        .await;
    refused(refusal, StoreErrorKind::Conflict, "a number that comes twice in a batch is refused");
    let promise = "a batch with a conflict leaves nothing";
    assert_eq!(ids(&store, &scribe.key).await, [2, 1], "broken promise: {promise}");
    assert_eq!(read(&store, &scribe.key, 2).await.records, kept, "broken promise: {promise}");
    let claim = ok(store.claim(&scribe.key, None).await, promise);
    assert_eq!(claim.head, Some(CheckpointId(2)), "broken promise: {promise}");
}
