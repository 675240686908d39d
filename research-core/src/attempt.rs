//! One attempt at a task that has a time limit or may be retried: its number, its signs of life, its end.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::interrupt::KeyKind;

/// Shared by the context of the attempt and whoever supervises it.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// Counted from 1.
    pub(crate) number: u32,
    beats: AtomicU64,
    over: AtomicBool,
    /// Those who wait for the end.
    waiting: Notify,
    keys: Keys,
}

impl Attempt {
    pub(crate) const fn new(number: u32) -> Self {
        Self {
            number,
            beats: AtomicU64::new(0),
            over: AtomicBool::new(false),
            waiting: Notify::const_new(),
            keys: Keys::new(),
        }
    }

    /// The keys of effects and questions that the attempt has used.
    pub(crate) const fn keys(&self) -> &Keys {
        &self.keys
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
        self.waiting.notify_waiters();
    }

    /// Ends when the attempt is over.
    pub(crate) async fn ended(&self) {
        loop {
            let waiting = self.waiting.notified();
            if !self.is_current() {
                return;
            }
            waiting.await;
        }
    }

    pub(crate) fn is_current(&self) -> bool {
        !self.over.load(Ordering::Acquire)
    }
}

/// The keys that one execution of a task has used.
#[derive(Debug)]
pub(crate) struct Keys(Mutex<BTreeSet<(KeyKind, String)>>);

impl Keys {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(BTreeSet::new()))
    }

    /// Uses a key for the first time; says whether it was that.
    pub(crate) fn take(&self, kind: KeyKind, key: &str) -> bool {
        self.lock().insert((kind, key.to_string()))
    }

    /// Gives a key back whose effect did not take place.
    pub(crate) fn give_back(&self, kind: KeyKind, key: &str) {
        self.lock().remove(&(kind, key.to_string()));
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<(KeyKind, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
