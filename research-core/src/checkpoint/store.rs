//! The trait of a store, and the object-safe twin that the engine keeps.

use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::error::StoreError;
use super::record::{Batch, CheckpointId, Claim, Header, Loaded, Prune, Query, ThreadKey};

/// Keeps the checkpoints of threads. Implement the methods as `async fn`.
///
/// What a store promises, and the `contract` suite (feature `testing`) checks:
///
/// * A batch is written as a whole or not at all, and what a call reports as written survives the process.
/// * [`claim`](Checkpointer::claim) fences: afterwards writes with an older epoch are refused with a conflict, and nothing of
///   them is written. So of two writers on one thread the one that came first is told, and no update is lost silently.
/// * Reads see everything that was written before through the same store.
/// * Every error is a [`StoreError`]; no method panics.
///
/// [`MemoryCheckpointer`](super::MemoryCheckpointer) is the model to read.
pub trait Checkpointer: Debug + Send + Sync + 'static {
    /// Takes over a thread and namespace, which need not exist yet, and reads the checkpoint `at`, or the newest.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached, or what it holds cannot be read. A checkpoint `at` that does not exist is no error: `loaded` is `None`.
    fn claim(
        &self,
        key: &ThreadKey,
        at: Option<CheckpointId>,
    ) -> impl Future<Output = Result<Claim, StoreError>> + Send;

    /// Writes a batch as the holder of `epoch`.
    ///
    /// # Errors
    ///
    /// A conflict when a later claim was made or a checkpoint of the batch exists already, and
    /// [`NotFound`](super::StoreErrorKind::NotFound) when a record belongs to a checkpoint that is neither there nor in the
    /// batch; nothing is written then.
    fn put(&self, key: &ThreadKey, epoch: u64, batch: Batch) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Reads the checkpoint `at`, or the newest, without taking the thread over.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached, or what it holds cannot be read.
    fn read(
        &self,
        key: &ThreadKey,
        at: Option<CheckpointId>,
    ) -> impl Future<Output = Result<Option<Loaded>, StoreError>> + Send;

    /// The checkpoints of a thread and namespace, newest first.
    ///
    /// # Errors
    ///
    /// As [`read`](Checkpointer::read).
    fn list(&self, key: &ThreadKey, query: &Query) -> impl Future<Output = Result<Vec<Header>, StoreError>> + Send;

    /// The threads that have a checkpoint, in the order of their names: those after `after`, at most `limit`.
    ///
    /// # Errors
    ///
    /// As [`read`](Checkpointer::read).
    fn threads(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send;

    /// The namespaces of a thread that have a checkpoint, in the order of their names.
    ///
    /// # Errors
    ///
    /// As [`read`](Checkpointer::read).
    fn namespaces(&self, thread: &str) -> impl Future<Output = Result<Vec<String>, StoreError>> + Send;

    /// Removes a thread with all its namespaces. Nothing happens when there is none. Whoever holds a claim on it is fenced off.
    ///
    /// # Errors
    ///
    /// When the store cannot be reached or written.
    fn delete_thread(&self, thread: &str) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Removes the checkpoints that a run wrote on a thread, in all namespaces; gives their number. What was built on them
    /// stays readable.
    ///
    /// # Errors
    ///
    /// As [`delete_thread`](Checkpointer::delete_thread).
    fn delete_run(&self, thread: &str, run: &str) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Copies a thread with all its namespaces, checkpoints and records to a new name.
    ///
    /// # Errors
    ///
    /// When `from` does not exist, when `to` exists, or as [`delete_thread`](Checkpointer::delete_thread).
    fn copy_thread(&self, from: &str, to: &str) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Removes old checkpoints of a thread; gives their number.
    ///
    /// # Errors
    ///
    /// As [`delete_thread`](Checkpointer::delete_thread).
    fn prune(&self, thread: &str, prune: &Prune) -> impl Future<Output = Result<u64, StoreError>> + Send;
}

