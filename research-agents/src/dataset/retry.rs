//! Tries what failed for a passing reason again: after a pause, and asking for less where less may help.

mod reduce;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

pub use reduce::{Changed, reduce};

use super::event::DatasetEventKind;
use super::services::DatasetCx;
use crate::kernel::tape::{Exchange, Track};
use crate::{Error, ErrorCategory};

/// How often and after which pause a call is tried again. It is tried again at the call itself, so that nothing that came
/// already is asked for twice.
///
/// Before the n-th new try the pause is `first_wait` · 2ⁿ⁻¹, at most `longest_wait`, drawn from a share of `jitter` around
/// that, and never shorter than the other side asks for. A request that is too long is tried again at once, with less in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// Most new tries of a call. Default 2.
    pub retries: u32,
    /// The first pause. Default 1 s.
    pub first_wait: Duration,
    /// The longest pause that is not asked for, before `jitter` makes it longer or shorter. Default 60 s.
    pub longest_wait: Duration,
    /// By which share a pause may be shorter or longer, 0 to 1. Default 0.2.
    pub jitter: f64,
    /// The longest pause that may be asked for; who asks for more is not tried again. Default 5 minutes.
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

/// What is divided by this is asked for instead.
pub(crate) const FACTOR: u64 = 2;

impl RetryPolicy {
    /// Sets the most new tries of a call.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Sets the first pause.
    #[must_use]
    pub fn first_wait(mut self, wait: Duration) -> Self {
        self.first_wait = wait;
        self
    }

    /// How long to wait after so many failed tries, from 1, or nothing if there is to be no other: the failure is not a
    /// passing one, it was tried often enough, or the time is over before the pause is.
    pub fn wait(&self, failed: u32, error: &Error, deadline: Instant) -> Option<Duration> {
        if !error.is_retryable() || failed == 0 || failed > self.retries {
            return None;
        }
        let asked = error.retry_after();
        let mut wait = if error.category().needs_less() {
            Duration::ZERO
        } else {
            let doubled = self.first_wait.saturating_mul(2_u32.saturating_pow(failed - 1)).min(self.longest_wait);
            scaled(doubled, 1.0 + self.jitter.clamp(0.0, 1.0) * (2.0 * fastrand::f64() - 1.0))
        };
        if let Some(asked) = asked {
            if asked > self.patience {
                return None;
            }
            // Many callers that were told the same must not come back at the same moment, nor any of them early.
            wait = wait.max(asked.saturating_add(scaled(asked, self.jitter.clamp(0.0, 1.0) * fastrand::f64())));
        }
        (Instant::now().checked_add(wait)? < deadline).then_some(wait)
    }
}

fn scaled(span: Duration, share: f64) -> Duration {
    Duration::try_from_secs_f64(span.as_secs_f64() * share).unwrap_or(Duration::MAX)
}

/// Whether asking for less may help: what came was too long, too slow or cut, or the server broke down over it. A refusal for
/// speed and a connection that is gone have nothing to do with how much was asked for.
pub(crate) fn less_may_help(error: &Error) -> bool {
    let is_cut = matches!(error.root(), Error::Tool(error) if crate::error::is_cut(error));
    is_cut
        || matches!(error.category(), ErrorCategory::TokenLimit | ErrorCategory::Timeout | ErrorCategory::ServerError)
}

/// Whether a failure of a sub-agent as a whole is one of a call that was tried again already.
pub(crate) fn was_tried(error: &Error) -> bool {
    match error.root() {
        Error::Model(_) | Error::Tool(_) | Error::Refused(_) | Error::Budget(_) => true,
        Error::SubAgent(error) => match &**error {
            crate::subagent::SubAgentError::Failed { source, .. } => was_tried(source),
            _ => true,
        },
        _ => false,
    }
}

/// Tells of a new try and waits for it. `false` when there is to be none, or the time is over before the pause is. The track
/// keeps what came of the pause.
pub(crate) async fn again(
    cx: &DatasetCx,
    track: &Track,
    what: &str,
    failed: u32,
    error: &Error,
    changed: Changed,
    deadline: Instant,
) -> bool {
    let now = Instant::now();
    // Whether there is time for it is another question than whether it is worth it: a replay has all the time there is.
    let Some(wait) = cx.config().retry.wait(failed, error, now + EVER) else { return false };
    if track.is_replaying() {
        return match track.take_if(|next| matches!(next, Exchange::Paused | Exchange::Stopped { .. })) {
            Some(Exchange::Paused) => {
                tell(cx, what, failed, error, changed, Duration::ZERO);
                true
            }
            Some(Exchange::Stopped { begun: true, .. }) => {
                tell(cx, what, failed, error, changed, Duration::ZERO);
                false
            }
            Some(_) => false,
            None => {
                cx.tape().cut(what).await;
                false
            }
        };
    }
    if now + wait >= deadline {
        track.push(Exchange::Stopped { limit: Some(cx.budget().time_is_up().limit), begun: false });
        return false;
    }
    tell(cx, what, failed, error, changed, wait);
    tokio::time::sleep(wait).await;
    track.push(Exchange::Paused);
    true
}

/// Longer than any run takes, and than any pause.
const EVER: Duration = Duration::from_secs(365 * 86_400);

/// The same for a call that is known by its arguments.
pub(crate) async fn again_with(
    cx: &DatasetCx,
    what: &str,
    with: &impl Serialize,
    failed: u32,
    error: &Error,
    changed: Changed,
) -> bool {
    // What is not tried again leaves nothing behind.
    if cx.config().retry.wait(failed, error, Instant::now() + EVER).is_none() {
        return false;
    }
    let pause = format!("pause {what}");
    match cx.tape().begin(&pause, with) {
        Some(track) => again(cx, &track, what, failed, error, changed, cx.budget().gathering_deadline()).await,
        None => {
            cx.tape().cut(&pause).await;
            false
        }
    }
}

/// Tells of a new try.
pub(crate) fn tell(cx: &DatasetCx, what: &str, attempt: u32, error: &Error, changed: Changed, wait: Duration) {
    cx.emit(DatasetEventKind::Retry {
        what: what.to_owned(),
        attempt,
        category: error.category(),
        changed,
        wait_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
    });
}

/// What was asked for instead of what was wanted, in words; `None` when nothing was changed.
pub(crate) fn shortfall(wanted: &super::record::Object, sent: &super::record::Object) -> Option<String> {
    let number = |object: &super::record::Object, name: &str| object.get(name).and_then(serde_json::Value::as_u64);
    let parts: Vec<String> = wanted
        .keys()
        .filter_map(|name| {
            let (old, new) = (number(wanted, name)?, number(sent, name)?);
            (new < old).then(|| format!("{name} {new} instead of {old}"))
        })
        .collect();
    (!parts.is_empty()).then(|| format!("after a failure less was asked for: {}", parts.join(", ")))
}

/// One parameter that changed.
pub(crate) fn one(name: &str, old: usize, new: usize) -> Changed {
    BTreeMap::from([(name.to_owned(), [old as u64, new as u64])])
}

#[cfg(test)]
mod tests;
