//! The events that only the studio emits.

use serde::{Deserialize, Serialize};

use crate::records::{KnowledgeGap, ResearchPlan, ResearchQuestion};

/// An event of the studio, next to the shared ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum StudioEvent {
    /// The research is planned.
    Plan {
        /// What the report is about.
        topic: String,
        /// Sections of the report.
        outline: Vec<String>,
        /// The questions that are researched.
        questions: Vec<ResearchQuestion>,
    },
    /// Something is not known, or not well enough, after a round.
    Gap {
        /// The gap.
        #[serde(flatten)]
        gap: KnowledgeGap,
    },
}

impl From<&ResearchPlan> for StudioEvent {
    fn from(plan: &ResearchPlan) -> Self {
        Self::Plan {
            topic: plan.topic.clone(),
            outline: plan.outline.clone(),
            questions: plan.research_questions.clone(),
        }
    }
}
