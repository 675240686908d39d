//! What can stop a run from outside: cancellation, draining, time limits.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::checkpoint::StoreError;
use crate::clock::Clock;
use crate::error::ErrorKind;

/// A future that says by its end that something is to happen.
pub(crate) type Signal = BoxFuture<'static, ()>;

pub(crate) struct Watch {
    cancel: Option<Signal>,
    drain: Option<Signal>,
    run_limit: Option<(Duration, Signal)>,
    step_limit: Option<(Duration, Option<Signal>)>,
    clock: Option<Arc<dyn Clock>>,
    /// The loss of the thread's lease.
    lost: Option<oneshot::Receiver<StoreError>>,
}

impl Watch {
    /// Starts the time of the run.
    pub(crate) fn new(
        cancel: Option<Signal>,
        drain: Option<Signal>,
        clock: &Arc<dyn Clock>,
        run: Option<Duration>,
        step: Option<Duration>,
    ) -> Self {
        let run_limit = run.map(|limit| (limit, clock.sleep(limit)));
        let step_limit = step.map(|limit| (limit, None));
        let clock = step.map(|_| Arc::clone(clock));
        Self { cancel, drain, run_limit, step_limit, clock, lost: None }
    }

    /// Stops the run when it is told that it has lost the lease of its thread.
    pub(crate) fn stop_when_lost(&mut self, lost: oneshot::Receiver<StoreError>) {
        self.lost = Some(lost);
    }

    /// Whether anything outside can end the run.
    pub(crate) fn is_set(&self) -> bool {
        self.drain.is_some() || !self.is_idle()
    }

    /// Whether nothing outside can stop a step.
    pub(crate) fn is_idle(&self) -> bool {
        self.cancel.is_none() && self.run_limit.is_none() && self.step_limit.is_none() && self.lost.is_none()
    }

    /// Starts the time of a step.
    pub(crate) fn step(&mut self) {
        if let (Some((limit, timer)), Some(clock)) = (&mut self.step_limit, &self.clock) {
            *timer = Some(clock.sleep(*limit));
        }
    }

    /// Whether the run was asked to stop after a step.
    pub(crate) fn drains(&mut self) -> bool {
        let asked = self.drain.as_mut().is_some_and(|drain| drain.now_or_never().is_some());
        if asked {
            // A future that has ended is not polled again.
            self.drain = Some(Box::pin(std::future::ready(())));
        }
        asked
    }

    /// Ready when `step`, which runs, has to stop.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>, step: u64) -> Poll<ErrorKind> {
        if let Some(Poll::Ready(lost)) = self.lost.as_mut().map(|lost| lost.poll_unpin(cx)) {
            self.lost = None;
            if let Ok(error) = lost {
                return Poll::Ready(ErrorKind::Store(Arc::new(error)));
            }
        }
        let over = |signal: &mut Signal, cx: &mut Context<'_>| signal.as_mut().poll(cx).is_ready();
        if self.cancel.as_mut().is_some_and(|cancel| over(cancel, cx)) {
            self.cancel = None;
            return Poll::Ready(ErrorKind::Cancelled { step });
        }
        if let Some((limit, timer)) = &mut self.run_limit
            && over(timer, cx)
        {
            let limit = *limit;
            self.run_limit = None;
            return Poll::Ready(ErrorKind::TimedOut { one_step: false, limit, step });
        }
        if let Some((limit, Some(timer))) = &mut self.step_limit
            && over(timer, cx)
        {
            let limit = *limit;
            self.step_limit = None;
            return Poll::Ready(ErrorKind::TimedOut { one_step: true, limit, step });
        }
        Poll::Pending
    }
}
