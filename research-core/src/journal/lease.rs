//! The lease that a run holds on its thread: taken before the thread is read, renewed while the run works, released at its end.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::{Duration, SystemTime};

use tokio::runtime::Handle;

use crate::checkpoint::{DynCheckpointer, Lease, LeaseReply, StoreError, StoreErrorKind};
use crate::clock::Clock;

/// How often a lease is renewed during its term, so that two renewals may fail before it expires.
const RENEWALS: u32 = 3;

/// What is needed to ask for a lease.
#[derive(Clone)]
pub(crate) struct LeaseOrder {
    pub(crate) store: Arc<dyn DynCheckpointer>,
    pub(crate) thread: Arc<str>,
    pub(crate) run: Arc<str>,
    pub(crate) clock: Arc<dyn Clock>,
    /// How long the lease lasts without a renewal.
    pub(crate) term: Duration,
}

impl LeaseOrder {
    /// Asks for the lease once; gives the lease of the run that holds it instead, if there is one.
    pub(crate) async fn acquire(&self) -> Result<Result<LeaseGuard, Lease>, StoreError> {
        let (now, until) = self.term_from_now();
        match self.store.acquire_lease(&self.thread, &self.run, now, until).await? {
            LeaseReply::Granted(token) => Ok(Ok(LeaseGuard(Some(Arc::new(RunLease { order: self.clone(), token }))))),
            LeaseReply::Held(lease) => Ok(Err(lease)),
        }
    }

    fn term_from_now(&self) -> (SystemTime, SystemTime) {
        let now = self.clock.now();
        (now, now.checked_add(self.term).unwrap_or(now))
    }
}

/// A lease that was granted.
pub(crate) struct RunLease {
    order: LeaseOrder,
    token: u64,
}

impl RunLease {
    pub(crate) const fn token(&self) -> u64 {
        self.token
    }

    /// Extends the lease by its term; gives whether the thread is still under it.
    pub(crate) async fn renew(&self) -> Result<bool, StoreError> {
        let (_, until) = self.order.term_from_now();
        self.order.store.renew_lease(&self.order.thread, self.token, until).await
    }

    /// Renews the lease until the run has lost it.
    pub(crate) async fn keep(&self) -> StoreError {
        loop {
            self.order.clock.sleep(self.order.term / RENEWALS).await;
            match self.renew().await {
                Ok(true) => {}
                Ok(false) => return self.lost(),
                // The next renewal may succeed. If none does, the lease expires, and whatever another run writes then fences
                // this one off.
                Err(error) => tracing::warn!(
                    target: "research_core",
                    thread = &*self.order.thread,
                    %error,
                    "the lease of the thread could not be renewed"
                ),
            }
        }
    }

    /// The error of a run whose lease another run has taken.
    #[cold]
    pub(crate) fn lost(&self) -> StoreError {
        StoreError::new(
            StoreErrorKind::Conflict,
            format!(
                "the run's lease of thread `{}` expired and another run took it, or the thread was deleted; read the thread \
                 again",
                self.order.thread
            ),
        )
    }

    async fn release(&self) {
        // A lease that cannot be released expires.
        if let Err(error) = self.order.store.release_lease(&self.order.thread, self.token).await {
            tracing::warn!(
                target: "research_core",
                thread = &*self.order.thread,
                %error,
                "the lease of the thread could not be released and expires by itself"
            );
        }
    }
}

/// The hold of a run on its lease. When it is dropped, the lease is released all the same.
pub(crate) struct LeaseGuard(Option<Arc<RunLease>>);

impl LeaseGuard {
    /// The lease, unless it was released.
    pub(crate) fn lease(&self) -> Option<&Arc<RunLease>> {
        self.0.as_ref()
    }

    /// Releases the lease.
    pub(crate) async fn release(&mut self) {
        if let Some(lease) = self.0.take() {
            lease.release().await;
        }
    }

    /// Releases the lease after `last`, on the runtime if there is one.
    pub(super) fn release_after(mut self, last: impl Future<Output = ()> + Send + 'static) {
        let Some(lease) = self.0.take() else { return };
        run_in_background(async move {
            last.await;
            lease.release().await;
        });
    }
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        #[cfg(feature = "testing")]
        if super::crash::is_on() {
            return;
        }
        if let Some(lease) = self.0.take() {
            run_in_background(async move { lease.release().await });
        }
    }
}

impl fmt::Debug for LeaseGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LeaseGuard").field(&self.0.as_ref().map(|lease| lease.token)).finish()
    }
}

/// Leaves work to the runtime. Without one the work is begun, which is enough for stores that take a write over at once.
fn run_in_background(work: impl Future<Output = ()> + Send + 'static) {
    let mut work = Box::pin(work);
    let begun = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    if let (true, Ok(runtime)) = (begun.is_pending(), Handle::try_current()) {
        runtime.spawn(work);
    }
}
