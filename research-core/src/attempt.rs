//! One attempt at a task that has a time limit or may be retried: its number, its signs of life, its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Shared by the context of the attempt and whoever supervises it.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// Counted from 1.
    pub(crate) number: u32,
    beats: AtomicU64,
    over: AtomicBool,
}

impl Attempt {
    pub(crate) const fn new(number: u32) -> Self {
        Self { number, beats: AtomicU64::new(0), over: AtomicBool::new(false) }
    }

    /// A sign of life.
    pub(crate) fn beat(&self) {
        self.beats.fetch_add(1, Ordering::Relaxed);
    }

    /// Signs of life so far.
    pub(crate) fn beats(&self) -> u64 {
        self.beats.load(Ordering::Relaxed)
    }

    /// From now on nothing that the attempt does counts.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Release);
    }

    pub(crate) fn is_current(&self) -> bool {
        !self.over.load(Ordering::Acquire)
    }
}

/// Ends its attempt when it goes, unless the attempt has succeeded: then what it spawned counts as it does for any task.
pub(crate) struct Current(Option<Arc<Attempt>>);

impl Current {
    pub(crate) fn new(attempt: &Arc<Attempt>) -> Self {
        Self(Some(Arc::clone(attempt)))
    }

    pub(crate) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        if let Some(attempt) = &self.0 {
            attempt.end();
        }
    }
}
