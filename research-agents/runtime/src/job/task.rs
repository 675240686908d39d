//! The job itself: the context of one task, its tape, and what it has used.

use std::fmt;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use research_agents_report::text::Marker;
use research_core::NodeError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;

use crate::clarify::clarification::Clarification;
use crate::clarify::policy::interrupt;
use crate::error::model::Error;
use crate::event::vocabulary::{RunEvent, timeless};
use crate::job::context::TaskContext;
use crate::job::dialect::{Plain, ToolDialect};
use crate::job::kit::Kit;
use crate::job::once::{OnceError, Performed};
use crate::limits::usage::{Meter, Usage};
use crate::tape::task::{Tape, TaskRecord, TaskTape};
use crate::tape::track::Track;

/// Name of the record of a reply that the user gave in this process.
const REPLY: &str = "clarification";

/// One task of a run, with everything it may do outside of the process. Clones belong to the same
/// task.
#[derive(Clone)]
pub struct Job {
    pub(crate) context: Arc<dyn TaskContext>,
    pub(crate) kit: Kit,
    pub(crate) tape: TaskTape,
    pub(crate) dialect: Arc<dyn ToolDialect>,
    pub(crate) role: Arc<str>,
    pub(crate) may_call_tools: bool,
    meter: Meter,
    performed: Performed,
}

/// What a task did, for the state of its run.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct JobDone {
    /// What the task used.
    pub usage: Usage,
    /// How long the run has been active so far.
    pub active: Duration,
    /// What the task did outside, in a recorded run.
    pub record: Option<TaskRecord>,
}

impl Job {
    /// Creates the job of a task. `place` identifies the task within its run and must not depend on
    /// how often the run was interrupted; `is_recorded` says whether the run keeps what it does
    /// outside.
    pub fn new(
        context: impl TaskContext + 'static,
        kit: &Kit,
        place: impl Into<Arc<str>>,
        is_recorded: bool,
    ) -> Self {
        let tape = match &kit.expected {
            Some(expected) => Tape::Replaying(expected.recording()),
            None if is_recorded => Tape::Recording,
            None => Tape::Off,
        };

        Self {
            context: Arc::new(context),
            kit: kit.clone(),
            tape: TaskTape::new(place, tape),
            dialect: Arc::new(Plain),
            role: Arc::default(),
            may_call_tools: true,
            meter: Meter::default(),
            performed: Performed::default(),
        }
    }

    /// Sets how tool calls are described and adapted.
    #[must_use]
    pub fn with_dialect(mut self, dialect: impl ToolDialect + 'static) -> Self {
        self.dialect = Arc::new(dialect);
        self
    }

    /// Returns the same job in a role, which the policy judges tool calls by.
    #[must_use]
    pub fn in_role(&self, role: &str) -> Self {
        Self {
            role: role.into(),
            ..self.clone()
        }
    }

    /// Returns the same job without tools: every call is refused.
    #[must_use]
    pub fn without_tools(&self) -> Self {
        Self {
            may_call_tools: false,
            ..self.clone()
        }
    }

    /// Returns the same job with another marker of untrusted text in prompts, such as that of a
    /// conversation which an earlier run began.
    #[must_use]
    pub fn with_marker(&self, marker: Marker) -> Self {
        Self {
            kit: self.kit.clone().with_marker(marker),
            ..self.clone()
        }
    }

    /// Returns the role; empty unless one was [set](Self::in_role).
    pub fn role(&self) -> &str {
        &self.role
    }

    /// Returns what the run shares.
    pub fn kit(&self) -> &Kit {
        &self.kit
    }

    /// Returns `true` if a thread keeps the run.
    pub fn is_durable(&self) -> bool {
        self.context.is_durable()
    }

    /// Returns `true` if the user can be asked.
    pub fn can_ask(&self) -> bool {
        self.kit.can_ask(self.is_durable())
    }

    /// Performs an effect once for the whole run, even if the run is interrupted and resumed.
    pub(crate) async fn once<T, E, F>(
        &self,
        what: &str,
        with: &(impl Serialize + Sync),
        effect: impl FnOnce(Track) -> F + Send,
    ) -> Result<T, OnceError<E>>
    where
        T: Serialize + DeserializeOwned + Send,
        E: Send,
        F: Future<Output = Result<T, E>> + Send,
    {
        self.performed
            .once(&*self.context, &self.tape, what, with, effect)
            .await
    }

    /// Emits an event.
    pub fn emit(&self, event: RunEvent) {
        self.record_event(&event);
        self.context.emit(event);
    }

    /// Adds an event of the system itself to the journal of a recorded run. The caller emits it.
    pub fn record_event(&self, event: &impl Serialize) {
        self.tape.record_event(|| timeless(event));
    }

    /// Reports that a phase starts.
    pub fn phase(&self, phase: impl Into<String>) {
        self.emit(RunEvent::Phase {
            phase: phase.into(),
        });
    }

    /// Reports the progress of the run in percent, and returns the percentage that was reported: it
    /// never decreases.
    pub fn progress(&self, percent: u8, message: impl Into<String>) -> u8 {
        // Held while the event is emitted, so that concurrent tasks report in the order of their
        // numbers.
        let mut so_far = self
            .kit
            .percent
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *so_far = percent.max(*so_far).min(100);
        self.emit(RunEvent::Progress {
            percent: *so_far,
            message: message.into(),
        });
        *so_far
    }

    /// Reports a failure that does not end the run.
    pub fn warn(&self, error: &Error) {
        self.emit(RunEvent::error(error, false));
    }

    /// Adds to what the task has used.
    pub fn count(&self, usage: Usage) {
        self.meter.add(usage);
    }

    /// Returns what the task has used so far.
    pub fn used(&self) -> Usage {
        self.meter.total()
    }

    /// Returns what the task did, for the state of its run.
    pub fn done(&self) -> JobDone {
        JobDone {
            usage: self.used(),
            active: self.kit.budget.elapsed(),
            record: self.tape.record(),
        }
    }

    /// Waits until fewer calls are in flight than the settings allow.
    pub async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.kit.slots).acquire_owned().await.ok()
    }

    /// Asks the user for a clarification and returns the reply; `None` if no one replies. `round`
    /// counts the questions of the run from 0.
    ///
    /// The [`Clarifier`](crate::clarify::Clarifier) of the run is asked in this process. Without
    /// one the run is interrupted, and an answer resumes it.
    ///
    /// # Errors
    ///
    /// The interrupt of the engine, which the node passes on with `?`.
    pub async fn clarify(
        &self,
        clarification: &Clarification,
        round: u32,
    ) -> Result<Option<String>, NodeError> {
        if let Some(expected) = &self.kit.expected {
            return Ok(expected.reply(round));
        }
        let Some(clarifier) = self.kit.asking.clarifier.clone() else {
            let ask = interrupt(clarification, format!("{REPLY}/{round}"));
            return self.context.interrupt_for_text(ask).await.map(Some);
        };

        let asking = async {
            self.emit(RunEvent::ClarificationRequired {
                clarification: clarification.clone(),
                resume_token: None,
            });
            tokio::select! {
                biased;
                reply = clarifier.ask(clarification.clone()) => Ok::<_, Error>(reply),
                _ = self.stopped() => Ok(None),
            }
        };
        match self.once(REPLY, &(round, clarification), |_| asking).await {
            Ok(reply) => Ok(reply),
            Err(OnceError::Failed(error)) => Err(error.into()),
            Err(OnceError::Unrecorded(error)) => Err(error),
        }
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("role", &self.role)
            .field("kit", &self.kit)
            .finish_non_exhaustive()
    }
}
