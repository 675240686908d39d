//! The ordered way of a run's writes to its store.
//!
//! Batches are written one after the other; those that come while one is on its way are written together after it. Whoever
//! waits for the journal drives it, and a write that was begun is carried on by the next who waits. What is still queued when
//! the run is dropped is left to the runtime.

#[cfg(feature = "testing")]
pub(crate) mod crash;
mod if_idle;
mod lease;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use futures::future::{BoxFuture, poll_fn};
use tokio::runtime::Handle;

pub use if_idle::IfIdle;
pub(crate) use lease::{LeaseGuard, LeaseOrder, RunLease};

use crate::checkpoint::{Batch, CheckpointId, DynCheckpointer, Seen, StoreError, TaskRecord, ThreadKey};

pub(crate) struct Journal {
    store: Arc<dyn DynCheckpointer>,
    key: ThreadKey,
    /// The fence of the claim; nothing is written before there is one.
    epoch: OnceLock<u64>,
    /// The run that writes.
    run: Arc<str>,
    state: Mutex<State>,
    readers: Arc<WakeAll>,
}

struct State {
    /// The checkpoint that the tasks of the running step belong to.
    at: CheckpointId,
    /// The run that wrote it, or that will.
    by: Arc<str>,
    /// The newest checkpoint that is stored or queued; older than `at` while its successor is kept for the exit.
    saved: CheckpointId,
    waiting: Batch,
    /// How many batches were queued so far, how many of them were handed to the store, and how many it has written.
    queued: u64,
    begun: u64,
    written: u64,
    writing: Option<BoxFuture<'static, Result<(), StoreError>>>,
    failed: Option<Arc<StoreError>>,
}

impl State {
    /// What is to be written next. Records of a checkpoint that was never queued are dropped: another run may give its number
    /// to a checkpoint of its own.
    fn take(&mut self) -> Batch {
        self.begun = self.queued;
        let mut batch = std::mem::take(&mut self.waiting);
        if self.at != self.saved {
            let (at, saved) = (self.at, self.saved);
            let is_there = |id: CheckpointId| id != at || id == saved;
            batch.records.retain(|record| is_there(record.key.checkpoint));
            batch.removed.retain(|key| is_there(key.checkpoint));
        }
        batch
    }
}

/// Wakes all who wait, so that the write goes on whoever of them is dropped. By the identity of a waker, so that a task which
/// looks often is there once.
#[derive(Default)]
struct WakeAll(Mutex<Wakers>);

/// The wakers of those who wait: nearly always of one task.
#[derive(Default)]
struct Wakers {
    first: Option<Waker>,
    others: HashMap<(usize, usize), Waker>,
}

