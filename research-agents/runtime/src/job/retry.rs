//! Retries a failed call after a delay, and records that it did.

use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use crate::error::category::ErrorCategory;
use crate::error::classify::is_cut;
use crate::error::model::{Error, SubAgentError};
use crate::event::vocabulary::RunEvent;
use crate::job::task::Job;
use crate::limits::retry::{Changed, RetryPolicy};
use crate::tape::exchange::Exchange;
use crate::tape::track::Track;

/// Longer than any run and any delay.
const FOREVER: Duration = Duration::from_secs(365 * 86_400);

impl RetryPolicy {
    /// Returns the delay before the retry after this many failures, counted from 1. Returns `None`
    /// if the call is not retried: the failure is not transient, the call failed too often, or the
    /// deadline passes before the delay.
    pub fn wait(&self, failed: u32, error: &Error, deadline: Instant) -> Option<Duration> {
        if !error.is_retryable() || failed == 0 || failed > self.retries {
            return None;
        }

        let mut wait = if error.category().needs_less() {
            Duration::ZERO
        } else {
            let doubled = self
                .first_wait
                .saturating_mul(2_u32.saturating_pow(failed - 1))
                .min(self.longest_wait);
            scaled(
                doubled,
                1.0 + self.jitter.clamp(0.0, 1.0) * (2.0 * fastrand::f64() - 1.0),
            )
        };
        if let Some(asked) = error.retry_after() {
            if asked > self.patience {
                return None;
            }
            // Callers that were asked for the same delay must not return together, nor any of them
            // early.
            let spread = scaled(asked, self.jitter.clamp(0.0, 1.0) * fastrand::f64());
            wait = wait.max(asked.saturating_add(spread));
        }

        (Instant::now().checked_add(wait)? < deadline).then_some(wait)
    }
}

fn scaled(span: Duration, factor: f64) -> Duration {
    Duration::try_from_secs_f64(span.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

/// Returns `true` if asking for less may help: the answer was too long, too slow or cut off, or the
/// server broke down over it. A rate limit and a lost connection do not depend on how much was
/// asked for.
pub fn less_may_help(error: &Error) -> bool {
    let is_cut_off = matches!(error.root(), Error::Tool(error) if is_cut(error));
    is_cut_off
        || matches!(
            error.category(),
            ErrorCategory::TokenLimit | ErrorCategory::Timeout | ErrorCategory::ServerError
        )
}

/// Returns `true` if the failure of a sub-agent is that of a call which was retried already.
pub fn was_retried(error: &Error) -> bool {
    match error.root() {
        Error::Model(_) | Error::Tool(_) | Error::Refused(_) | Error::Budget(_) => true,
        Error::SubAgent(error) => match &**error {
            SubAgentError::Failed { source, .. } => was_retried(source),
            _ => true,
        },
        _ => false,
    }
}

impl Job {
    /// Reports a retry and waits for its delay. Returns `false` if the call is not retried, or the
    /// deadline passes before the delay. The track records the end of the delay.
    pub(crate) async fn retry_on(
        &self,
        track: &Track,
        what: &str,
        failed: u32,
        error: &Error,
        changed: Changed,
        deadline: Instant,
    ) -> bool {
        let now = Instant::now();
        // A replay has all the time there is, so the deadline is judged apart from the policy.
        let Some(wait) = self.kit.settings().retry.wait(failed, error, now + FOREVER) else {
            return false;
        };
        if track.is_replaying() {
            return self.replay_retry(track, what, failed, error, changed).await;
        }

        if now + wait >= deadline {
            let limit = Some(self.kit.budget().time_is_up().limit);
            track.push(Exchange::Stopped {
                limit,
                begun: false,
            });
            return false;
        }
        self.report_retry(what, failed, error, changed, wait);
        tokio::time::sleep(wait).await;
        track.push(Exchange::Paused);
        true
    }

    /// Returns whether the recorded run retried the call, and reports the retry that it reported.
    async fn replay_retry(
        &self,
        track: &Track,
        what: &str,
        failed: u32,
        error: &Error,
        changed: Changed,
    ) -> bool {
        let is_delay =
            |next: &Exchange| matches!(next, Exchange::Paused | Exchange::Stopped { .. });

        match track.take_if(is_delay) {
            Some(Exchange::Paused) => {
                self.report_retry(what, failed, error, changed, Duration::ZERO);
                true
            }
            Some(Exchange::Stopped { begun: true, .. }) => {
                self.report_retry(what, failed, error, changed, Duration::ZERO);
                false
            }
            Some(_) => false,
            None => {
                self.tape.cut(what).await;
                false
            }
        }
    }

    /// Reports a retry of a call that its arguments identify, and waits for its delay. Returns
    /// `false` if the call is not retried.
    pub async fn retry(
        &self,
        what: &str,
        with: &impl Serialize,
        failed: u32,
        error: &Error,
        changed: Changed,
    ) -> bool {
        // A call that is not retried leaves no record.
        if self
            .kit
            .settings()
            .retry
            .wait(failed, error, Instant::now() + FOREVER)
            .is_none()
        {
            return false;
        }

        let pause = format!("pause {what}");
        match self.tape.begin(&pause, with) {
            Some(track) => {
                let deadline = self.kit.budget().gathering_deadline();
                self.retry_on(&track, what, failed, error, changed, deadline)
                    .await
            }
            None => {
                self.tape.cut(&pause).await;
                false
            }
        }
    }

    /// Reports a retry.
    pub fn report_retry(
        &self,
        what: &str,
        attempt: u32,
        error: &Error,
        changed: Changed,
        wait: Duration,
    ) {
        self.emit(RunEvent::Retry {
            what: what.to_owned(),
            attempt,
            category: error.category(),
            changed,
            wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
        });
    }
}

#[cfg(test)]
mod tests;
