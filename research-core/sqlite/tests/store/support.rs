//! Checkpoints to write, and ways to write them.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use research_core::checkpoint::{
    Batch, CheckpointId, CheckpointRecord, Checkpointer, Header, Origin, StoreError, ThreadKey,
};

/// A checkpoint that stands for itself or is built on the one before it.
pub(crate) fn checkpoint(id: u64, base: u64, run: &str, body: Vec<u8>) -> CheckpointRecord {
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + id);
    let parent = (id > 1).then(|| CheckpointId(id - 1));
    let (id, base) = (CheckpointId(id), CheckpointId(base));
    CheckpointRecord::new(
        Header::new(
            id,
            parent,
            base,
            run.into(),
            at,
            id.0,
            Origin::Step,
            Arc::default(),
            vec![0; 16],
        ),
        body,
    )
}

/// A batch of one checkpoint.
pub(crate) fn batch(checkpoint: CheckpointRecord) -> Batch {
    let mut batch = Batch::default();
    batch.checkpoints.push(checkpoint);
    batch
}

/// Bytes that depend on a number, and do not compress.
pub(crate) fn bytes(seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(len).collect()
}

/// A body as the engine writes it: a field is set to some bytes, or some bytes are appended to it. The format is that of
/// `research_core::checkpoint::squash`, with one `MessagePack` binary as the data.
pub(crate) fn body(append: bool, field: &str, data: &[u8]) -> Vec<u8> {
    let mut value = vec![0xc6];
    value.extend(u32::try_from(data.len()).unwrap().to_be_bytes());
    value.extend(data);
    let mut body = vec![u8::from(append)];
    body.extend(u16::try_from(field.len()).unwrap().to_le_bytes());
    body.extend(u32::try_from(value.len()).unwrap().to_le_bytes());
    body.extend(field.as_bytes());
    body.extend(value);
    body
}

/// Writes checkpoints `1..=count` that stand for themselves.
pub(crate) async fn fill(
    store: &impl Checkpointer,
    thread: &str,
    count: u64,
    len: usize,
) -> Result<u64, StoreError> {
    let key = ThreadKey::root(thread);
    let epoch = store.claim(&key, None).await?.epoch;
    for id in 1..=count {
        store
            .put(
                &key,
                epoch,
                batch(checkpoint(id, id, "run-1", bytes(id, len))),
            )
            .await?;
    }
    Ok(epoch)
}
