//! Why gathering ends early.

use std::fmt;

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
