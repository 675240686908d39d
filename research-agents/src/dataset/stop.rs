//! Why gathering ends before its time, and what a task sees of it: kept with the recording of a run, for a replay to stop at
//! the same place.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use research_llm::ModelError;
use serde::Serialize;

use super::fit::Room;
use super::services::DatasetCx;
use crate::Error;
use crate::kernel::Exceeded;
use crate::kernel::tape::Exchange;

/// Why gathering ends before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The host or user wants it.
    Cancelled,
    /// The budget is used up.
    Budget(Exceeded),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("the run was stopped"),
            Self::Budget(exceeded) => exceeded.fmt(f),
        }
    }
}

impl Stop {
    /// What a call of the model ends with.
    pub(super) fn into_model_error(self) -> Error {
        match self {
            Self::Cancelled => ModelError::Cancelled.into(),
            Self::Budget(exceeded) => exceeded.into(),
        }
    }

    /// As it is kept; `begun` says that what was cut off had begun.
    pub(super) fn exchange(&self, begun: bool) -> Exchange {
        let limit = match self {
            Self::Cancelled => None,
            Self::Budget(exceeded) => Some(exceeded.limit.clone()),
        };
        Exchange::Stopped { limit, begun }
    }

    /// What was kept.
    pub(super) fn of(exchange: &Exchange) -> Option<Self> {
        match exchange {
            Exchange::Stopped { limit: None, .. } => Some(Self::Cancelled),
            Exchange::Stopped { limit: Some(limit), .. } => Some(Self::Budget(Exceeded { limit: limit.clone() })),
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

impl DatasetCx {
    /// Whether gathering must end: the run was asked to, or its budget is used up.
    pub fn is_cancelled(&self) -> bool {
        self.stop().is_some()
    }

    /// Why gathering must end, if it must.
    pub(crate) fn stop(&self) -> Option<Stop> {
        self.stop_at("stop", &self.role())
    }

    /// The same, in one of several parts of a task that run side by side: it is told from the others by its words.
    pub(crate) fn stop_at(&self, what: &str, with: &impl Serialize) -> Option<Stop> {
        self.seen(what, with, || self.must_stop())
    }

    /// Takes a call of a tool out of the budget, if gathering may go on.
    pub(super) fn take_call(&self, tool: &str, arguments: &impl Serialize) -> Result<(), Error> {
        let take = || self.budget().take_call().err().map(Stop::Budget);
        self.seen(&format!("charge {tool}"), arguments, take).map_or(Ok(()), |stop| Err(stop.into()))
    }

    /// What the task sees of a reason to stop, now or when it was recorded.
    fn seen(&self, what: &str, with: &impl Serialize, look: impl FnOnce() -> Option<Stop>) -> Option<Stop> {
        let mark = self.tape().mark(what, with);
        if self.tape().is_replaying() {
            return self.tape().kept(&mark).as_ref().and_then(Stop::of);
        }
        let stop = look();
        if let Some(stop) = &stop {
            self.tape().keep(mark, stop.exchange(false));
        }
        stop
    }

    /// Does something unless gathering must end before it is done. What is done is told from the like in the same task by its
    /// words.
    pub(crate) async fn unless_stopped<T>(
        &self,
        what: &str,
        with: &impl Serialize,
        doing: impl Future<Output = T>,
    ) -> Result<T, Stop> {
        let mark = self.tape().mark(what, with);
        if self.tape().is_replaying() {
            let Some(kept) = self.tape().kept(&mark) else { return Ok(doing.await) };
            if matches!(kept, Exchange::Stopped { begun: true, .. }) {
                self.tape().until_cut(doing).await;
            }
            return Err(Stop::of(&kept).unwrap_or(Stop::Cancelled));
        }
        let begun = AtomicBool::new(false);
        let doing = async {
            begun.store(true, Ordering::Relaxed);
            doing.await
        };
        tokio::select! {
            biased;
            stop = self.stopped() => {
                self.tape().keep(mark, stop.exchange(begun.load(Ordering::Relaxed)));
                Err(stop)
            }
            done = doing => Ok(done),
        }
    }

    /// What the model can hold, as far as it is known at this place of the task.
    pub(crate) fn room_at(&self, what: &str, with: &impl Serialize) -> Room {
        let (live, base) = (self.room().tokens(), self.base_room().tokens());
        let mark = self.tape().mark(what, with);
        if self.tape().is_replaying() {
            let Some(Exchange::Context { tokens }) = self.tape().kept(&mark) else { return self.base_room() };
            return self.base_room().holding(tokens);
        }
        if live != base {
            self.tape().keep(mark, Exchange::Context { tokens: live });
        }
        self.base_room().holding(live)
    }
}
