//! How often streams of events are opened again: with a pause that grows, and not for ever.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use rmcp::transport::streamable_http_client::SseError;
use sse_stream::Sse;
use tokio::time::{Instant, sleep_until};

/// Shortest time in milliseconds after which a server may ask to be asked again.
const SHORTEST: u64 = 500;

/// First pause between two streams of which the first one brought nothing; it doubles.
const PAUSE: Duration = Duration::from_millis(SHORTEST);

/// Longest such pause.
const LONGEST: Duration = Duration::from_secs(5);

/// A stream that was open for so long was of use without an event too.
const USEFUL: Duration = Duration::from_secs(30);

/// Number of streams in a row that may bring nothing, if that also took [`VAIN`].
const STREAMS: u32 = 100;

/// For how long streams may bring nothing before no more are opened.
const VAIN: Duration = Duration::from_secs(600);

/// The streams of events that were opened on one connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Reopened(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// When the newest one was opened.
    opened: Option<Instant>,
    /// Streams since the last one that was of use, and since when.
    vain: u32,
    since: Option<Instant>,
}

/// Returns the time in milliseconds after which a server is asked again that asks for this.
pub(super) fn at_least(retry: u64) -> u64 {
    retry.max(SHORTEST)
}

impl Reopened {
    /// Waits until the next stream may be opened. `false` if no more should be.
    pub(super) async fn next(&self) -> bool {
        let wait = {
            let mut state = self.lock();
            let now = Instant::now();
            let since = *state.since.get_or_insert(now);
            if state.vain >= STREAMS && now.duration_since(since) >= VAIN {
                return false;
            }
            let wait = match (state.opened, state.vain) {
                (Some(opened), vain @ 1..) => opened + PAUSE.saturating_mul(1 << (vain - 1).min(8)).min(LONGEST),
                _ => now,
            };
            state.opened = Some(wait.max(now));
            state.vain = state.vain.saturating_add(1);
            wait
        };
        sleep_until(wait).await;
        true
    }

    /// Notes whether a stream is of use.
    pub(super) fn watched<S>(&self, events: S) -> BoxStream<'static, Result<Sse, SseError>>
    where
        S: Stream<Item = Result<Sse, SseError>> + Send + 'static,
    {
        let watch = Watch { streams: self.clone(), opened: Instant::now() };
        let events = events.inspect(move |event| {
            if let Ok(Sse { data: Some(data), .. }) = event
                && !data.trim().is_empty()
            {
                watch.streams.was_useful();
            }
        });
        events.boxed()
    }

    fn was_useful(&self) {
        let mut state = self.lock();
        (state.vain, state.since) = (0, None);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream that is open.
struct Watch {
    streams: Reopened,
    opened: Instant,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if self.opened.elapsed() >= USEFUL {
            self.streams.was_useful();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::stream::iter;

    use super::*;

    fn event(data: &str) -> Result<Sse, SseError> {
        Ok(Sse { data: Some(data.to_owned()), ..Sse::default() })
    }

    #[tokio::test(start_paused = true)]
    async fn streams_that_bring_nothing_are_opened_ever_more_rarely_and_then_no_more() {
        let (streams, start) = (Reopened::default(), Instant::now());
        let mut count = 0;
        while streams.next().await {
            streams.watched(iter([event("")])).count().await;
            count += 1;
            assert!(count < 10_000, "they are opened for ever");
        }
        assert!(start.elapsed() >= VAIN && count <= 125, "{count} in {:?}", start.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn streams_that_are_of_use_are_opened_again() {
        let streams = Reopened::default();
        for _ in 0..1_000 {
            assert!(streams.next().await);
            streams.watched(iter([event("{}")])).count().await;
        }
        for _ in 0..1_000 {
            assert!(streams.next().await);
            let idle = streams.watched(iter([]));
            tokio::time::sleep(USEFUL).await;
            drop(idle);
        }
    }

    #[test]
    fn a_server_cannot_ask_to_be_asked_at_once() {
        assert_eq!([0, 499, 500, 3_000].map(at_least), [500, 500, 500, 3_000]);
    }
}