/// A shared store is a store.
impl<C: Checkpointer> Checkpointer for Arc<C> {
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        C::claim(self, key, at).await
    }
    async fn put(&self, key: &ThreadKey, epoch: u64, batch: Batch) -> Result<(), StoreError> {
        C::put(self, key, epoch, batch).await
    }
    async fn read(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        C::read(self, key, at).await
    }
    async fn list(&self, key: &ThreadKey, query: &Query) -> Result<Vec<Header>, StoreError> {
        C::list(self, key, query).await
    }
    async fn threads(&self, after: Option<&str>, limit: usize) -> Result<Vec<String>, StoreError> {
        C::threads(self, after, limit).await
    }
    async fn namespaces(&self, thread: &str) -> Result<Vec<String>, StoreError> {
        C::namespaces(self, thread).await
    }
    async fn delete_thread(&self, thread: &str) -> Result<(), StoreError> {
        C::delete_thread(self, thread).await
    }
    async fn delete_run(&self, thread: &str, run: &str) -> Result<u64, StoreError> {
        C::delete_run(self, thread, run).await
    }
    async fn copy_thread(&self, from: &str, to: &str) -> Result<(), StoreError> {
        C::copy_thread(self, from, to).await
    }
    async fn prune(&self, thread: &str, prune: &Prune) -> Result<u64, StoreError> {
        C::prune(self, thread, prune).await
    }
}

/// The twin of [`Checkpointer`] that can be a trait object.
pub(crate) trait DynCheckpointer: Debug + Send + Sync + 'static {
    fn claim<'a>(&'a self, key: &'a ThreadKey, at: Option<CheckpointId>) -> BoxFuture<'a, Result<Claim, StoreError>>;
    /// Owns what it needs, so that a write can go on while the run does.
    fn put(self: Arc<Self>, key: ThreadKey, epoch: u64, batch: Batch) -> BoxFuture<'static, Result<(), StoreError>>;
    fn read<'a>(
        &'a self,
        key: &'a ThreadKey,
        at: Option<CheckpointId>,
    ) -> BoxFuture<'a, Result<Option<Loaded>, StoreError>>;
    fn list<'a>(&'a self, key: &'a ThreadKey, query: &'a Query) -> BoxFuture<'a, Result<Vec<Header>, StoreError>>;
    fn namespaces<'a>(&'a self, thread: &'a str) -> BoxFuture<'a, Result<Vec<String>, StoreError>>;
    fn delete_thread<'a>(&'a self, thread: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;
    fn delete_run<'a>(&'a self, thread: &'a str, run: &'a str) -> BoxFuture<'a, Result<u64, StoreError>>;
    fn copy_thread<'a>(&'a self, from: &'a str, to: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;
    fn prune<'a>(&'a self, thread: &'a str, prune: &'a Prune) -> BoxFuture<'a, Result<u64, StoreError>>;
}

impl<C: Checkpointer> DynCheckpointer for C {
    fn claim<'a>(&'a self, key: &'a ThreadKey, at: Option<CheckpointId>) -> BoxFuture<'a, Result<Claim, StoreError>> {
        Box::pin(Checkpointer::claim(self, key, at))
    }
    fn put(self: Arc<Self>, key: ThreadKey, epoch: u64, batch: Batch) -> BoxFuture<'static, Result<(), StoreError>> {
        Box::pin(async move { Checkpointer::put(&*self, &key, epoch, batch).await })
    }
    fn read<'a>(
        &'a self,
        key: &'a ThreadKey,
        at: Option<CheckpointId>,
    ) -> BoxFuture<'a, Result<Option<Loaded>, StoreError>> {
        Box::pin(Checkpointer::read(self, key, at))
    }
    fn list<'a>(&'a self, key: &'a ThreadKey, query: &'a Query) -> BoxFuture<'a, Result<Vec<Header>, StoreError>> {
        Box::pin(Checkpointer::list(self, key, query))
    }
    fn namespaces<'a>(&'a self, thread: &'a str) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
        Box::pin(Checkpointer::namespaces(self, thread))
    }
    fn delete_thread<'a>(&'a self, thread: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(Checkpointer::delete_thread(self, thread))
    }
    fn delete_run<'a>(&'a self, thread: &'a str, run: &'a str) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(Checkpointer::delete_run(self, thread, run))
    }
    fn copy_thread<'a>(&'a self, from: &'a str, to: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(Checkpointer::copy_thread(self, from, to))
    }
    fn prune<'a>(&'a self, thread: &'a str, prune: &'a Prune) -> BoxFuture<'a, Result<u64, StoreError>> {
        Box::pin(Checkpointer::prune(self, thread, prune))
    }
}
