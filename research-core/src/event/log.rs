//! The log itself: a queue for the owner of the stream, which keeps what later readers may ask for.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use super::emit::{Emit, Foreign};
use super::entry::{Event, EventTask, TaskTag};
use super::kind::EventKind;
use super::modes::Modes;
use super::options::{SlowReader, StreamOptions};
use super::payload::Emitted;
use super::queue::Queue;
use crate::clock::Clock;
use crate::state::State;

/// The events between a run and those who read it.
pub(crate) struct EventLog<S: State> {
    options: StreamOptions,
    clock: Arc<dyn Clock>,
    /// The namespace of the root graph.
    root: Arc<str>,
    queue: Mutex<Queue<S>>,
}

/// What a reader of the log gets.
pub(super) enum Next<S: State> {
    Event(Event<S>),
    End,
    /// The reader is woken by the next event.
    Wait,
}

impl<S: State> EventLog<S> {
    pub(crate) fn new(options: impl Into<StreamOptions>, clock: Arc<dyn Clock>) -> Self {
        let options = options.into();
        let queue = Queue::new(options.keep.unwrap_or(0));
        Self { options, clock, root: Arc::from(""), queue: Mutex::new(queue) }
    }

    /// Takes the oldest event that the owner has not seen; where there is none, `owner` is woken by the next.
    pub(crate) fn take(&self, owner: Option<&Waker>) -> Option<Event<S>> {
        let mut queue = self.lock();
        if let Some(from) = queue.lost.take() {
            return Some(queue.gap(from, queue.cursor - 1, &self.root));
        }
        if queue.cursor == queue.next {
            queue.owner = owner.cloned();
            return None;
        }
        let event = queue.advance();
        // Woken at half of the buffer: a run that is woken for each single event does little between two.
        let calm = queue.unread() <= self.options.buffer / 2;
        let runs = if calm { std::mem::take(&mut queue.runs) } else { Vec::new() };
        drop(queue);
        runs.into_iter().for_each(Waker::wake);
        event
    }

    /// The owner is gone: nothing is written after this, and only what is kept stays.
    pub(crate) fn close(&self) {
        let mut queue = self.lock();
        queue.closed = true;
        queue.cursor = queue.next;
        let useless = queue.events.len().saturating_sub(queue.keep);
        let useless: Vec<_> = queue.events.drain(..useless).collect();
        let (runs, readers) = (std::mem::take(&mut queue.runs), std::mem::take(&mut queue.readers));
        drop(queue);
        drop(useless);
        runs.into_iter().chain(readers.into_iter().map(|(_, reader)| reader)).for_each(Waker::wake);
    }

    /// From now on events are kept for later readers, if the options do not say otherwise.
    pub(super) fn keep(&self) {
        if self.options.keep.is_none() {
            self.lock().keep = StreamOptions::KEEP;
        }
    }

    /// The `seq` of the next event that is written.
    pub(super) fn next_seq(&self) -> u64 {
        self.lock().next
    }

    /// A number for a reader.
    pub(super) fn admit(&self) -> u64 {
        let mut queue = self.lock();
        queue.next_reader += 1;
        queue.next_reader
    }

    /// Forgets a reader.
    pub(super) fn dismiss(&self, reader: u64) {
        let mut queue = self.lock();
        let known = queue.readers.iter().position(|(id, _)| *id == reader);
        let dismissed = known.map(|place| queue.readers.swap_remove(place));
        drop(queue);
        drop(dismissed);
    }

    /// The event with this `seq`, or a gap up to the first that is still there.
    pub(super) fn read(&self, seq: u64, reader: u64, waker: &Waker) -> Next<S> {
        let mut queue = self.lock();
        let first = queue.first();
        if seq < first {
            return Next::Event(queue.gap(seq, first - 1, &self.root));
        }
        if let Some(event) = usize::try_from(seq - first).ok().and_then(|place| queue.events.get(place)) {
            return Next::Event(event.clone());
        }
        if queue.closed {
            return Next::End;
        }
        match queue.readers.iter_mut().find(|(id, _)| *id == reader) {
            Some((_, known)) => known.clone_from(waker),
            None => queue.readers.push((reader, waker.clone())),
        }
        Next::Wait
    }

