//! The events that only this workflow emits.

use serde::{Deserialize, Serialize};

use crate::records::{DecisionResult, Growth, ResearchTask};

/// An event of the workflow, next to the shared ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum FeedbackEvent {
    /// A pass is planned.
    Plan {
        /// Its number, counted from 1.
        iteration: u32,
        /// Its tasks.
        tasks: Vec<ResearchTask>,
    },
    /// It is decided whether research continues.
    Decision {
        /// The decision.
        #[serde(flatten)]
        decision: DecisionResult,
        /// How the pass changed what is known.
        growth: Growth,
    },
}
