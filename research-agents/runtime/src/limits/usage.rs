//! The usage of a run: tokens and calls.

use std::ops::AddAssign;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// Numbers of tokens and calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens sent to models.
    pub tokens_in: u64,
    /// Tokens received from models.
    pub tokens_out: u64,
    /// Requests to models, including those after an invalid answer.
    pub llm_calls: u64,
    /// Tool calls over MCP; the listing of tools does not count.
    pub mcp_calls: u64,
    /// Times the planner was asked.
    pub planner_calls: u64,
    /// Of the tokens sent to models, those that earlier prompts of the run contained already, as
    /// far as a system counts them. An estimate.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens_repeated: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Usage {
    /// Returns the usage since the total was `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self {
            tokens_in: self.tokens_in.saturating_sub(earlier.tokens_in),
            tokens_out: self.tokens_out.saturating_sub(earlier.tokens_out),
            llm_calls: self.llm_calls.saturating_sub(earlier.llm_calls),
            mcp_calls: self.mcp_calls.saturating_sub(earlier.mcp_calls),
            planner_calls: self.planner_calls.saturating_sub(earlier.planner_calls),
            tokens_repeated: self.tokens_repeated.saturating_sub(earlier.tokens_repeated),
        }
    }
}

/// Adds usage to a total. The reducer of a state's usage: `#[reduce(with = add_usage)]`.
pub fn add_usage(total: &mut Usage, more: Usage) {
    *total += more;
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
        self.llm_calls += other.llm_calls;
        self.mcp_calls += other.mcp_calls;
        self.planner_calls += other.planner_calls;
        self.tokens_repeated += other.tokens_repeated;
    }
}

/// A shared counter for the usage of one task. Clones count into the same sum.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<Mutex<Usage>>);

impl Meter {
    /// Adds usage to the sum.
    pub fn add(&self, usage: Usage) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += usage;
    }

    /// Returns the sum so far.
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
        meter.add(Usage {
            llm_calls: 2,
            tokens_in: 5,
            ..Usage::default()
        });
        other.add(Usage {
            mcp_calls: 1,
            tokens_in: 1,
            ..Usage::default()
        });

        assert_eq!(
            meter.total(),
            Usage {
                llm_calls: 2,
                mcp_calls: 1,
                tokens_in: 6,
                ..Usage::default()
            }
        );
    }
}
