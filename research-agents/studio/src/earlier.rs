//! What a follow-up knows from the runs before it on its thread.

use research_agents_fieldwork::input::{EarlierEvidence, ResearchInput};
use serde::{Deserialize, Serialize};

/// What a run is asked to do.
pub type StudioInput = ResearchInput<EarlierRuns>;

/// What a follow-up knows from the runs before it on its thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EarlierRuns {
    /// Their questions, the oldest first.
    pub questions: Vec<String>,
    /// Their evidence.
    pub evidence: EarlierEvidence,
}
