//! The clock, the random source and the source of ids, injected so that a run can be reproduced.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;
use tokio::time::Instant;

/// Tells the time that events and checkpoints carry, measures limits of time, and lets time pass for retries.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> SystemTime;

    /// Returns a moment on a scale that only goes forward, by which limits of time are measured. Defaults to the moment of tokio.
    ///
    /// The time [`now`](Clock::now) may be set back or forward while a run goes on; this may not. A clock that makes time pass by
    /// itself tells the same time here as in [`sleep`](Clock::sleep).
    fn instant(&self) -> Instant {
        Instant::now()
    }

    /// Ends when `duration` has passed.
    ///
    /// A clock that only tells the time waits on the timer of tokio, which panics outside a tokio runtime with its time
    /// driver on.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// The clock of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// Makes the random numbers of a run: those that spread retries over time.
pub trait Random: fmt::Debug + Send + Sync + 'static {
    /// A number from 0 up to, but not, 1; each as likely as any other.
    fn fraction(&self) -> f64;
}

/// Random numbers from the keys that the standard library seeds its hash maps with.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn fraction(&self) -> f64 {
        // As many bits as the significand of an `f64` holds.
        (RandomState::new().hash_one(SystemTime::now()) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Makes the ids of runs.
pub trait IdSource: fmt::Debug + Send + Sync + 'static {
    /// A run id that was not given before.
    fn run_id(&self) -> String;
}

/// Ids of 128 random bits, as 32 hexadecimal digits, from the keys that the standard library seeds its hash maps with.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    fn run_id(&self) -> String {
        let halves = [(); 2].map(|()| RandomState::new().hash_one(SystemTime::now()));
        // `format!` would take a tenth of the time of a short run.
        let digit = |place: usize| b"0123456789abcdef"[(halves[place / 16] >> (60 - place % 16 * 4) & 0xf) as usize];
        String::from_utf8_lossy(&std::array::from_fn::<u8, 32, _>(digit)).into_owned()
    }
}
