//! What a follow-up knows from the runs before it on its thread.

use research_agents_fieldwork::input::{EarlierEvidence, ResearchInput};
use research_agents_scr::memo::Finding;
use research_agents_scr::report::PassagesOf;
use serde::{Deserialize, Serialize};

/// What a run is asked to do.
pub type FeedbackInput = ResearchInput<EarlierRuns>;

/// What a follow-up knows from the runs before it on its thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EarlierRuns {
    /// The findings that are nearest to its question.
    pub findings: Vec<Finding>,
    /// By id of a finding, the ids of its passages.
    pub passages_of: PassagesOf,
    /// Their evidence.
    pub evidence: EarlierEvidence,
}
