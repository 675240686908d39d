//! The limits of an extraction: a time limit for the file, and the wish of the caller.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The limits of an extraction.
pub(crate) struct Clock<'c> {
    end: Instant,
    is_cancelled: &'c AtomicBool,
}

impl<'c> Clock<'c> {
    /// Starts a clock that is over after `limit` or when the caller cancels.
    pub(crate) fn start(limit: Duration, is_cancelled: &'c AtomicBool) -> Self {
        Self {
            end: Instant::now() + limit,
            is_cancelled,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_cancelled() || Instant::now() >= self.end
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Returns whether a parser may continue.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.is_over() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
