//! How often, and after which delay, a failed call is retried.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Parameters that a retry changes: by name the old and the new value.
pub type Changed = BTreeMap<String, [u64; 2]>;

/// The factor by which a retry divides a size.
pub const REDUCTION_FACTOR: u64 = 2;

/// The retry policy of calls to models and tools. Only the failed call is retried, never the calls
/// before it.
///
/// The delay before the n-th retry is `first_wait` · 2ⁿ⁻¹, at most `longest_wait`, varied by
/// `jitter`, and never shorter than the other side asks for. A request that is too long is retried
/// immediately, with less in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Maximum number of retries of a call. Defaults to 2.
    pub retries: u32,
    /// Delay before the first retry. Defaults to 1 s.
    pub first_wait: Duration,
    /// Maximum delay, before `jitter`, unless the other side asks for more. Defaults to 60 s.
    pub longest_wait: Duration,
    /// Fraction by which a delay varies, 0 to 1. Defaults to 0.2.
    pub jitter: f64,
    /// Maximum delay that the other side may ask for; a call is not retried if it asks for more.
    /// Defaults to 5 minutes.
    pub patience: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 2,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(60),
            jitter: 0.2,
            patience: Duration::from_secs(300),
        }
    }
}

impl RetryPolicy {
    /// Sets the maximum number of retries of a call.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Sets the delay before the first retry.
    #[must_use]
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }
}
