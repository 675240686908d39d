//! Which failures are tried again, how often, and after how long.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::NodeError;

/// Whether another attempt can help against an error; what a graph's [classifier](crate::Graph::classify) says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Another attempt may succeed.
    Retryable {
        /// How long the other side asks to wait, such as the `Retry-After` of an HTTP answer. It takes the place of the
        /// back-off.
        after: Option<Duration>,
    },
    /// Another attempt would fail in the same way.
    Terminal,
}

impl Class {
    /// Another attempt may succeed, after the back-off.
    #[must_use]
    pub const fn retryable() -> Self {
        Self::Retryable { after: None }
    }

    /// Another attempt may succeed, after so long.
    #[must_use]
    pub const fn after(delay: Duration) -> Self {
        Self::Retryable { after: Some(delay) }
    }
}

/// How often a node that failed is tried again, and how long to wait before.
///
/// Tried again is what the node returns as an error, unless the graph's [classifier](crate::Graph::classify) calls it terminal
/// or [`only_if`](Retry::only_if) refuses it, and an attempt that ran into its [`Timeout`](crate::Timeout). Never tried again
/// are a panic, which is a mistake in the program, and a question to a person.
///
/// The wait before attempt `n + 1` is drawn at random from 0 to `min(cap, initial · factorⁿ⁻¹)`: "full jitter" of M. Brooker,
/// *Exponential Backoff And Jitter*, AWS Architecture Blog, 2015,
/// <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>.
///
/// No attempt waits past the end of the run's time: the task then fails at once with the error it has.
///
/// ```
/// use std::time::Duration;
/// use research_core::Retry;
///
/// let retry = Retry::attempts(5).backoff(Duration::from_secs(1), 2.0, Duration::from_secs(30));
/// # let _ = retry;
/// ```
#[derive(Clone)]
pub struct Retry {
    attempts: u32,
    initial: Duration,
    factor: f64,
    cap: Duration,
    jitter: f64,
    within: Option<Duration>,
    only_if: Option<OnlyIf>,
}

type OnlyIf = Arc<dyn Fn(&NodeError) -> bool + Send + Sync>;

impl Retry {
    /// So many attempts in all, the first included; at least 1. The back-off begins at 500 ms, doubles, and is capped at 60 s, with
    /// full jitter.
    #[must_use]
    pub fn attempts(count: u32) -> Self {
        Self {
            attempts: count.max(1),
            initial: Duration::from_millis(500),
            factor: 2.0,
            cap: Duration::from_secs(60),
            jitter: 1.0,
            within: None,
            only_if: None,
        }
    }

    /// One attempt; for a node that is not to follow its graph's [default](crate::Graph::retry_all).
    #[must_use]
    pub fn none() -> Self {
        Self::attempts(1)
    }

    /// The longest wait after the first attempt, by what it grows with each further one (at least 1), and where it stops.
    #[must_use]
    pub fn backoff(mut self, initial: Duration, factor: f64, cap: Duration) -> Self {
        // The greater of a number and NaN is the number.
        (self.initial, self.factor, self.cap) = (initial, factor.max(1.0), cap);
        self
    }

    /// The part of the wait that is random, from 0 (always the longest) to 1 (anything up to the longest).
    #[must_use]
    pub fn jitter(mut self, fraction: f64) -> Self {
        self.jitter = if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) };
        self
    }

    /// Begins no attempt later than `limit` after the first began. It stops no attempt: that is the
    /// [`Timeout`](crate::Timeout)'s part.
    #[must_use]
    pub const fn within(mut self, limit: Duration) -> Self {
        self.within = Some(limit);
        self
    }

    /// Tries again only after errors that `retryable` accepts, among those that the graph's classifier does not call terminal. It
    /// is not asked about time-outs.
    #[must_use]
    pub fn only_if(mut self, retryable: impl Fn(&NodeError) -> bool + Send + Sync + 'static) -> Self {
        self.only_if = Some(Arc::new(retryable));
        self
    }

    /// Whether it ever tries again.
    pub(crate) const fn repeats(&self) -> bool {
        self.attempts > 1
    }

    /// Whether an attempt may follow the `made` ones, the last of which failed with `error`, if that is of the node.
    pub(crate) fn admits(&self, made: u32, error: Option<&NodeError>) -> bool {
        made < self.attempts
            && match (&self.only_if, error) {
                (Some(only_if), Some(error)) => only_if(error),
                _ => true,
            }
    }

    /// Whether an attempt may begin so long after the first began.
    pub(crate) fn allows_start(&self, elapsed: Duration) -> bool {
        self.within.is_none_or(|within| elapsed <= within)
    }

    /// How long to wait after `made` attempts; `fraction` is random, from 0 up to 1.
    pub(crate) fn wait(&self, made: u32, fraction: f64) -> Duration {
        let longest = self.initial.as_secs_f64() * self.factor.powf(f64::from(made.saturating_sub(1)));
        let longest = Duration::try_from_secs_f64(longest).unwrap_or(self.cap).min(self.cap);
        let wait = longest.as_secs_f64() * (1.0 - self.jitter * fraction);
        Duration::try_from_secs_f64(wait).unwrap_or(longest).min(longest)
    }
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("attempts", &self.attempts)
            .field("initial", &self.initial)
            .field("factor", &self.factor)
            .field("cap", &self.cap)
            .field("jitter", &self.jitter)
            .field("within", &self.within)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn the_longest_wait_grows_by_its_factor_up_to_the_cap() {
        let retry = Retry::attempts(9).backoff(ms(100), 3.0, ms(1_000));
        let waits: Vec<Duration> = (1..=5).map(|made| retry.wait(made, 0.0)).collect();
        assert_eq!(waits, [ms(100), ms(300), ms(900), ms(1_000), ms(1_000)]);
    }

    #[test]
    fn the_defaults_are_half_a_second_doubling_to_a_minute() {
        let retry = Retry::attempts(99);
        assert_eq!([1, 2, 7, 8, 99].map(|made| retry.wait(made, 0.0)), [500, 1_000, 32_000, 60_000, 60_000].map(ms));
    }

    #[test]
    fn jitter_takes_its_fraction_of_the_wait() {
        let retry = Retry::attempts(2).backoff(ms(1_000), 2.0, ms(1_000));
        assert_eq!(retry.wait(1, 0.25), ms(750));
        assert_eq!(retry.clone().jitter(0.5).wait(1, 0.5), ms(750));
        assert_eq!(retry.jitter(0.0).wait(1, 0.99), ms(1_000));
    }

    #[test]
    fn odd_numbers_do_no_harm() {
        let retry = Retry::attempts(0).backoff(Duration::MAX, f64::NAN, Duration::MAX).jitter(f64::NAN);
        assert!(!retry.repeats());
        assert_eq!(retry.wait(u32::MAX, 0.5), Duration::MAX);
        let steep = Retry::attempts(3).backoff(ms(1), f64::INFINITY, ms(20)).jitter(9.0);
        assert_eq!(steep.wait(3, 0.5), ms(10));
        assert_eq!(Retry::attempts(3).backoff(Duration::ZERO, 2.0, ms(20)).wait(3, 0.5), Duration::ZERO);
    }
}
