//! A run that has not started: its options.

use std::fmt;
use std::sync::Arc;

use research_core::CheckpointId;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::bundle::expected::Expected;
use crate::clarify::clarification::Clarifier;
use crate::clarify::policy::Asking;
use crate::job::Steering;
use crate::run::state::RunState;
use crate::run::system::System;

/// A run that has not started: set its options, then await it or call [`stream`](Self::stream).
#[must_use = "a run does nothing until it is awaited or its stream is read"]
pub struct Run<S: System> {
    pub(crate) system: S,
    /// What the run starts from. Without a question, the run resumes its thread.
    pub input: S::State,
    pub(crate) cancel: CancellationToken,
    pub(crate) thread: Option<String>,
    pub(crate) is_recorded: bool,
    pub(crate) asking: Asking,
    pub(crate) steering: Steering,
    /// The user's answer, with the token of the question if the caller names one.
    pub(crate) answer: Option<(Option<String>, Value)>,
    pub(crate) from: Option<CheckpointId>,
    pub(crate) is_resumed: bool,
    pub(crate) expected: Option<Arc<Expected>>,
}

impl<S: System> Run<S> {
    /// Creates a run that starts from this state.
    pub fn new(system: S, input: S::State) -> Self {
        Self {
            system,
            input,
            cancel: CancellationToken::new(),
            thread: None,
            is_recorded: false,
            asking: Asking::default(),
            steering: Steering::default(),
            answer: None,
            from: None,
            is_resumed: false,
            expected: None,
        }
    }

    /// Creates a run that resumes an unfinished run of a thread.
    pub fn resume(system: S, thread: impl Into<String>) -> Self {
        Self {
            is_resumed: true,
            thread: Some(thread.into()),
            ..Self::new(system, S::State::default())
        }
    }

    /// Sets the token that ends the run gracefully: when it is cancelled, the run stops reading and
    /// reports what it has.
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// Sets who asks the user in this process.
    pub fn clarifier(mut self, clarifier: impl Clarifier + 'static) -> Self {
        self.asking.clarifier = Some(Arc::new(clarifier));
        self
    }

    /// Sets the inbox from which the run reads messages of the user.
    pub fn steering(mut self, steering: Steering) -> Self {
        self.steering = steering;
        self
    }

    /// Answers the question that the run on the [thread](Self::thread) waits for.
    pub fn answer(mut self, answer: impl Into<Value>) -> Self {
        self.answer = Some((None, answer.into()));
        self
    }

    /// Answers the question with this token, which its event has, so that a question that came up
    /// since is not answered by mistake.
    pub fn answer_to(mut self, token: impl Into<String>, answer: impl Into<Value>) -> Self {
        self.answer = Some((Some(token.into()), answer.into()));
        self
    }

    /// Keeps the run on this thread of the store.
    ///
    /// A thread that holds an unfinished run of the same question resumes it, with the options of
    /// its first start, and no call with a recorded result is made again. A finished one gives its
    /// report. Another question on a finished thread is a follow-up; on an unfinished thread it is
    /// [an error](crate::error::Error::OtherQuestion).
    pub fn thread(mut self, id: impl Into<String>) -> Self {
        self.thread = Some(id.into());
        self
    }

    /// Resumes from an older checkpoint of the thread, as a new branch. Later checkpoints are kept.
    pub fn from_checkpoint(mut self, id: CheckpointId) -> Self {
        self.from = Some(id);
        self
    }

    /// Records everything that the run does outside, so that it can be exported as a bundle and
    /// replayed. A run on a thread is recorded from its start or not at all: otherwise it fails
    /// with [`Error::NotRecorded`](crate::error::Error::NotRecorded).
    pub fn record(mut self) -> Self {
        self.is_recorded = true;
        self
    }

    /// Follows a recording instead of the outside world.
    pub(crate) fn replaying(mut self, expected: Arc<Expected>) -> Self {
        self.expected = Some(expected);
        self
    }
}

impl<S: System> fmt::Debug for Run<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("system", &S::NAME)
            .field("question", &self.input.question())
            .finish_non_exhaustive()
    }
}
