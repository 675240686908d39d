//! The time limits of an attempt while it runs.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::attempt::Attempt;
use crate::clock::Clock;
use crate::error::Cause;
use crate::policy::Timeout;

/// Polled after each poll of the attempt, so that a result that is there counts before a limit that has passed.
pub(crate) struct Limits {
    clock: Arc<dyn Clock>,
    attempt: Arc<Attempt>,
    total: Option<Total>,
    idle: Option<Idle>,
}

struct Total {
    limit: Duration,
    timer: BoxFuture<'static, ()>,
}

struct Idle {
    limit: Duration,
    timer: BoxFuture<'static, ()>,
    /// Signs of life that were seen.
    beats: u64,
    /// When the last of them was seen.
    since: Instant,
}

impl Limits {
    pub(crate) fn new(timeout: Timeout, clock: &Arc<dyn Clock>, attempt: &Arc<Attempt>) -> Self {
        let total = timeout.total.map(|limit| Total { limit, timer: clock.sleep(limit) });
        let idle =
            timeout.idle.map(|limit| Idle { limit, timer: clock.sleep(limit), beats: 0, since: clock.instant() });
        Self { clock: Arc::clone(clock), attempt: Arc::clone(attempt), total, idle }
    }

    /// The limit that has passed. Where none has, the context's task is woken when that may change.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Cause> {
        if let Some(Total { limit, timer }) = &mut self.total
            && timer.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Cause::TimedOut { idle: false, limit: *limit });
        }
        let Some(idle) = &mut self.idle else { return Poll::Pending };
        loop {
            let beats = self.attempt.beats();
            if beats != idle.beats {
                (idle.beats, idle.since) = (beats, self.clock.instant());
            }
            std::task::ready!(idle.timer.as_mut().poll(cx));
            let silence = self.clock.instant().saturating_duration_since(idle.since);
            match idle.limit.checked_sub(silence) {
                None | Some(Duration::ZERO) => return Poll::Ready(Cause::TimedOut { idle: true, limit: idle.limit }),
                Some(left) => idle.timer = self.clock.sleep(left),
            }
        }
    }
}
