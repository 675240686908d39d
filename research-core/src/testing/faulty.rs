//! A store that fails where a test wants it to, and crashes at every place where a run can be cut off.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::SystemTime;

use futures::future::poll_fn;

use crate::checkpoint::{
    Batch, CheckpointId, Checkpointer, Claim, Header, Lease, LeaseReply, Loaded, Prune, Query, Seen, StoreError,
    StoreErrorKind, ThreadKey,
};
use crate::journal::crash::crash;

/// A store in front of another one, that fails one call.
///
/// A run over it is cut off at that call: [`When::Before`] like a process that died before the write, [`When::After`] like one
/// that died after the write was done and before it was told. Failing the first, the second and so on until a run passes
/// leaves no place out:
///
/// ```
/// use research_core::testing::{Faulty, When};
/// use research_core::{END, Graph, MemoryCheckpointer, State};
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Count {
///     #[reduce(add)]
///     n: u32,
/// }
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let mut g = Graph::<Count>::new("count");
/// let up = g.node("up", |_cx| async { Ok(Count::update().n(1)) });
/// g.entry(up).route(up, move |s: &Count| if s.n < 5 { up } else { END });
/// let graph = g.compile()?;
///
/// for when in [When::Before, When::After] {
///     for call in 1.. {
///         let store = MemoryCheckpointer::new();
///         let faulty = Faulty::new(store.clone(), call, when);
///         let graph = graph.clone();
///         let broken = graph.run(Count::update()).checkpointer(faulty.clone()).thread("t").await;
///         let done = graph.run_or_resume(Count::update()).checkpointer(store).thread("t").await?;
///         assert_eq!(done.state.n, 5);
///         if broken.is_ok() {
///             break;
///         }
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Faulty<C> {
    store: C,
    calls: Arc<AtomicU64>,
    fails: u64,
    when: When,
}

/// When the call that fails fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum When {
    /// Instead of being done.
    Before,
    /// After it was done.
    After,
}

impl<C: Checkpointer> Faulty<C> {
    /// A store whose `call`th claim, write, read or change of a lease (counted from 1) fails; so do all later ones, since the process is dead.
    pub fn new(store: C, call: u64, when: When) -> Self {
        Self { store, calls: Arc::default(), fails: call, when }
    }

    /// Calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    async fn call<T>(&self, call: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        let number = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let dead = || StoreError::new(StoreErrorKind::Unavailable, format!("call {number} fails, as the test wants"));
        if number > self.fails || (number == self.fails && self.when == When::Before) {
            return Err(dead());
        }
        let done = call.await?;
        if number == self.fails { Err(dead()) } else { Ok(done) }
    }
}

impl<C: Checkpointer> Checkpointer for Faulty<C> {
    async fn claim(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Claim, StoreError> {
        self.call(self.store.claim(key, at)).await
    }
    async fn claim_if(&self, key: &ThreadKey, seen: &Seen) -> Result<Option<u64>, StoreError> {
        self.call(self.store.claim_if(key, seen)).await
    }
    async fn put(&self, key: &ThreadKey, epoch: u64, batch: Batch) -> Result<(), StoreError> {
        self.call(self.store.put(key, epoch, batch)).await
    }
    async fn read(&self, key: &ThreadKey, at: Option<CheckpointId>) -> Result<Option<Loaded>, StoreError> {
        self.call(self.store.read(key, at)).await
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
    async fn acquire_lease(
        &self,
        thread: &str,
        run: &str,
        now: SystemTime,
        until: SystemTime,
    ) -> Result<LeaseReply, StoreError> {
        self.call(self.store.acquire_lease(thread, run, now, until)).await
    }
    async fn renew_lease(&self, thread: &str, token: u64, until: SystemTime) -> Result<bool, StoreError> {
        self.call(self.store.renew_lease(thread, token, until)).await
    }
    async fn release_lease(&self, thread: &str, token: u64) -> Result<(), StoreError> {
        self.call(self.store.release_lease(thread, token)).await
    }
    async fn lease(&self, thread: &str) -> Result<Option<Lease>, StoreError> {
        self.store.lease(thread).await
    }
}

/// Polls a future at most `polls` times, then drops it, as a crash between two awaits would. `None` when it had not ended.
///
/// A loop over 1, 2, 3 … that starts a run again on the same store after each crash, until one passes, cuts it off at
/// every await that waits.
pub async fn crash_after<T>(polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = Box::pin(future);
    let mut left = polls;
    let ended = poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(cx) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await;
    crash(future);
    ended
}
