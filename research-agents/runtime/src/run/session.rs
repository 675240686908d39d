//! Runs by thread: start, status, resume, approve, stop, steer, fork and follow up.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::StreamExt;
use research_core::CheckpointId;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::error::model::Error;
use crate::event::vocabulary::Event;
use crate::job::Steering;
use crate::run::options::Run;
use crate::run::status::RunStatus;
use crate::run::system::System;

/// The way to resume a run that waits for an answer or broke off.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Resume {
    /// With the reply to a question: the number of an option, its words, or other words.
    Clarification(String),
    /// With an approved plan, or any other answer as JSON.
    Approve(Value),
    /// As it is, after a failure or a crash.
    Continue,
}

/// Why a session refuses a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The thread has a run under way.
    #[error("the thread `{thread}` has a run under way; wait for its end or stop it")]
    AlreadyRunning {
        /// The thread.
        thread: String,
    },
    /// The thread has no run under way in this process.
    #[error("the thread `{thread}` has no run under way")]
    NotRunning {
        /// The thread.
        thread: String,
    },
    /// The run of the thread waits for no answer.
    #[error("the run of the thread `{thread}` waits for no answer; it is {status}")]
    NotAwaitingInput {
        /// The thread.
        thread: String,
        /// Status of its run.
        status: RunStatus,
    },
    /// The run of the thread has not finished.
    #[error("the run of the thread `{thread}` is {status}; a follow-up needs a finished run")]
    NotFinished {
        /// The thread.
        thread: String,
        /// Status of its run.
        status: RunStatus,
    },
    /// The run of the thread has finished, so that there is nothing to resume.
    #[error("the run of the thread `{thread}` has finished; ask a follow-up question")]
    AlreadyFinished {
        /// The thread.
        thread: String,
    },
    /// The store has no such thread.
    #[error("there is no thread `{thread}`")]
    UnknownThread {
        /// The thread.
        thread: String,
    },
    /// The store failed.
    #[error(transparent)]
    Run(#[from] Error),
}

/// The runs of a system by thread. The graph of the system needs a checkpointer. Clones share their
/// runs.
///
/// Every run has its own Tokio task and continues until it ends, whether or not its events are
/// read.
pub struct Session<S: System> {
    system: S,
    is_recorded: bool,
    running: Arc<Mutex<HashMap<String, Running>>>,
}

/// A run under way.
struct Running {
    status: RunStatus,
    cancel: CancellationToken,
    steering: Steering,
}

