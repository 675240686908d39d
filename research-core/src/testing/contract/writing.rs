//! Promises about what is written and read back.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::scribe::{Scribe, batch, header, ids, ok, read, state, state_of, there};
use crate::checkpoint::{CheckpointId, CheckpointRecord, Checkpointer, Header, Metadata, Origin, Query, ThreadKey};

/// A history that nobody wrote to reads as empty, before and after it was claimed.
pub async fn a_history_that_was_never_written_is_empty<C: Checkpointer>(store: C) {
    let key = ThreadKey::new("t", "n");
    for claimed in [false, true] {
        let promise = "a history that was never written is empty";
        assert!(ok(store.read(&key, None).await, promise).is_none(), "broken promise: {promise}");
        assert!(ok(store.read(&key, Some(CheckpointId(1))).await, promise).is_none(), "broken promise: {promise}");
        assert!(ok(store.list(&key, &Query::all()).await, promise).is_empty(), "broken promise: {promise}");
        assert!(ok(store.threads(None, 10).await, promise).is_empty(), "broken promise: {promise}");
        assert!(ok(store.namespaces("t").await, promise).is_empty(), "broken promise: {promise}");
        if !claimed {
            let claim = ok(store.claim(&key, None).await, promise);
            assert!(claim.head.is_none() && claim.loaded.is_none(), "broken promise: {promise}");
        }
    }
}

/// Every field of a checkpoint comes back as it was written.
pub async fn a_checkpoint_is_read_back_as_it_was_written<C: Checkpointer>(store: C) {
    let scribe = Scribe::root(&store, "t").await;
    let metadata: Metadata = [
        ("user".to_owned(), json!("Zoë \"quoted\" \u{0} 漢字")),
        ("numbers".to_owned(), json!([0.1 + 0.2, 1e-310, -0.0, u64::MAX, i64::MIN, 1e300])),
        ("nested".to_owned(), json!({"a": [null, true, {"b": ""}]})),
        (String::new(), json!(null)),
    ]
    .into();
    let origins = [Origin::Input, Origin::Step, Origin::Update, Origin::Fork];
    let at = |milliseconds| SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds);
    let times =
        [at(1_763_632_800_123), at(0), SystemTime::UNIX_EPOCH - Duration::from_millis(1), at(253_402_300_799_999)];
    let mut written = Vec::new();
    for (id, (origin, at)) in (1..).zip(origins.into_iter().zip(times)) {
        let (id, parent) = (CheckpointId(id), (id > 1).then_some(CheckpointId(id / 2)));
        let metadata = if id.0 % 2 == 1 { metadata.clone() } else { Metadata::new() };
        let next = if id.0 == 1 { Vec::new() } else { (0..=255).collect() };
        let run: Arc<str> = Arc::from(["run-1", "", "Lauf \u{0} \u{1F41D}", "run-1"][id.0 as usize - 1]);
        let header = Header::new(id, parent, id, run, at, 1 << (10 * id.0), origin, Arc::new(metadata), next);
        let record = CheckpointRecord::new(header, format!("body {id}").into_bytes());
        scribe.put(batch([record.clone()])).await;
        written.push(record);
    }
    for record in &written {
        let promise = "a checkpoint is read back as it was written";
        let loaded = read(&store, &scribe.key, record.header.id.0).await;
        assert_eq!(loaded.header, record.header, "broken promise: {promise}");
        assert!(loaded.bodies.iter().eq([&record.body]), "broken promise: {promise}");
        assert!(loaded.records.is_empty(), "broken promise: a new checkpoint has no records");
    }
    let listed = ok(store.list(&scribe.key, &Query::all()).await, "a history can be listed");
    assert!(
        listed.iter().rev().eq(written.iter().map(|record| &record.header)),
        "broken promise: a list has the headers as they were written"
    );
}

/// A body may be empty, large, or any bytes.
pub async fn bodies_are_kept_byte_for_byte<C: Checkpointer>(store: C) {
    let scribe = Scribe::root(&store, "t").await;
    let large: Vec<u8> = (0..1_u32 << 20).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let bodies = [Vec::new(), (0..=255).collect(), large, vec![0; 5_000]];
    for (id, body) in (1..).map(CheckpointId).zip(&bodies) {
        let parent = id.0.checked_sub(1).filter(|parent| *parent > 0).map(CheckpointId);
        let record = CheckpointRecord::new(header(id, parent, CheckpointId(1), "run-1"), body.clone());
        scribe.put(batch([record])).await;
    }
    let loaded = there(store.read(&scribe.key, None).await, "the newest checkpoint can be read");
    assert!(loaded.bodies == bodies, "broken promise: bodies are kept byte for byte, whatever their size");
}

