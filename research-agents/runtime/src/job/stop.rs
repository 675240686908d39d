//! When a job must stop, and what it saw of that: recorded, so that a replay stops at the same
//! place.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};

use research_llm::ModelError;
use serde::Serialize;

use crate::ask::window::ContextWindow;
use crate::error::model::Error;
use crate::job::task::Job;
use crate::limits::budget::Exceeded;
use crate::limits::stop::Stop;
use crate::tape::exchange::Exchange;

impl Stop {
    /// Returns the error of a call to the model that did not take place.
    pub(crate) fn into_model_error(self) -> Error {
        match self {
            Self::Cancelled => ModelError::Cancelled.into(),
            Self::Budget(exceeded) => exceeded.into(),
        }
    }

    /// Returns the record of the stop; `has_begun` says whether the call that it cut off had begun.
    pub(crate) fn to_exchange(&self, has_begun: bool) -> Exchange {
        let limit = match self {
            Self::Cancelled => None,
            Self::Budget(exceeded) => Some(exceeded.limit.clone()),
        };
        Exchange::Stopped {
            limit,
            begun: has_begun,
        }
    }

    /// Returns the stop that was recorded.
    pub(crate) fn from_exchange(exchange: &Exchange) -> Option<Self> {
        match exchange {
            Exchange::Stopped { limit: None, .. } => Some(Self::Cancelled),
            Exchange::Stopped {
                limit: Some(limit), ..
            } => Some(Self::Budget(Exceeded::new(limit.clone()))),
            _ => None,
        }
    }
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Cancelled => Self::other(stop.to_string()),
            Stop::Budget(exceeded) => Self::Budget(exceeded),
        }
    }
}

impl Job {
    /// Returns `true` if gathering must stop: the run was cancelled, or its budget is used up.
    pub fn is_stopped(&self) -> bool {
        self.stop().is_some()
    }

    /// Returns why gathering must stop, if it must.
    pub fn stop(&self) -> Option<Stop> {
        self.stop_at("stop", &self.role())
    }

    /// Returns why gathering must stop, seen from one of several concurrent parts of a task, which
    /// `what` and `with` distinguish.
    pub fn stop_at(&self, what: &str, with: &impl Serialize) -> Option<Stop> {
        self.observe(what, with, || self.must_stop())
    }

    /// Waits until gathering must stop.
    pub async fn stopped(&self) -> Stop {
        let budget = self.kit.budget();
        tokio::select! {
            () = self.kit.cancel.cancelled() => Stop::Cancelled,
            () = tokio::time::sleep_until(budget.gathering_deadline()) => {
                Stop::Budget(budget.exceeded().unwrap_or_else(|| budget.time_is_up()))
            }
        }
    }

    /// Returns why gathering must stop right now, without recording it.
    pub(crate) fn must_stop(&self) -> Option<Stop> {
        if self.kit.cancel.is_cancelled() {
            return Some(Stop::Cancelled);
        }
        self.kit.budget().exceeded().map(Stop::Budget)
    }

    /// Takes a tool call, search or fetch out of the budget, if gathering may continue. What the
    /// budget says is recorded.
    ///
    /// # Errors
    ///
    /// When the budget is used up.
    pub fn take_call(&self, tool: &str, arguments: &impl Serialize) -> Result<(), Error> {
        let take = || self.kit.budget().take_call().err().map(Stop::Budget);
        let stop = self.observe(&format!("charge {tool}"), arguments, take);
        stop.map_or(Ok(()), |stop| Err(stop.into()))
    }

    /// Returns what the task sees of a reason to stop, now or when it was recorded.
    fn observe(
        &self,
        what: &str,
        with: &impl Serialize,
        look: impl FnOnce() -> Option<Stop>,
    ) -> Option<Stop> {
        let mark = self.tape.mark(what, with);
        if self.tape.is_replaying() {
            return self.tape.kept(&mark).as_ref().and_then(Stop::from_exchange);
        }

        let stop = look();
        if let Some(stop) = &stop {
            self.tape.keep(mark, stop.to_exchange(false));
        }
        stop
    }

    /// Awaits a future unless gathering must stop first. `what` and `with` distinguish it from
    /// other futures of the task.
    ///
    /// # Errors
    ///
    /// Why gathering must stop.
    pub async fn unless_stopped<T>(
        &self,
        what: &str,
        with: &impl Serialize,
        doing: impl Future<Output = T>,
    ) -> Result<T, Stop> {
        let mark = self.tape.mark(what, with);
        if self.tape.is_replaying() {
            let Some(kept) = self.tape.kept(&mark) else {
                return Ok(doing.await);
            };
            if matches!(kept, Exchange::Stopped { begun: true, .. }) {
                self.tape.until_cut(doing).await;
            }
            return Err(Stop::from_exchange(&kept).unwrap_or(Stop::Cancelled));
        }

        let has_begun = AtomicBool::new(false);
        let doing = async {
            has_begun.store(true, Ordering::Relaxed);
            doing.await
        };
        tokio::select! {
            biased;
            stop = self.stopped() => {
                self.tape.keep(mark, stop.to_exchange(has_begun.load(Ordering::Relaxed)));
                Err(stop)
            }
            done = doing => Ok(done),
        }
    }

    /// Returns how much the model can hold, as far as it is known at this point of the task.
    pub fn window_at(&self, what: &str, with: &impl Serialize) -> ContextWindow {
        let (live, stated) = (self.kit.window(None).tokens(), self.kit.stated_window(None));
        let mark = self.tape.mark(what, with);
        if self.tape.is_replaying() {
            let Some(Exchange::Context { tokens }) = self.tape.kept(&mark) else {
                return stated;
            };
            return stated.holding(tokens);
        }

        if live != stated.tokens() {
            self.tape.keep(mark, Exchange::Context { tokens: live });
        }
        stated.holding(live)
    }
}
