//! Gives the runtime its turns: work that is always ready would keep time limits, aborts, timers and the reader of the stream
//! from their thread until its end.

use std::time::{Duration, Instant};

use tokio::task::yield_now;

/// How long ready work may keep its thread. A yield costs a runtime with an idle worker some 10 µs.
const SLICE: Duration = Duration::from_millis(1);

/// Counts pieces of work, and looks at the clock at every `every`th.
pub(super) struct Turn {
    every: u32,
    pieces: u32,
    since: Instant,
}

impl Turn {
    pub(super) fn new(every: u32) -> Self {
        Self { every, pieces: 0, since: Instant::now() }
    }

    /// Notes a piece of work. Says whether the slice is used up, so that it is time to [yield](Turn::give_way).
    #[inline]
    pub(super) fn is_over(&mut self) -> bool {
        self.pieces += 1;
        self.pieces >= self.every && self.look()
    }

    fn look(&mut self) -> bool {
        self.pieces = 0;
        self.since.elapsed() >= SLICE
    }

    /// Yields, and begins the next slice.
    pub(super) async fn give_way(&mut self) {
        yield_now().await;
        self.since = Instant::now();
    }
}
