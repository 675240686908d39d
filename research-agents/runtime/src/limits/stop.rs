//! Why gathering ends early.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::limits::budget::Exceeded;

/// The reason why a run stops gathering before it is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The host or the user cancelled the run.
    Cancelled,
    /// The budget is used up.
    Budget(Exceeded),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("the run was stopped"),
            Self::Budget(exceeded) => exceeded.fmt(f),
        }
    }
}

/// Why a run ended before its research was complete, for the state of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EarlyEnd {
    /// The reason, in words.
    pub reason: String,
    /// Whether the host or the user cancelled it; otherwise its budget is used up.
    pub is_cancelled: bool,
}

impl From<Stop> for EarlyEnd {
    fn from(stop: Stop) -> Self {
        Self {
            reason: stop.to_string(),
            is_cancelled: stop == Stop::Cancelled,
        }
    }
}
