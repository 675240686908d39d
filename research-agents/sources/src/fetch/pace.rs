//! Spaces the requests to one host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Number of hosts from which those are forgotten whose time has passed.
const MANY: usize = 1_000;

/// When each host may be asked again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pace(Arc<Mutex<HashMap<String, Instant>>>);

impl Pace {
    /// Returns when a request to a host may start, and keeps others away until later.
    pub(crate) fn reserve(&self, host: &str, apart: Duration) -> Instant {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if next.len() > MANY {
            next.retain(|_, at| *at > now);
        }
        let at = next
            .get(host)
            .copied()
            .filter(|at| *at > now)
            .unwrap_or(now);
        next.insert(host.to_owned(), at + apart);
        at
    }

    /// Keeps requests away from a host that asked to wait.
    pub(crate) fn hold(&self, host: &str, wait: Duration) {
        let mut next = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let until = Instant::now() + wait.min(Duration::from_secs(300));
        let at = next.entry(host.to_owned()).or_insert(until);
        *at = (*at).max(until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn turns_of_one_host_are_apart() {
        let (pace, apart) = (Pace::default(), Duration::from_millis(100));
        let started = Instant::now();

        let turns = [(); 3].map(|()| pace.reserve("a", apart) - started);
        let other = pace.reserve("b", apart) - started;

        assert_eq!(turns, [0, 100, 200].map(Duration::from_millis));
        assert_eq!(other, Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_host_that_asks_to_wait_is_left_alone() {
        let pace = Pace::default();
        pace.hold("a", Duration::from_secs(7));
        let turn = pace.reserve("a", Duration::ZERO) - Instant::now();
        assert_eq!(turn, Duration::from_secs(7));
    }
}
