//! The status of a run.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limits::stop::EarlyEnd;

/// The status of the latest run of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunStatus {
    /// The run was accepted and has not started.
    Queued,
    /// The run is under way in this process.
    Running,
    /// The run waits for an answer of the user.
    AwaitingInput,
    /// The run wrote its report.
    Completed,
    /// The run failed or broke off; it can be resumed.
    Failed,
    /// The run was stopped, and its report covers what there was.
    Cancelled,
    /// The budget was used up, and the report covers what there was.
    BudgetExhausted,
}

impl RunStatus {
    /// Returns the status of a run that wrote its report, by why it ended early, if it did.
    pub fn ended(early_end: Option<&EarlyEnd>) -> Self {
        match early_end {
            None => Self::Completed,
            Some(early_end) if early_end.is_cancelled => Self::Cancelled,
            Some(_) => Self::BudgetExhausted,
        }
    }

    /// Returns `true` if the run has written its report.
    pub fn has_report(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Cancelled | Self::BudgetExhausted
        )
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::AwaitingInput => "awaiting input",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::BudgetExhausted => "budget exhausted",
        })
    }
}
