//! The trait of a store, and the object-safe twin that the engine keeps.

use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;

use futures::future::BoxFuture;

use super::error::StoreError;
use super::lease::{Lease, LeaseReply, unsupported};
use super::record::{Batch, CheckpointId, Claim, Header, Loaded, Prune, Query, Seen, ThreadKey};

/// Keeps the checkpoints of threads. Implement the methods as `async fn`.
///
/// What a store promises, and the `contract` suite (feature `testing`) checks:
///
/// * A batch is written as a whole or not at all, and what a call reports as written survives the process.
/// * [`claim`](Checkpointer::claim) fences: afterwards writes with an older epoch are refused with a conflict, and nothing of
///   them is written. So of two writers on one thread the one that came first is told, and no update is lost silently.
/// * Reads see everything that was written before through the same store.
/// * A store either keeps leases, or refuses all four methods of leases as
///   [unsupported](super::StoreErrorKind::Unsupported), which is their default. Of the runs that ask for the
///   [lease](Lease) of a thread at the same time one is granted it, and no other until that lease is released or has expired.
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

    /// Takes over a thread and namespace if they are still as `seen`, and gives the new epoch; otherwise changes
    /// nothing, fences no one off, and gives `None`. Where `seen` has a [lease](Seen::lease), the thread must still be under
    /// that lease, too, expired or not.
    ///
    /// A run reads a thread and checks everything that could refuse it before it claims the thread, so that a
    /// refused run never ends the one that works on it. The comparison and the claim are one step: a store in
    /// which others write in between must override this method, which reads, compares and claims one after the
    /// other.
    ///
    /// # Errors
    ///
    /// As [`claim`](Checkpointer::claim).
    fn claim_if(&self, key: &ThreadKey, seen: &Seen) -> impl Future<Output = Result<Option<u64>, StoreError>> + Send {
        async move {
            let newest = self.read(key, None).await?;
            let mut now = Seen::head(newest.as_ref().map(|loaded| loaded.header.id));
            if seen.records.is_some() {
                now = now.records(newest.iter().flat_map(|loaded| &loaded.records));
            }
            if seen.lease.is_some() {
                now.lease = self.lease(&key.thread).await?.map(|lease| lease.token);
            }
            match now == *seen {
                true => Ok(Some(self.claim(key, None).await?.epoch)),
                false => Ok(None),
            }
        }
    }

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

    /// Grants `run` the lease of a thread until `until`, unless another lease of the thread has not expired at `now`. The
    /// thread need not exist yet. An earlier lease of a run with the same id counts as another one.
    ///
    /// The comparison and the grant are one step, also where several processes share the store.
    ///
    /// # Errors
    ///
    /// [`Unsupported`](super::StoreErrorKind::Unsupported) when the store keeps no leases, or as
    /// [`delete_thread`](Checkpointer::delete_thread).
    fn acquire_lease(
        &self,
        thread: &str,
        run: &str,
        now: SystemTime,
        until: SystemTime,
    ) -> impl Future<Output = Result<LeaseReply, StoreError>> + Send {
        let _ = (thread, run, now, until);
        async { Err(unsupported()) }
    }

    /// Extends the lease `token` of a thread until `until`, whether or not it has expired; gives whether the thread is still
    /// under that lease. It is not after another run was granted the lease, or the thread was deleted.
    ///
    /// # Errors
    ///
    /// As [`acquire_lease`](Checkpointer::acquire_lease).
    fn renew_lease(
        &self,
        thread: &str,
        token: u64,
        until: SystemTime,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send {
        let _ = (thread, token, until);
        async { Err(unsupported()) }
    }

    /// Ends the lease `token` of a thread. Nothing happens when the thread is not under that lease any more.
    ///
    /// # Errors
    ///
    /// As [`acquire_lease`](Checkpointer::acquire_lease).
    fn release_lease(&self, thread: &str, token: u64) -> impl Future<Output = Result<(), StoreError>> + Send {
        let _ = (thread, token);
        async { Err(unsupported()) }
    }

    /// Reads the newest lease of a thread, expired or not; `None` when it was released or there was none.
    ///
    /// # Errors
    ///
    /// As [`acquire_lease`](Checkpointer::acquire_lease).
    fn lease(&self, thread: &str) -> impl Future<Output = Result<Option<Lease>, StoreError>> + Send {
        let _ = thread;
        async { Err(unsupported()) }
    }
}

