//! The clock and the source of ids, injected so that a run can be reproduced.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

/// Tells the time that events carry.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> SystemTime;
}

/// The clock of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
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
        let half = || RandomState::new().hash_one(SystemTime::now());
        format!("{:016x}{:016x}", half(), half())
    }
}
