//! A writer for the suite: makes checkpoints that build on each other, and knows what they must read as.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::checkpoint::{
    Batch, BodyWriter, CheckpointId, CheckpointRecord, Checkpointer, Header, Loaded, Op, Origin, Query, RecordKey,
    RecordKind, StoreError, StoreErrorKind, TaskRecord, ThreadKey, squash,
};

/// Holds a claim and writes.
pub(super) struct Scribe<'a, C> {
    pub(super) store: &'a C,
    pub(super) key: ThreadKey,
    pub(super) epoch: u64,
    pub(super) run: Arc<str>,
    newest: Option<(CheckpointId, CheckpointId)>,
}

impl<'a, C: Checkpointer> Scribe<'a, C> {
    /// Takes over a history.
    pub(super) async fn claim(store: &'a C, key: &ThreadKey) -> Self {
        let claim = ok(store.claim(key, None).await, "any history can be claimed");
        let newest = claim.loaded.map(|loaded| (loaded.header.id, loaded.header.base));
        Self { store, key: key.clone(), epoch: claim.epoch, run: "run-1".into(), newest }
    }

    /// The same for the root namespace of a thread.
    pub(super) async fn root(store: &'a C, thread: &str) -> Self {
        Self::claim(store, &ThreadKey::root(thread)).await
    }

    /// The number of the next checkpoint.
    pub(super) fn next_id(&self) -> CheckpointId {
        CheckpointId(self.newest.map_or(1, |(id, _)| id.0 + 1))
    }

    /// The next checkpoint, which appends its own number to the state; it is not written yet.
    pub(super) fn next(&mut self) -> CheckpointRecord {
        let id = self.next_id();
        let base = self.newest.map_or(id, |(_, base)| base);
        let parent = self.newest.map(|(id, _)| id);
        self.newest = Some((id, base));
        CheckpointRecord::new(header(id, parent, base, &self.run), appending(id))
    }

    /// Writes so many checkpoints, each in a batch of its own.
    pub(super) async fn write(&mut self, count: usize) {
        for _ in 0..count {
            let next = self.next();
            self.put(batch([next])).await;
        }
    }

    /// Writes a batch, which must be taken.
    pub(super) async fn put(&self, batch: Batch) {
        ok(self.try_put(batch).await, "the holder of the newest claim may write");
    }

    pub(super) async fn try_put(&self, batch: Batch) -> Result<(), StoreError> {
        self.store.put(&self.key, self.epoch, batch).await
    }
}

/// A header with plain values.
pub(super) fn header(id: CheckpointId, parent: Option<CheckpointId>, base: CheckpointId, run: &str) -> Header {
    let origin = if parent.is_none() { Origin::Input } else { Origin::Step };
    Header::new(id, parent, base, run.into(), made(id.0), id.0, origin, Arc::default(), vec![1, 2, 3])
}

/// When the checkpoint of this number was made: one each minute.
pub(super) fn made(id: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + 60 * (id % 1_000_000))
}

/// A body that sets a field to a number, and appends the number to another.
pub(super) fn appending(id: CheckpointId) -> Vec<u8> {
    let number = [&[0xcf_u8][..], &id.0.to_be_bytes()].concat();
    let mut body = BodyWriter::default();
    let chunks = [(Op::Set, "last", number.clone()), (Op::Concat, "all", [vec![0x91], number].concat())];
    for (op, field, data) in chunks {
        let written: Result<usize, StoreError> = body.chunk(op, field, |bytes| {
            bytes.extend_from_slice(&data);
            Ok(())
        });
        ok(written, "a body can be written");
    }
    body.bytes
}

/// What the bodies of a checkpoint amount to.
pub(super) fn state(loaded: &Loaded) -> Vec<u8> {
    ok(squash(loaded.bodies.iter().map(Vec::as_slice)), "the bodies of a checkpoint are whole")
}

/// What a checkpoint must read as when all of these numbers were appended.
pub(super) fn state_of(ids: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let bodies: Vec<Vec<u8>> = ids.into_iter().map(|id| appending(CheckpointId(id))).collect();
    ok(squash(bodies.iter().map(Vec::as_slice)), "bodies can be folded")
}

/// A batch of checkpoints.
pub(super) fn batch(checkpoints: impl IntoIterator<Item = CheckpointRecord>) -> Batch {
    Batch { checkpoints: checkpoints.into_iter().collect(), ..Batch::default() }
}

/// A batch of records.
pub(super) fn noting(records: impl IntoIterator<Item = TaskRecord>) -> Batch {
    Batch { records: records.into_iter().collect(), ..Batch::default() }
}

/// A record.
pub(super) fn record(checkpoint: u64, task: u32, kind: RecordKind, name: &str, data: &[u8]) -> TaskRecord {
    TaskRecord::new(RecordKey::new(CheckpointId(checkpoint), task, kind, name), data.to_vec())
}

/// Reads a checkpoint that must be there.
#[track_caller]
pub(super) fn there<T>(found: Result<Option<T>, StoreError>, promise: &str) -> T {
    match ok(found, promise) {
        Some(found) => found,
        None => panic!("broken promise: {promise}; it is not there"),
    }
}

/// Reads the checkpoint of a number.
pub(super) async fn read<C: Checkpointer>(store: &C, key: &ThreadKey, id: u64) -> Loaded {
    there(store.read(key, Some(CheckpointId(id))).await, &format!("checkpoint {id} of `{key}` can be read"))
}

/// The numbers of all checkpoints of a history, newest first.
pub(super) async fn ids<C: Checkpointer>(store: &C, key: &ThreadKey) -> Vec<u64> {
    let headers = ok(store.list(key, &Query::all()).await, "a history can be listed");
    headers.into_iter().map(|header| header.id.0).collect()
}

/// What a call gave that must not fail.
#[track_caller]
pub(super) fn ok<T>(result: Result<T, StoreError>, promise: &str) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("broken promise: {promise}; it failed: {error} ({error:?})"),
    }
}

/// Checks that a call was refused in the right way.
#[track_caller]
pub(super) fn refused<T>(result: Result<T, StoreError>, kind: StoreErrorKind, promise: &str) {
    match result {
        Ok(_) => panic!("broken promise: {promise}; it was accepted"),
        Err(error) => {
            assert!(
                error.kind() == kind,
                "broken promise: {promise}; expected an error of kind {kind:?}, got {error:?}"
            );
        }
    }
}