    /// Begins to write events of one moment.
    pub(crate) fn batch(&self, step: u64) -> Batch<'_, S> {
        let at = self.clock.now();
        Batch { at, step, log: self, queue: Some(self.lock()), useless: Vec::new() }
    }

    pub(crate) fn wants(&self, modes: Modes) -> bool {
        self.options.modes.has(modes)
    }

    /// Ready when the next step may start, as far as the owner is concerned.
    pub(super) fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()> {
        if self.options.slow_reader == SlowReader::Drop {
            return Poll::Ready(());
        }
        let mut queue = self.lock();
        if queue.unread() <= self.options.buffer || queue.closed {
            return Poll::Ready(());
        }
        if !queue.runs.iter().any(|known| known.will_wake(cx.waker())) {
            queue.runs.push(cx.waker().clone());
        }
        Poll::Pending
    }

    fn lock(&self) -> MutexGuard<'_, Queue<S>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Events of one moment on their way into the log.
pub(crate) struct Batch<'l, S: State> {
    at: SystemTime,
    step: u64,
    log: &'l EventLog<S>,
    /// Gone only while it is dropped.
    queue: Option<MutexGuard<'l, Queue<S>>>,
    useless: Vec<Event<S>>,
}

impl<S: State> Batch<'_, S> {
    /// Adds an event of the root graph.
    #[inline]
    pub(crate) fn add(&mut self, task: Option<EventTask>, kind: EventKind<S>) {
        let last = kind.is_last();
        self.put(Arc::clone(&self.log.root), task, kind, last);
    }

    #[inline]
    fn put(&mut self, namespace: Arc<str>, task: Option<EventTask>, kind: EventKind<S>, last: bool) {
        let Some(queue) = self.queue.as_mut().filter(|queue| !queue.closed) else { return };
        queue.closed = last;
        let (seq, at, step) = (queue.next, self.at, self.step);
        queue.next += 1;
        queue.newest = (step, at);
        queue.events.push_back(Event { seq, at, step, namespace, task, kind });
        if queue.keep > 0 || self.log.options.slow_reader == SlowReader::Drop {
            self.useless.extend(queue.tidy(&self.log.options));
        }
    }
}

impl<S: State> Drop for Batch<'_, S> {
    fn drop(&mut self) {
        let Some(mut queue) = self.queue.take() else { return };
        let (owner, readers) = (queue.owner.take(), std::mem::take(&mut queue.readers));
        drop(queue);
        if let Some(owner) = owner {
            owner.wake();
        }
        readers.into_iter().for_each(|(_, reader)| reader.wake());
    }
}

impl<S: State> Emit for EventLog<S> {
    fn emit(&self, tag: TaskTag, node: Arc<str>, emitted: Emitted) {
        if self.options.modes.has(emitted.mode()) {
            let task = Some(EventTask { node, index: tag.index });
            self.batch(tag.step).add(task, Foreign::from(emitted).into());
        }
    }

    fn wants_of_subgraphs(&self, modes: Modes) -> bool {
        self.options.modes.has_subgraphs() && self.options.modes.has(modes)
    }

    fn foreign(&self, namespace: Arc<str>, step: u64, task: Option<EventTask>, kind: Foreign) {
        if self.options.modes.has_subgraphs() {
            self.batch(step).put(namespace, task, kind.into(), false);
        }
    }

    fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<()> {
        EventLog::poll_ready(self, cx)
    }

    fn root(self: Arc<Self>) -> Arc<dyn Emit> {
        self
    }
}

impl<S: State> fmt::Debug for EventLog<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventLog").field("options", &self.options).finish_non_exhaustive()
    }
}
