//! What a run is asked to do.

use research_agents_runtime::run::RunInput;
use serde::{Deserialize, Serialize};

use crate::run::RunId;

/// What a run is asked to do, as its bundle keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CodeInput {
    /// The user's question.
    pub question: String,
    /// Glob that limits the search; empty for the whole code base.
    pub scope: String,
    /// Maximum number of steps.
    pub budget: u32,
    /// Id of the run, which ids of evidence contain.
    pub run_id: RunId,
    /// Remarks on the request, such as a budget that was clamped.
    pub notes: Vec<String>,
    /// `true` if the user could be asked.
    pub can_ask: bool,
    /// The user's replies.
    pub answers: Vec<String>,
}

impl RunInput for CodeInput {
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
