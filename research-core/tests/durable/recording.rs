//! A store that notes how much is written.

use std::sync::{Arc, Mutex};

use research_core::checkpoint::{Batch, Claim, Header, Loaded, Prune, Query, ThreadKey};
use research_core::{CheckpointId, Checkpointer, MemoryCheckpointer, StoreError};

/// Keeps threads in memory, and the length of every checkpoint that was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording {
    store: MemoryCheckpointer,
    written: Arc<Mutex<Vec<usize>>>,
}

impl Recording {
    /// Bytes of body and due tasks of each checkpoint, in order.
    pub(crate) fn written(&self) -> Vec<usize> {
        self.written.lock().unwrap().clone()
    }
}

impl Checkpointer for Recording {
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        self.store.claim(key, at).await
    }
    async fn put(&self, key: &ThreadKey, epoch: u64, batch: Batch) -> Result<(), StoreError> {
        let lengths = batch.checkpoints.iter().map(|checkpoint| checkpoint.body.len() + checkpoint.header.next.len());
        self.written.lock().unwrap().extend(lengths);
        self.store.put(key, epoch, batch).await
    }
    async fn read(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        self.store.read(key, at).await
    }
    async fn list(&self, key: &ThreadKey, query: &Query) -> Result<Vec<Header>, StoreError> {
        self.store.list(key, query).await
    }
    async fn threads(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        self.store.threads(after, limit).await
    }
    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, StoreError> {
        self.store.namespaces(thread).await
    }
    async fn delete_thread(&self, thread: &str) -> Result<(), StoreError> {
        self.store.delete_thread(thread).await
    }
    async fn delete_run(&self, thread: &str, run: &str) -> Result<u64, StoreError> {
        self.store.delete_run(thread, run).await
    }
    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), StoreError> {
        self.store.copy_thread(from, to).await
    }
    async fn prune(&self, thread: &str, prune: &Prune) -> Result<u64, StoreError> {
        self.store.prune(thread, prune).await
    }
}
