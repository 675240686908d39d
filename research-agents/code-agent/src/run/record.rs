//! The run itself and its steps.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::run::evidence::Evidence;
use crate::run::id::RunId;
use crate::run::verification::Verification;

/// Whether a run is under way, has answered, or failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// The run is under way.
    #[default]
    Running,
    /// The run has an answer, complete or partial.
    Done,
    /// The run failed.
    Error,
}

/// One action of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionStep {
    /// Number of the step, counted from 1.
    pub step_number: u32,
    /// Name of the action; `decide` if no action could be chosen.
    pub action: String,
    /// Why the action was chosen.
    pub reasoning: String,
    /// Input of the action.
    pub input: Value,
    /// Result in one line.
    pub output_summary: String,
    /// Duration in milliseconds.
    pub duration_ms: u64,
    /// The error, if the action failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Ids of the evidence that the action found.
    pub evidence_ids: Vec<String>,
    /// Further output of the action.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// A run: the question, what was done, what was found, and the answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResearchRun {
    /// Id of the run.
    pub run_id: RunId,
    /// The question.
    pub question: String,
    /// Whether it is under way, done or failed.
    pub status: RunStatus,
    /// Time of the start in UTC, as RFC 3339.
    pub created_at: String,
    /// Time of the end in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// Glob that limits the search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Maximum number of steps.
    pub budget_steps: u32,
    /// Number of steps that were made.
    pub budget_used: u32,
    /// Duration in milliseconds.
    pub total_duration_ms: u64,
    /// The steps, in order.
    pub steps: Vec<ActionStep>,
    /// The evidence, in the order of its ids.
    pub evidence: Vec<Evidence>,
    /// The answer without its citations list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Confidence that the answer states, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Sentences with their citations for which the answer had no space.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<String>,
    /// Ids of the evidence that the answer cites, in the order of their first citation.
    pub cited: Vec<String>,
    /// Whether the answer is partial: the budget was used up, the run was stopped, or sentences
    /// were removed.
    pub is_partial: bool,
    /// Why the run failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The checks of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// Remarks on the run, such as a budget that was clamped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl ResearchRun {
    /// Returns evidence by its id.
    pub fn evidence_by_id(&self, id: &str) -> Option<&Evidence> {
        self.evidence.iter().find(|evidence| evidence.id == id)
    }

    /// Returns the evidence that the answer cites, in the order of citation.
    pub fn cited_evidence(&self) -> impl Iterator<Item = &Evidence> {
        self.cited.iter().filter_map(|id| self.evidence_by_id(id))
    }

    /// Returns the run without times and durations, so that runs can be compared.
    #[must_use]
    pub fn timeless(&self) -> Self {
        let mut run = self.clone();
        run.created_at.clear();
        run.completed_at = None;
        run.total_duration_ms = 0;
        run.steps.iter_mut().for_each(|step| step.duration_ms = 0);
        run
    }
}
