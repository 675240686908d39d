//! What a run over documents is asked to do.

use research_agents_runtime::run::RunInput;
use serde::{Deserialize, Serialize};

/// What a run is asked to do, as its bundle keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResearchInput {
    /// The user's question.
    pub question: String,
    /// Files of the folders that could not be read, each with the reason.
    pub not_read: Vec<String>,
    /// `true` if the user could be asked.
    pub can_ask: bool,
    /// The user's replies.
    pub answers: Vec<String>,
}

impl RunInput for ResearchInput {
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