/// The newest checkpoint is what a claim and a read without a number give.
pub async fn the_newest_checkpoint_is_the_head<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    for newest in 1..=3 {
        scribe.write(1).await;
        let loaded = there(store.read(&scribe.key, None).await, "a thread that was written can be read");
        assert_eq!(loaded.header.id.0, newest, "broken promise: the newest checkpoint is read by default");
    }
    let promise = "a claim gives the newest checkpoint, and the one that was asked for";
    let claim = ok(store.claim(&scribe.key, None).await, promise);
    assert_eq!(claim.head, Some(CheckpointId(3)), "broken promise: {promise}");
    assert_eq!(claim.loaded.map(|loaded| loaded.header.id), Some(CheckpointId(3)), "broken promise: {promise}");
    let claim = ok(store.claim(&scribe.key, Some(CheckpointId(2))).await, promise);
    assert_eq!(claim.head, Some(CheckpointId(3)), "broken promise: {promise}");
    assert_eq!(claim.loaded.as_ref().map(state), Some(state_of([1, 2])), "broken promise: {promise}");
    let claim = ok(store.claim(&scribe.key, Some(CheckpointId(9))).await, promise);
    assert!(claim.head == Some(CheckpointId(3)) && claim.loaded.is_none(), "broken promise: {promise}");
    for missing in [0, 4, u64::from(u32::MAX) + 2, u64::MAX] {
        let found =
            ok(store.read(&scribe.key, Some(CheckpointId(missing))).await, "reading what is not there is no error");
        assert!(found.is_none(), "broken promise: a checkpoint that is not there reads as none");
    }
}

/// A checkpoint is read with all bodies from its base on, and no others.
pub async fn bodies_run_from_the_base_to_the_checkpoint<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    scribe.write(3).await;
    // Another branch, which begins with all of its state.
    let fork = header(CheckpointId(4), Some(CheckpointId(1)), CheckpointId(4), "run-2");
    scribe.put(batch([CheckpointRecord::new(fork, state_of([1, 40]))])).await;
    let mut scribe = Scribe::claim(&store, &scribe.key).await;
    scribe.write(2).await;
    for (id, bodies, expected) in
        [(1, 1, vec![1]), (3, 3, vec![1, 2, 3]), (4, 1, vec![1, 40]), (5, 2, vec![1, 40, 5]), (6, 3, vec![1, 40, 5, 6])]
    {
        let loaded = read(&store, &scribe.key, id).await;
        assert_eq!(loaded.bodies.len(), bodies, "broken promise: a checkpoint has the bodies from its base to itself");
        assert_eq!(state(&loaded), state_of(expected), "broken promise: bodies come in the order of their numbers");
    }
}

/// A batch may have several checkpoints.
pub async fn several_checkpoints_can_be_written_at_once<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    let several = [scribe.next(), scribe.next(), scribe.next()];
    scribe.put(batch(several)).await;
    scribe.put(batch([])).await;
    assert_eq!(ids(&store, &scribe.key).await, [3, 2, 1], "broken promise: all checkpoints of a batch are written");
    let loaded = read(&store, &scribe.key, 3).await;
    assert_eq!(state(&loaded), state_of([1, 2, 3]), "broken promise: checkpoints of a batch can build on each other");
}

/// Numbers up to 2³² − 1 can be stored, and a number may be left out where a new base begins.
pub async fn numbers_may_be_large<C: Checkpointer>(store: C) {
    let scribe = Scribe::root(&store, "t").await;
    let other = Scribe::root(&store, "u").await;
    let highest = u64::from(u32::MAX);
    let numbers = [7, 1_000_000, highest - 1, highest];
    for id in numbers {
        let base = if id == highest { id - 1 } else { id };
        for scribe in [&scribe, &other] {
            let header = header(CheckpointId(id), None, CheckpointId(base), "run-1");
            scribe.put(batch([CheckpointRecord::new(header, state_of([id]))])).await;
        }
    }
    for key in [&scribe.key, &other.key] {
        let expected: Vec<u64> = numbers.into_iter().rev().collect();
        assert_eq!(ids(&store, key).await, expected, "broken promise: numbers may be large");
        let loaded = read(&store, key, highest).await;
        assert_eq!(state(&loaded), state_of([highest - 1, highest]), "broken promise: numbers may be large");
    }
}