/// A shared store is a store.
impl<C: Checkpointer> Checkpointer for Arc<C> {
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        C::claim(self, key, at).await
    }
    async fn claim_if(&self, key: &ThreadKey, seen: &Seen) -> Result<Option<u64>, StoreError> {
        C::claim_if(self, key, seen).await
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
    async fn acquire_lease(
        &self,
        thread: &str,
        run: &str,
        now: SystemTime,
        until: SystemTime,
    ) -> Result<LeaseReply, StoreError> {
        C::acquire_lease(self, thread, run, now, until).await
    }
    async fn renew_lease(&self, thread: &str, token: u64, until: SystemTime) -> Result<bool, StoreError> {
        C::renew_lease(self, thread, token, until).await
    }
    async fn release_lease(&self, thread: &str, token: u64) -> Result<(), StoreError> {
        C::release_lease(self, thread, token).await
    }
    async fn lease(&self, thread: &str) -> Result<Option<Lease>, StoreError> {
        C::lease(self, thread).await
    }
}

/// The twin of [`Checkpointer`] that can be a trait object.
pub(crate) trait DynCheckpointer: Debug + Send + Sync + 'static {
    fn claim<'a>(&'a self, key: &'a ThreadKey, at: Option<CheckpointId>) -> BoxFuture<'a, Result<Claim, StoreError>>;
    fn claim_if<'a>(&'a self, key: &'a ThreadKey, seen: &'a Seen) -> BoxFuture<'a, Result<Option<u64>, StoreError>>;
    /// Owns what it needs, so that a write can go on while the run does.
    fn put(self: Arc<Self>, key: ThreadKey, epoch: u64, batch: Batch) -> BoxFuture<'static, Result<(), StoreError>>;
    fn read<'a>(
        &'a self,
        key: &'a ThreadKey,
        at: Option<CheckpointId>,
    ) -> BoxFuture<'a, Result<Option<Loaded>, StoreError>>;
    fn list<'a>(&'a self, key: &'a ThreadKey, query: &'a Query) -> BoxFuture<'a, Result<Vec<Header>, StoreError>>;
    fn threads<'a>(&'a self, after: Option<&'a str>, limit: usize) -> BoxFuture<'a, Result<Vec<String>, StoreError>>;
    fn namespaces<'a>(&'a self, thread: &'a str) -> BoxFuture<'a, Result<Vec<String>, StoreError>>;
    fn delete_thread<'a>(&'a self, thread: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;
    fn delete_run<'a>(&'a self, thread: &'a str, run: &'a str) -> BoxFuture<'a, Result<u64, StoreError>>;
    fn copy_thread<'a>(&'a self, from: &'a str, to: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;
    fn prune<'a>(&'a self, thread: &'a str, prune: &'a Prune) -> BoxFuture<'a, Result<u64, StoreError>>;
    fn acquire_lease<'a>(
        &'a self,
        thread: &'a str,
        run: &'a str,
        now: SystemTime,
        until: SystemTime,
    ) -> BoxFuture<'a, Result<LeaseReply, StoreError>>;
    fn renew_lease<'a>(
        &'a self,
        thread: &'a str,
        token: u64,
        until: SystemTime,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;
    fn release_lease<'a>(&'a self, thread: &'a str, token: u64) -> BoxFuture<'a, Result<(), StoreError>>;
}

impl<C: Checkpointer> DynCheckpointer for C {
    fn claim<'a>(&'a self, key: &'a ThreadKey, at: Option<CheckpointId>) -> BoxFuture<'a, Result<Claim, StoreError>> {
        Box::pin(Checkpointer::claim(self, key, at))
    }
    fn claim_if<'a>(&'a self, key: &'a ThreadKey, seen: &'a Seen) -> BoxFuture<'a, Result<Option<u64>, StoreError>> {
        Box::pin(Checkpointer::claim_if(self, key, seen))
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
    fn threads<'a>(&'a self, after: Option<&'a str>, limit: usize) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
        Box::pin(Checkpointer::threads(self, after, limit))
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
    fn acquire_lease<'a>(
        &'a self,
        thread: &'a str,
        run: &'a str,
        now: SystemTime,
        until: SystemTime,
    ) -> BoxFuture<'a, Result<LeaseReply, StoreError>> {
        Box::pin(Checkpointer::acquire_lease(self, thread, run, now, until))
    }
    fn renew_lease<'a>(
        &'a self,
        thread: &'a str,
        token: u64,
        until: SystemTime,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(Checkpointer::renew_lease(self, thread, token, until))
    }
    fn release_lease<'a>(&'a self, thread: &'a str, token: u64) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(Checkpointer::release_lease(self, thread, token))
    }
}
