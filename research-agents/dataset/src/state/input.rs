//! The input of a run of the dataset agent.

use research_agents_report::language::Language;
use research_agents_runtime::run::RunInput as RuntimeInput;
use serde::{Deserialize, Serialize};

use crate::data::record::ReportFormat;
use crate::data::task::QueryOverrides;
use crate::data::task::conversation::Turn;
use crate::state::earlier::Earlier;

/// The input of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunInput {
    /// The user's question.
    pub question: String,
    /// Filters and grouping that the user fixed.
    pub overrides: QueryOverrides,
    /// Tools that may be used, by name; all that [only read](crate::only_reads)
    /// when empty.
    pub requested_tools: Vec<String>,
    /// Shape of the report.
    pub format: ReportFormat,
    /// Times the planner may be asked; 0 takes the configuration's value.
    pub max_iterations: u32,
    /// The language of the answer that the user fixed.
    #[serde(default)]
    pub language: Option<Language>,
    /// Earlier questions of the thread.
    #[serde(default)]
    pub turns: Vec<Turn>,
    /// Evidence that was gathered for the earlier questions.
    #[serde(default)]
    pub earlier: Earlier,
    /// Whether the user can be asked what is meant.
    #[serde(default)]
    pub can_ask: bool,
    /// The user's answers.
    #[serde(default)]
    pub answers: Vec<String>,
}

impl RuntimeInput for RunInput {
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
