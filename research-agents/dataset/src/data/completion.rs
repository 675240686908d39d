//! The reasons why the research of a run ends.

use serde::{Deserialize, Serialize};

/// The reason why the research ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Completion {
    /// All matching records were read.
    AllDocumentsRead,
    /// Confidence reached its threshold.
    Confidence,
    /// The planner was asked as often as allowed.
    MaxIterations,
    /// Several batches in a row brought nothing new.
    NoNewFindings,
    /// The planner asked for the report.
    Planner,
    /// Planning failed.
    PlanningFailed,
    /// The host or user stopped the run.
    Cancelled,
    /// The budget is used up.
    Budget,
}