impl WakeAll {
    fn add(&self, waker: &Waker) {
        let mut wakers = self.lock();
        match &wakers.first {
            None => wakers.first = Some(waker.clone()),
            Some(first) if first.will_wake(waker) => {}
            Some(_) => {
                let identity = (waker.data() as usize, std::ptr::from_ref(waker.vtable()) as usize);
                wakers.others.entry(identity).or_insert_with(|| waker.clone());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Wakers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wake for WakeAll {
    fn wake(self: Arc<Self>) {
        let Wakers { first, others } = std::mem::take(&mut *self.lock());
        first.into_iter().chain(others.into_values()).for_each(Waker::wake);
    }
}

/// The hold that a run has on its journal, and on the lease of its thread if it has one. When it is dropped, what is still
/// queued gets to the store all the same, and then the lease is released.
#[derive(Debug)]
pub(crate) struct Held {
    journal: Arc<Journal>,
    lease: Option<LeaseGuard>,
}

impl Held {
    pub(crate) fn new(journal: Arc<Journal>, lease: Option<LeaseGuard>) -> Self {
        Self { journal, lease }
    }

    /// Releases the lease of a run that has written everything.
    pub(crate) async fn release(&mut self) {
        if let Some(lease) = &mut self.lease {
            lease.release().await;
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        #[cfg(feature = "testing")]
        if crash::is_on() {
            return;
        }
        // Many stores have taken the write over after the first look; for others somebody must go on looking.
        let looked = self.journal.poll(&mut Context::from_waker(Waker::noop()));
        let journal = Arc::clone(&self.journal);
        if let Some(lease) = self.lease.take() {
            lease.release_after(async move { drop(journal.flush().await) });
        } else if let (Poll::Pending, Ok(runtime)) = (looked, Handle::try_current()) {
            // Nobody is left to be told of a failure; the thread stands then where the last write left it.
            runtime.spawn(async move { journal.flush().await.is_ok() });
        }
    }
}

impl Journal {
    /// The journal of a run that begins at a checkpoint, which the run `by` wrote.
    pub(crate) fn new(
        store: Arc<dyn DynCheckpointer>,
        key: ThreadKey,
        run: Arc<str>,
        (at, by): (CheckpointId, Arc<str>),
    ) -> Self {
        let state = State {
            at,
            by,
            saved: at,
            waiting: Batch::default(),
            queued: 0,
            begun: 0,
            written: 0,
            writing: None,
            failed: None,
        };
        Self { store, key, epoch: OnceLock::new(), run, state: Mutex::new(state), readers: Arc::default() }
    }

    /// Takes the thread over if it still is as it was `seen`; says whether it did. Without `seen`, whatever it is.
    pub(crate) async fn claim(&self, seen: Option<&Seen>) -> Result<bool, StoreError> {
        let claimed = match seen {
            Some(seen) => self.store.claim_if(&self.key, seen).await?,
            None => Some(self.store.claim(&self.key, None).await?.epoch),
        };
        Ok(claimed.is_some_and(|epoch| self.epoch.set(epoch).is_ok()))
    }

    /// The claim's fence. No store gives out 0, so that a write before the claim is refused.
    fn epoch(&self) -> u64 {
        self.epoch.get().copied().unwrap_or(0)
    }

    pub(crate) fn store(&self) -> &Arc<dyn DynCheckpointer> {
        &self.store
    }

    pub(crate) fn key(&self) -> &ThreadKey {
        &self.key
    }

    /// The checkpoint that the tasks of the running step belong to.
    pub(crate) fn at(&self) -> CheckpointId {
        self.lock().at
    }

    /// A name for a task of a step: the same for every execution of it, and for no other task of the thread, also where a
    /// number of a checkpoint is given again because the run that had it was lost.
    pub(crate) fn call(&self, step: u64, task: usize) -> String {
        let state = self.lock();
        format!("{}.{step}.{task}@{}", state.at, state.by)
    }

    /// Queues a batch; `at` is the checkpoint that tasks belong to from now on.
    pub(crate) fn push(&self, batch: Batch, at: Option<CheckpointId>) {
        let mut state = self.lock();
        state.waiting.extend(batch);
        state.queued += 1;
        if let Some(at) = at {
            (state.at, state.by, state.saved) = (at, Arc::clone(&self.run), at);
        }
    }

    /// Queues the record that `make` gives for the checkpoint that tasks belong to; says whether it gave one. That checkpoint stays
    /// the same meanwhile.
    pub(crate) fn record(&self, make: impl FnOnce(CheckpointId) -> Option<TaskRecord>) -> bool {
        let mut state = self.lock();
        let record = make(state.at);
        let made = record.is_some();
        state.waiting.records.extend(record);
        state.queued += u64::from(made);
        made
    }

    /// Forgets records that wait, because the step they belong to is over, and names the checkpoint that tasks belong to now.
    pub(crate) fn start_over(&self, at: CheckpointId) {
        let mut state = self.lock();
        state.waiting.records.clear();
        state.waiting.removed.clear();
        (state.at, state.by) = (at, Arc::clone(&self.run));
    }

    /// Whether everything is written.
    pub(crate) fn is_quiet(&self) -> bool {
        let state = self.lock();
        state.writing.is_none() && state.waiting.is_empty()
    }

    /// Checkpoints that wait to be written.
    pub(crate) fn backlog(&self) -> usize {
        self.lock().waiting.checkpoints.len()
    }

    /// Waits until everything that was queued by now is written, whatever others queue meanwhile.
    pub(crate) async fn flush(&self) -> Result<(), Arc<StoreError>> {
        let queued = self.lock().queued;
        poll_fn(|cx| self.poll_until(queued, cx)).await
    }

    /// Makes sure that nobody has taken the thread over, without writing what waits.
    pub(crate) async fn confirm(&self) -> Result<(), Arc<StoreError>> {
        let confirmed = Arc::clone(&self.store).put(self.key.clone(), self.epoch(), Batch::default()).await;
        confirmed.map_err(|error| Arc::clone(self.lock().failed.get_or_insert(Arc::new(error))))
    }

    /// Waits until at most `backlog` checkpoints wait to be written, without waiting for the write on its way.
    pub(crate) async fn relieve(&self, backlog: usize) -> Result<(), Arc<StoreError>> {
        poll_fn(|cx| match self.poll(cx) {
            Poll::Pending if self.backlog() <= backlog => Poll::Ready(Ok(())),
            poll => poll,
        })
        .await
    }

    /// Carries the writes on. Ready when nothing is left to write, or when a write has failed.
    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<Result<(), Arc<StoreError>>> {
        self.poll_until(u64::MAX, cx)
    }

    /// Carries the writes on until so many batches are written.
    fn poll_until(&self, enough: u64, cx: &mut Context<'_>) -> Poll<Result<(), Arc<StoreError>>> {
        let mut state = self.lock();
        loop {
            if let Some(error) = &state.failed {
                return Poll::Ready(Err(Arc::clone(error)));
            }
            if state.written >= enough {
                return Poll::Ready(Ok(()));
            }
            if state.writing.is_none() {
                if state.waiting.is_empty() {
                    return Poll::Ready(Ok(()));
                }
                let batch = state.take();
                if batch.is_empty() {
                    continue;
                }
                state.writing = Some(Arc::clone(&self.store).put(self.key.clone(), self.epoch(), batch));
            }
            let Some(writing) = &mut state.writing else { continue };
            self.readers.add(cx.waker());
            let waker = Waker::from(Arc::clone(&self.readers));
            match writing.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(result) => {
                    state.writing = None;
                    state.failed = result.err().map(Arc::new);
                    state.written = state.begun;
                    waker.wake();
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("key", &self.key).field("epoch", &self.epoch).finish_non_exhaustive()
    }
}
