//! The calls of the last minute, and when the next one may be made.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::error::ModelError;

/// The span that the limits are for.
const SPAN: Duration = Duration::from_secs(60);

/// How much may happen within the span.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    pub(super) requests: Option<usize>,
    pub(super) tokens: Option<u64>,
}

/// The calls of the last minute.
///
/// They are kept one by one: a bucket that refills would let twice its size through within a minute, once as a burst and
/// once as it refills, and providers count that.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// Held by the call that is next. The lock is fair, so that it is also the queue; a call that is dropped leaves it.
    turn: tokio::sync::Mutex<()>,
    /// Tells the call that is next that tokens were given back.
    given_back: Notify,
    calls: Mutex<Calls>,
}

#[derive(Debug, Default)]
struct Calls {
    made: u64,
    recent: VecDeque<Call>,
}

#[derive(Debug)]
struct Call {
    id: u64,
    at: Instant,
    tokens: u64,
}

impl Window {
    /// Waits for room for a call of so many tokens, and takes it. Gives the id of the call.
    pub(super) async fn enter(
        &self,
        limits: Limits,
        tokens: u64,
        deadline: Option<Instant>,
    ) -> Result<u64, ModelError> {
        let turn = self.turn.lock();
        let _turn = match deadline {
            Some(deadline) => timeout_at(deadline, turn).await.map_err(|_| too_late(None))?,
            None => turn.await,
        };
        loop {
            let now = Instant::now();
            let room_at = match self.calls().take(limits, tokens, now) {
                Ok(id) => return Ok(id),
                Err(at) => at,
            };
            if deadline.is_some_and(|deadline| deadline <= room_at) {
                return Err(too_late(Some(room_at.duration_since(now))));
            }
            // Either there is room in time, or tokens were given back before: both are looked at alike.
            let _ = timeout_at(room_at, self.given_back.notified()).await;
        }
    }

    /// Sets how many tokens a call really used.
    pub(super) fn settle(&self, id: u64, tokens: u64) {
        let mut calls = self.calls();
        if let Ok(at) = calls.recent.binary_search_by_key(&id, |call| call.id) {
            calls.recent[at].tokens = tokens;
            self.given_back.notify_one();
        }
    }

    fn calls(&self) -> std::sync::MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Calls {
    /// Takes room for a call, or says when there may be some.
    fn take(&mut self, limits: Limits, tokens: u64, now: Instant) -> Result<u64, Instant> {
        while self.recent.front().is_some_and(|call| call.at + SPAN <= now) {
            self.recent.pop_front();
        }
        if let Some(at) =
            [self.for_request(limits.requests), self.for_tokens(limits.tokens, tokens)].into_iter().max().flatten()
        {
            return Err(at);
        }
        let id = self.made;
        self.made += 1;
        self.recent.push_back(Call { id, at: now, tokens });
        Ok(id)
    }

    /// When there is room for one more request; nothing if there is some now.
    fn for_request(&self, limit: Option<usize>) -> Option<Instant> {
        let too_many = (self.recent.len() + 1).checked_sub(limit?)?;
        Some(self.recent.get(too_many.checked_sub(1)?)?.at + SPAN)
    }

    /// When there is room for the tokens; nothing if there is some now.
    ///
    /// A call that is larger than the limit waits until no other call is within the span, and goes alone.
    fn for_tokens(&self, limit: Option<u64>, tokens: u64) -> Option<Instant> {
        let mut used = self.recent.iter().fold(0_u64, |sum, call| sum.saturating_add(call.tokens));
        let room = limit?.saturating_sub(tokens);
        let mut at = None;
        for call in &self.recent {
            if used <= room {
                break;
            }
            used = used.saturating_sub(call.tokens);
            at = Some(call.at + SPAN);
        }
        at
    }
}

#[cold]
fn too_late(wait: Option<Duration>) -> ModelError {
    ModelError::rate_limit("the limits of this program leave no room for the call before its deadline", wait)
}
