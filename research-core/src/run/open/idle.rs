//! How a run waits for a thread that another run works on.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use crate::error::{ErrorKind, ThreadError};
use crate::journal::{LeaseGuard, LeaseOrder};
use crate::run::watch::Watch;

/// How long a run waits before it asks for the lease again: twice as long each time, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Takes the lease of a thread, for which it waits at most `limit`. Whatever stops the run ends the waiting, too.
pub(crate) async fn wait_until_idle(
    order: &LeaseOrder,
    limit: Duration,
    watch: &mut Watch,
) -> Result<LeaseGuard, ErrorKind> {
    let started = order.clock.instant();
    let mut pause = FIRST_PAUSE;
    loop {
        let holder = match order.acquire().await.map_err(|error| ErrorKind::Store(error.into()))? {
            Ok(lease) => return Ok(lease),
            Err(holder) => holder,
        };

        let waited = order.clock.instant().saturating_duration_since(started);
        let left = limit.saturating_sub(waited);
        if left.is_zero() || watch.drains() {
            let thread = order.thread.to_string();
            return Err(ErrorKind::Thread(ThreadError::Busy { thread, holder: holder.into() }));
        }

        // A lease that expires sooner is asked for as soon as it has.
        let expires = holder.until.duration_since(order.clock.now()).unwrap_or(FIRST_PAUSE);
        let mut sleep = order.clock.sleep(pause.min(left).min(expires.max(FIRST_PAUSE)));
        poll_fn(|cx| match watch.poll(cx, 0) {
            Poll::Ready(kind) => Poll::Ready(Err(kind)),
            Poll::Pending => sleep.as_mut().poll(cx).map(Ok),
        })
        .await?;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
