//! What a run used: tokens and calls.

use std::ops::AddAssign;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// Tokens and calls, addable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens sent to models.
    pub tokens_in: u64,
    /// Tokens received from models.
    pub tokens_out: u64,
    /// Requests to models, repetitions after an invalid answer included.
    pub llm_calls: u64,
    /// Tool calls over MCP; the listing of tools does not count.
    pub mcp_calls: u64,
    /// Times the planner was asked.
    pub planner_calls: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
        self.llm_calls += other.llm_calls;
        self.mcp_calls += other.mcp_calls;
        self.planner_calls += other.planner_calls;
    }
}

/// A shared counter for the usage of one task. Clones count into the same sum.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<Usage>>);

impl Meter {
    /// Adds to the sum.
    pub fn add(&self, usage: Usage) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += usage;
    }

    /// The sum so far.
    pub fn total(&self) -> Usage {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_a_meter_count_together() {
        let meter = Meter::default();
        let other = meter.clone();
        meter.add(Usage { llm_calls: 2, tokens_in: 5, ..Usage::default() });
        other.add(Usage { mcp_calls: 1, tokens_in: 1, ..Usage::default() });
        assert_eq!(meter.total(), Usage { llm_calls: 2, mcp_calls: 1, tokens_in: 6, ..Usage::default() });
    }
}
