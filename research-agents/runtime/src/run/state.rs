//! The traits by which the runtime reads the state and the input of a run.

use std::borrow::Cow;
use std::time::Duration;

use research_agents_report::document::Report;
use research_core::State;
use research_llm::ModelInfo;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::job::JobDone;
use crate::limits::usage::Usage;
use crate::tape::task::TaskRecord;

/// What a run is asked to do, as its bundle keeps it.
pub trait RunInput: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Returns `true` if the user could be asked.
    fn can_ask(&self) -> bool;

    /// Returns the user's replies, oldest first.
    fn replies(&self) -> &[String];

    /// Sets the user's replies.
    fn set_replies(&mut self, replies: Vec<String>);
}

/// The input of a system that takes nothing but a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct QuestionInput {
    /// The user's question.
    pub question: String,
    /// `true` if the user could be asked.
    pub can_ask: bool,
    /// The user's replies.
    pub answers: Vec<String>,
}

impl RunInput for QuestionInput {
    fn can_ask(&self) -> bool {
        self.can_ask
    }

    fn replies(&self) -> &[String] {
        &self.answers
    }

    fn set_replies(&mut self, replies: Vec<String>) {
        self.answers = replies;
    }
}

/// How a recorded run began: together with the recording, all that a replay needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beginning<I> {
    /// What the run was asked to do.
    pub input: I,
    /// The settings, as JSON.
    pub settings: Value,
    /// What was known about the model.
    pub model: ModelInfo,
    /// The word that marked untrusted lines in its prompts.
    pub marker: String,
}

/// The state of a run as the runtime sees it. [`run_state!`](crate::run_state) implements it for
/// the conventional fields.
#[diagnostic::on_unimplemented(
    message = "the runtime cannot run a graph over the state `{Self}`",
    label = "this state must implement `RunState`",
    note = "give it the conventional fields and write `run_state!({Self});`, or implement the \
            trait by hand"
)]
pub trait RunState: State {
    /// What a run is asked to do.
    type Input: RunInput;

    /// Creates the state that a run with this input starts from.
    fn from_input(input: Self::Input) -> Self;

    /// Returns the input of the run of this state.
    fn to_input(&self, can_ask: bool) -> Self::Input;

    /// Returns the user's question.
    fn question(&self) -> &str;

    /// Returns the user's replies to questions of the run, oldest first.
    fn replies(&self) -> &[String];

    /// Returns what the run has used.
    fn usage(&self) -> Usage;

    /// Returns how long the run has been active.
    fn active(&self) -> Duration;

    /// Returns how the run began, if it is recorded.
    fn beginning(&self) -> Option<&Beginning<Self::Input>>;

    /// Sets how the run began, which records it.
    fn set_beginning(&mut self, beginning: Beginning<Self::Input>);

    /// Returns what the tasks of a recorded run did outside, in order.
    fn recording(&self) -> impl Iterator<Item = &TaskRecord>;

    /// Returns the report as a document, once it is written.
    fn document(&self) -> Option<&Report>;

    /// Returns the report as Markdown, once it is written. Defaults to the rendering of the
    /// document.
    fn markdown(&self) -> Option<Cow<'_, str>> {
        self.document()
            .map(|report| Cow::Owned(report.to_markdown()))
    }

    /// Returns the place of a task within its run: the same for every execution of the task,
    /// however often the run was interrupted, and different for every other task.
    fn place(&self, node: &str, index: usize) -> String;

    /// Adds what a task did to its update.
    fn record(update: Self::Update, done: JobDone) -> Self::Update;
}