impl<S: System> Session<S>
where
    S::Outcome: 'static,
{
    /// Creates a session over the threads of the system's store.
    pub fn new(system: S) -> Self {
        Self {
            system,
            is_recorded: false,
            running: Arc::default(),
        }
    }

    /// Records every run that starts from now on, so that it can be exported.
    #[must_use]
    pub fn record(mut self) -> Self {
        self.is_recorded = true;
        self
    }

    /// Starts a run on a new thread.
    ///
    /// # Errors
    ///
    /// [`SessionError::AlreadyRunning`]. What goes wrong later is the outcome of the
    /// [handle](RunHandle::outcome).
    pub async fn start(
        &self,
        thread: impl Into<String>,
        input: S::State,
    ) -> Result<RunHandle<S>, SessionError> {
        let run = Run::new(self.system.clone(), input);
        let run = if self.is_recorded { run.record() } else { run };
        self.spawn(run, thread.into()).await
    }

    /// Returns the status of the latest run of a thread.
    ///
    /// # Errors
    ///
    /// [`SessionError::UnknownThread`], and when the store fails.
    pub async fn status(&self, thread: &str) -> Result<RunStatus, SessionError> {
        if let Some(running) = self.lock().get(thread) {
            return Ok(running.status);
        }

        let state = self
            .system
            .graph()
            .thread(thread)
            .state()
            .await
            .map_err(Error::from)?;
        let Some(state) = state else {
            return Err(SessionError::UnknownThread {
                thread: thread.to_owned(),
            });
        };
        Ok(if state.is_complete() {
            S::end_status(&state.state)
        } else if state.is_interrupted() {
            RunStatus::AwaitingInput
        } else {
            RunStatus::Failed
        })
    }

    /// Resumes the run of a thread that waits for an answer, failed, or broke off.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotAwaitingInput`] for an answer that no one waits for, such as a second
    /// one; [`SessionError::AlreadyRunning`] and [`SessionError::AlreadyFinished`] when there is
    /// nothing to resume.
    pub async fn resume(&self, thread: &str, resume: Resume) -> Result<RunHandle<S>, SessionError> {
        let status = self.status(thread).await?;
        let thread = thread.to_owned();
        let run = Run::resume(self.system.clone(), thread.as_str());
        let run = match resume {
            Resume::Clarification(_) | Resume::Approve(_) if status != RunStatus::AwaitingInput => {
                return Err(SessionError::NotAwaitingInput { thread, status });
            }
            Resume::Clarification(reply) => run.answer(reply),
            Resume::Approve(plan) => run.answer(plan),
            Resume::Continue if status.has_report() => {
                return Err(SessionError::AlreadyFinished { thread });
            }
            Resume::Continue => run,
        };
        self.spawn(run, thread).await
    }

    /// Resumes a run that waits for the approval of a plan.
    ///
    /// # Errors
    ///
    /// As [`resume`](Self::resume).
    pub async fn approve(
        &self,
        thread: &str,
        plan: impl Into<Value>,
    ) -> Result<RunHandle<S>, SessionError> {
        self.resume(thread, Resume::Approve(plan.into())).await
    }

    /// Stops the run of a thread gracefully: it ends with a report of what it has.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotRunning`].
    pub fn stop(&self, thread: &str) -> Result<(), SessionError> {
        self.with_running(thread, |running| running.cancel.cancel())
    }

    /// Sends a message to the run of a thread, which reads it at the next point where it looks.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotRunning`].
    pub fn steer(&self, thread: &str, text: impl Into<String>) -> Result<(), SessionError> {
        let text = text.into();
        self.with_running(thread, |running| running.steering.send(text))
    }

    /// Runs again from an older checkpoint of a thread, as a new branch. Later checkpoints are
    /// kept.
    ///
    /// # Errors
    ///
    /// [`SessionError::AlreadyRunning`] and [`SessionError::UnknownThread`].
    pub async fn fork(
        &self,
        thread: &str,
        checkpoint: CheckpointId,
    ) -> Result<RunHandle<S>, SessionError> {
        self.status(thread).await?;
        let run = Run::resume(self.system.clone(), thread).from_checkpoint(checkpoint);
        self.spawn(run, thread.to_owned()).await
    }

    /// Asks another question on a thread whose run has finished. The new run may read the evidence
    /// of the old one.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotFinished`] and [`SessionError::UnknownThread`].
    pub async fn follow_up(
        &self,
        thread: &str,
        input: S::State,
    ) -> Result<RunHandle<S>, SessionError> {
        let status = self.status(thread).await?;
        if !status.has_report() {
            return Err(SessionError::NotFinished {
                thread: thread.to_owned(),
                status,
            });
        }
        self.start(thread, input).await
    }

    /// Starts the task of a run, and waits until the run has its id.
    async fn spawn(&self, run: Run<S>, thread: String) -> Result<RunHandle<S>, SessionError> {
        // Register the run first, so that of two concurrent requests only one starts.
        let (cancel, steering) = (CancellationToken::new(), Steering::default());
        {
            let mut running = self.lock();
            if running.contains_key(&thread) {
                return Err(SessionError::AlreadyRunning { thread });
            }
            let entry = Running {
                status: RunStatus::Queued,
                cancel: cancel.clone(),
                steering: steering.clone(),
            };
            running.insert(thread.clone(), entry);
        }

        let (sender, mut events) = unbounded_channel();
        let registration = Registration {
            running: Arc::clone(&self.running),
            thread: thread.clone(),
        };
        let mut stream = run
            .thread(&thread)
            .cancel(cancel)
            .steering(steering)
            .stream();
        let outcome = tokio::spawn(async move {
            while let Some(event) = stream.next().await {
                registration.set(RunStatus::Running);
                // The handle may have been dropped; the run continues.
                drop(sender.send(event));
            }
            let outcome = stream.outcome().await;
            drop(registration);
            outcome
        });

        let first = events.recv().await;
        let run_id = first
            .as_ref()
            .map(|event| event.run_id.clone())
            .unwrap_or_default();
        Ok(RunHandle {
            run_id,
            thread_id: thread,
            first,
            events,
            outcome,
        })
    }

    fn with_running(&self, thread: &str, act: impl FnOnce(&Running)) -> Result<(), SessionError> {
        let running = self.lock();
        let found = running
            .get(thread)
            .ok_or_else(|| SessionError::NotRunning {
                thread: thread.to_owned(),
            })?;
        act(found);
        Ok(())
    }
}

impl<S: System> Session<S> {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: System> Clone for Session<S> {
    fn clone(&self) -> Self {
        Self {
            system: self.system.clone(),
            is_recorded: self.is_recorded,
            running: Arc::clone(&self.running),
        }
    }
}

impl<S: System> fmt::Debug for Session<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads: Vec<String> = self.lock().keys().cloned().collect();
        f.debug_struct("Session")
            .field("system", &S::NAME)
            .field("running", &threads)
            .finish()
    }
}

/// Removes a run from its session when its task ends, however it ends.
struct Registration {
    running: Arc<Mutex<HashMap<String, Running>>>,
    thread: String,
}

impl Registration {
    fn set(&self, status: RunStatus) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = running.get_mut(&self.thread) {
            running.status = status;
        }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.thread);
    }
}

/// A run under way: its ids, its events and its outcome. Dropping the handle does not stop the run.
pub struct RunHandle<S: System> {
    run_id: String,
    thread_id: String,
    first: Option<Event<S::Event>>,
    events: UnboundedReceiver<Event<S::Event>>,
    outcome: JoinHandle<Result<S::Outcome, Error>>,
}

impl<S: System> RunHandle<S> {
    /// Returns the id of the run; empty if it failed before it had one.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Returns the id of the thread.
    pub fn thread_id(&self) -> &str {
        &self.thread_id
    }

    /// Returns the next event, or `None` after the last one.
    pub async fn next_event(&mut self) -> Option<Event<S::Event>> {
        match self.first.take() {
            Some(event) => Some(event),
            None => self.events.recv().await,
        }
    }

    /// Waits for the end of the run and returns its outcome.
    ///
    /// # Errors
    ///
    /// As awaiting a [`Run`]; also when its task panicked.
    pub async fn outcome(self) -> Result<S::Outcome, Error> {
        drop(self.events);
        self.outcome
            .await
            .unwrap_or_else(|error| Err(Error::other(error)))
    }
}

impl<S: System> fmt::Debug for RunHandle<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunHandle")
            .field("run_id", &self.run_id)
            .field("thread_id", &self.thread_id)
            .finish_non_exhaustive()
    }
}
