//! The events of a log, and who waits for what: the bookkeeping behind its lock.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;
use std::time::SystemTime;

use super::entry::Event;
use super::kind::EventKind;
use super::options::{SlowReader, StreamOptions};
use crate::state::State;

/// All that a log knows, behind its lock.
pub(super) struct Queue<S: State> {
    /// Those that the owner has not taken, and those that are kept; the oldest first, without gaps.
    pub(super) events: VecDeque<Event<S>>,
    /// The `seq` of the next event.
    pub(super) next: u64,
    /// The `seq` of the next event that the owner takes.
    pub(super) cursor: u64,
    /// The first of the events before `cursor` that the owner was too slow for.
    pub(super) lost: Option<u64>,
    /// How many of the newest events stay after the owner has taken them.
    pub(super) keep: usize,
    /// Step and time of the newest event.
    pub(super) newest: (u64, SystemTime),
    /// The last event was written; a context that outlived its task writes nothing after it.
    pub(super) closed: bool,
    pub(super) owner: Option<Waker>,
    pub(super) readers: Vec<(u64, Waker)>,
    pub(super) next_reader: u64,
    /// Runs that wait for the owner.
    pub(super) runs: Vec<Waker>,
}

impl<S: State> Queue<S> {
    pub(super) fn new(keep: usize) -> Self {
        Self {
            events: VecDeque::new(),
            next: 0,
            cursor: 0,
            lost: None,
            keep,
            newest: (0, SystemTime::UNIX_EPOCH),
            closed: false,
            owner: None,
            readers: Vec::new(),
            next_reader: 0,
            runs: Vec::new(),
        }
    }

    /// The `seq` of the oldest event that is here.
    pub(super) fn first(&self) -> u64 {
        self.next - self.events.len() as u64
    }

    /// Events that the owner has not taken.
    pub(super) fn unread(&self) -> usize {
        usize::try_from(self.next - self.cursor).unwrap_or(usize::MAX)
    }

    /// The event at the cursor, which moves on.
    pub(super) fn advance(&mut self) -> Option<Event<S>> {
        let unread = self.unread();
        self.cursor += 1;
        if unread > self.keep {
            // It is the oldest: what was before it has been trimmed, since it is kept for nobody.
            self.events.pop_front()
        } else {
            self.events.get(self.events.len() - unread).cloned()
        }
    }

    /// Lets the owner lose the oldest of too many unread events, and takes out the one that is of no use any more.
    pub(super) fn tidy(&mut self, options: &StreamOptions) -> Option<Event<S>> {
        if options.slow_reader == SlowReader::Drop && self.unread() > options.buffer.max(1) {
            self.lost.get_or_insert(self.cursor);
            self.cursor += 1;
        }
        let useful = self.unread().max(self.keep);
        if self.events.len() > useful { self.events.pop_front() } else { None }
    }

    /// The place of lost events in what a reader gets. It has the time of what comes after it, so that times do not run back.
    pub(super) fn gap(&self, from: u64, to: u64, root: &Arc<str>) -> Event<S> {
        let after = usize::try_from(to + 1 - self.first()).ok().and_then(|place| self.events.get(place));
        let (step, at) = after.map_or(self.newest, |event| (event.step, event.at));
        Event { seq: to, at, step, namespace: Arc::clone(root), task: None, kind: EventKind::Gap { from, to } }
    }
}
