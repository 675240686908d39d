//! Promises about records of tasks.

use super::scribe::{Scribe, batch, noting, ok, read, record, refused};
use crate::checkpoint::{Batch, CheckpointId, Checkpointer, RecordKey, RecordKind, StoreErrorKind};

/// Records come by task, then kind, then name, in whatever order they were written.
pub async fn records_come_in_order<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    scribe.write(1).await;
    let large = vec![7; 70_000];
    let expected = [
        record(1, 0, RecordKind::Done, "", b"a"),
        record(1, 0, RecordKind::Once, "", b""),
        record(1, 0, RecordKind::Once, "A", &large),
        record(1, 0, RecordKind::Once, "a", b"b"),
        record(1, 0, RecordKind::Once, "a\u{0}b", b"c"),
        record(1, 0, RecordKind::Once, "ä", b"d"),
        record(1, 0, RecordKind::Once, "漢", b"e"),
        record(1, 2, RecordKind::Failed, "", b"f"),
        record(1, 2, RecordKind::Question, "q", b"g"),
        record(1, 2, RecordKind::Answer, "q", b"h"),
        record(1, 10, RecordKind::Done, "", b"i"),
        record(1, u32::MAX, RecordKind::Done, "", b"j"),
    ];
    for place in [7, 11, 0, 4, 10, 2, 9] {
        scribe.put(noting([expected[place].clone()])).await;
    }
    scribe.put(noting([8, 6, 5, 3, 1].map(|place| expected[place].clone()))).await;
    let promise = "records come by task, then kind, then name, as they were written";
    assert!(read(&store, &scribe.key, 1).await.records == expected, "broken promise: {promise}");
    let claim = ok(store.claim(&scribe.key, None).await, promise);
    assert!(claim.loaded.is_some_and(|loaded| loaded.records == expected), "broken promise: {promise}");
}

/// A checkpoint is read with its own records; those that are written with it are there with it.
pub async fn records_belong_to_one_checkpoint<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    scribe.write(1).await;
    let (first, second) = (record(1, 0, RecordKind::Done, "", b"1"), record(2, 0, RecordKind::Done, "", b"2"));
    let next = scribe.next();
    scribe.put(Batch { records: vec![second.clone(), first.clone()], ..batch([next]) }).await;
    scribe.write(1).await;
    for (id, expected) in [(1, vec![first]), (2, vec![second]), (3, vec![])] {
        let loaded = read(&store, &scribe.key, id).await;
        assert_eq!(loaded.records, expected, "broken promise: a checkpoint has its own records");
    }
}

/// Writing a record again changes nothing, so that a write can be repeated.
pub async fn the_first_record_of_a_key_stays<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    scribe.write(1).await;
    let first = record(1, 3, RecordKind::Once, "pay", b"first");
    let second = record(1, 3, RecordKind::Once, "pay", b"second");
    scribe.put(noting([first.clone(), second.clone()])).await;
    scribe.put(noting([second])).await;
    assert_eq!(read(&store, &scribe.key, 1).await.records, [first], "broken promise: the first record of a key stays");
}

/// Within a batch records are removed before others are added, so that one can be replaced.
pub async fn records_are_removed_before_others_are_added<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    scribe.write(1).await;
    let old = record(1, 0, RecordKind::Failed, "", b"old");
    let other = record(1, 1, RecordKind::Failed, "", b"other");
    scribe.put(noting([old.clone(), other.clone()])).await;
    let new = record(1, 0, RecordKind::Failed, "", b"new");
    let missing = RecordKey::new(CheckpointId(1), 9, RecordKind::Done, "missing");
    let elsewhere = RecordKey::new(CheckpointId(77), 0, RecordKind::Failed, "");
    let replacing = Batch { removed: vec![old.key, missing, elsewhere], ..noting([new.clone()]) };
    scribe.put(replacing).await;
    let records = read(&store, &scribe.key, 1).await.records;
    assert_eq!(records, [new.clone(), other], "broken promise: records are removed before others are added");
    let removing = Batch { removed: records.into_iter().map(|record| record.key).collect(), ..Batch::default() };
    scribe.put(removing).await;
    assert!(read(&store, &scribe.key, 1).await.records.is_empty(), "broken promise: records can be removed");
}

/// Settling a checkpoint removes its records, those of the same batch as well, and no others.
pub async fn settled_checkpoints_have_no_records<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    scribe.write(1).await;
    scribe.put(noting((0..50).map(|task| record(1, task, RecordKind::Done, "", b"x")))).await;
    let next = scribe.next();
    let kept = record(2, 0, RecordKind::Done, "", b"kept");
    let records = vec![record(1, 50, RecordKind::Done, "", b"x"), kept.clone()];
    let settled = vec![CheckpointId(1), CheckpointId(99)];
    scribe.put(Batch { records, settled, ..batch([next]) }).await;
    assert!(read(&store, &scribe.key, 1).await.records.is_empty(), "broken promise: settling removes records");
    assert_eq!(read(&store, &scribe.key, 2).await.records, [kept], "broken promise: settling spares other checkpoints");
}

/// A record of a checkpoint that does not exist is refused with its batch: it would be taken for one of a later checkpoint of
/// that number.
pub async fn a_record_of_no_checkpoint_is_refused<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    let promise = "a record of a checkpoint that does not exist is refused";
    let early = scribe.try_put(noting([record(1, 0, RecordKind::Once, "pay", b"early")])).await;
    refused(early, StoreErrorKind::NotFound, promise);
    scribe.write(1).await;
    let good = record(1, 0, RecordKind::Done, "", b"good");
    let mixed = noting([good, record(2, 0, RecordKind::Once, "pay", b"early")]);
    refused(scribe.try_put(mixed).await, StoreErrorKind::NotFound, promise);
    scribe.write(1).await;
    for id in [1, 2] {
        let records = read(&store, &scribe.key, id).await.records;
        assert!(records.is_empty(), "broken promise: {promise}, and nothing of its batch is written");
    }
}
