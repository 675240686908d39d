//! Second and late readers of a run's events.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::Stream;

use super::entry::Event;
use super::log::{EventLog, Next};
use crate::state::State;

/// The event log of a run, for any number of readers beside the [`RunStream`](crate::RunStream) that advances it; from
/// [`RunStream::log`](crate::RunStream::log).
pub struct RunLog<S: State> {
    log: Arc<EventLog<S>>,
}

impl<S: State> RunLog<S> {
    pub(crate) fn new(log: Arc<EventLog<S>>) -> Self {
        log.keep();
        Self { log }
    }

    /// The events from this `seq` on: those that are kept, then each one as it is written, until the run has ended or its
    /// stream is dropped. What is not kept any more comes as one [`Gap`](crate::EventKind::Gap). A reader that was cut off
    /// goes on at the `seq` after its last event, a gap included.
    #[must_use = "a reader does nothing until it is polled"]
    pub fn read_from(&self, seq: u64) -> LogReader<S> {
        LogReader { id: self.log.admit(), log: Arc::clone(&self.log), next: seq }
    }

    /// The `seq` of the next event that is written: to read from here on is to skip what has happened.
    #[must_use]
    pub fn next_seq(&self) -> u64 {
        self.log.next_seq()
    }
}

impl<S: State> Clone for RunLog<S> {
    fn clone(&self) -> Self {
        Self { log: Arc::clone(&self.log) }
    }
}

impl<S: State> fmt::Debug for RunLog<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunLog").field("next_seq", &self.next_seq()).finish_non_exhaustive()
    }
}

/// A reader of a [`RunLog`]. It never holds the run up, and does not advance it.
#[must_use = "a reader does nothing until it is polled"]
pub struct LogReader<S: State> {
    id: u64,
    log: Arc<EventLog<S>>,
    next: u64,
}

impl<S: State> Stream for LogReader<S> {
    type Item = Event<S>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event<S>>> {
        match self.log.read(self.next, self.id, cx.waker()) {
            Next::Event(event) => {
                self.next = event.seq + 1;
                Poll::Ready(Some(event))
            }
            Next::End => Poll::Ready(None),
            Next::Wait => Poll::Pending,
        }
    }
}

impl<S: State> Drop for LogReader<S> {
    fn drop(&mut self) {
        self.log.dismiss(self.id);
    }
}

impl<S: State> fmt::Debug for LogReader<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogReader").field("next", &self.next).finish_non_exhaustive()
    }
}
