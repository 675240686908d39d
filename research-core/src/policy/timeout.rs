//! How long one attempt at a task may take.

use std::time::Duration;

/// How long one attempt at a task may take: in all, and without a sign of life. Both can be set.
///
/// Signs of life are [`Cx::heartbeat`](crate::Cx::heartbeat), `emit`, `message` and `spend`. An attempt that runs into a limit is
/// dropped where it waits, and what it may still do elsewhere is not written to the run's events. It counts as a
/// retryable failure. A node that never waits, but blocks its thread, cannot be stopped.
///
/// ```
/// use std::time::Duration;
/// use research_core::Timeout;
///
/// let timeout = Timeout::total(Duration::from_secs(600)).and(Timeout::idle(Duration::from_secs(30)));
/// # let _ = timeout;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeout {
    pub(crate) total: Option<Duration>,
    pub(crate) idle: Option<Duration>,
}

impl Timeout {
    /// An attempt may take so long in all.
    #[must_use]
    pub const fn total(limit: Duration) -> Self {
        Self { total: Some(limit), idle: None }
    }

    /// An attempt may be without a sign of life for so long. Where the signs come from something that the node has spawned, the
    /// silence is noticed before twice the limit.
    #[must_use]
    pub const fn idle(limit: Duration) -> Self {
        Self { total: None, idle: Some(limit) }
    }

    /// No limit; for a node that is not to follow its graph's [default](crate::Graph::timeout_all).
    #[must_use]
    pub const fn none() -> Self {
        Self { total: None, idle: None }
    }

    /// Both limits; the shorter one where both set the same.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let shorter = |a: Option<Duration>, b: Option<Duration>| a.into_iter().chain(b).min();
        Self { total: shorter(self.total, other.total), idle: shorter(self.idle, other.idle) }
    }

    /// Whether there is any limit.
    pub(crate) const fn limits(self) -> bool {
        self.total.is_some() || self.idle.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn together_the_shorter_limit_of_a_kind_counts() {
        let [one, two] = [1, 2].map(Duration::from_secs);
        let both = Timeout::total(two).and(Timeout::idle(one)).and(Timeout::total(one));
        assert_eq!(both, Timeout { total: Some(one), idle: Some(one) });
        assert_eq!(Timeout::none().and(Timeout::none()), Timeout::none());
    }
}
