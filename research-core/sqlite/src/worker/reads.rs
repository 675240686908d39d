//! The queue of requests to read, which several threads serve.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use research_core::checkpoint::StoreError;
use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::closed;

/// A request to read.
pub(crate) trait Read: Send {
    /// Reads from a snapshot.
    fn run(&mut self, db: &Connection);

    /// Sends what was read to the caller, or why there was no snapshot.
    fn answer(self: Box<Self>, snapshot: Result<(), StoreError>);
}

/// The queue. It is closed when its owner closes it, or when no thread serves it any more.
pub(crate) struct Reads {
    queue: Mutex<Queue>,
    /// Notified when a request arrives while a thread waits, and when the queue is closed.
    changed: Condvar,
    /// One permit for each request that can still be added.
    places: Arc<Semaphore>,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    /// Number of requests so far.
    arrived: u64,
    /// Number of threads that serve, and of those that wait for a request.
    threads: usize,
    idle: usize,
    is_closed: bool,
}

struct Waiting {
    /// Number of requests that arrived before.
    number: u64,
    read: Box<dyn Read>,
    _place: OwnedSemaphorePermit,
}

impl Reads {
    /// Creates a queue for so many requests. Further callers wait.
    pub(crate) fn new(length: usize) -> Self {
        Self {
            queue: Mutex::default(),
            changed: Condvar::new(),
            places: Arc::new(Semaphore::new(length)),
        }
    }

    /// Adds a request as soon as fewer than the maximum wait.
    ///
    /// # Errors
    ///
    /// When the queue is closed.
    pub(crate) async fn send(&self, read: Box<dyn Read>) -> Result<(), StoreError> {
        let places = Arc::clone(&self.places);
        let place = places.acquire_owned().await.map_err(|_| closed())?;

        let mut queue = self.lock();
        if queue.is_closed {
            return Err(closed());
        }
        let number = queue.arrived;
        queue.arrived += 1;
        queue.waiting.push_back(Waiting {
            number,
            read,
            _place: place,
        });
        if queue.idle > 0 {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// Closes the queue. What is in it is still served.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.places.close();
        self.changed.notify_all();
    }

    /// Registers a thread that serves the queue, until what is returned is dropped.
    pub(crate) fn attend(reads: &Arc<Self>) -> Attended {
        reads.lock().threads += 1;
        Attended(Arc::clone(reads))
    }

    /// Waits for a request. Returns `None` when the queue is closed and empty.
    pub(crate) fn wait(&self) -> Option<Box<dyn Read>> {
        let mut queue = self.lock();
        if queue.waiting.is_empty() && !queue.is_closed {
            // Callers that were answered together tend to read again together.
            drop(queue);
            std::thread::yield_now();
            queue = self.lock();
        }

        loop {
            if let Some(next) = queue.waiting.pop_front() {
                return Some(next.read);
            }
            if queue.is_closed {
                return None;
            }
            queue.idle += 1;
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
    }

    /// Returns the number of requests so far.
    pub(crate) fn arrived(&self) -> u64 {
        self.lock().arrived
    }

    /// Returns the next request, if it is one of the first `count`.
    pub(crate) fn next_of(&self, count: u64) -> Option<Box<dyn Read>> {
        let mut queue = self.lock();
        if queue.waiting.front()?.number >= count {
            return None;
        }
        queue.waiting.pop_front().map(|next| next.read)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that serves a queue.
pub(crate) struct Attended(Arc<Reads>);

impl Drop for Attended {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.threads -= 1;
        if queue.threads == 0 {
            // No one is left to answer.
            queue.is_closed = true;
            self.0.places.close();
            let left = std::mem::take(&mut queue.waiting);
            drop(queue);
            drop(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use research_core::checkpoint::StoreErrorKind;

    use super::*;

    struct Nothing;

    impl Read for Nothing {
        fn run(&mut self, _db: &Connection) {}

        fn answer(self: Box<Self>, _snapshot: Result<(), StoreError>) {}
    }

    async fn add(reads: &Reads) -> Result<(), StoreError> {
        reads.send(Box::new(Nothing)).await
    }

    #[tokio::test]
    async fn a_snapshot_serves_only_what_arrived_before_it() {
        let reads = Reads::new(8);
        add(&reads).await.unwrap();
        add(&reads).await.unwrap();

        let arrived = reads.arrived();
        add(&reads).await.unwrap();

        assert!(reads.next_of(arrived).is_some());
        assert!(reads.next_of(arrived).is_some());
        assert!(reads.next_of(arrived).is_none(), "the third came later");
        assert!(reads.wait().is_some(), "it waits for the next snapshot");
    }

    #[tokio::test]
    async fn a_closed_queue_is_served_to_its_end_and_refuses_more() {
        let reads = Reads::new(8);
        add(&reads).await.unwrap();

        reads.close();

        assert_eq!(
            add(&reads).await.unwrap_err().kind(),
            StoreErrorKind::Unavailable
        );
        assert!(reads.wait().is_some());
        assert!(reads.wait().is_none());
    }
}
