//! The budget of a run, and its breakpoints as positions.

use std::collections::BTreeMap;
use std::time::Duration;

/// What a run may use up. When one of its limits is reached, the run goes to the node that
/// [`Graph::on_budget_spent`](crate::Graph::on_budget_spent) names, or ends as [`End::Spent`](crate::End::Spent): it does not fail.
///
/// Limits are checked between steps, so that the step that reaches one is completed.
///
/// ```
/// use research_core::Budget;
/// use std::time::Duration;
///
/// let budget = Budget::new().steps(50).wall(Duration::from_secs(600)).counter("tokens", 200_000);
/// # let _ = budget;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    pub(crate) steps: Option<u64>,
    pub(crate) wall: Option<Duration>,
    pub(crate) counters: BTreeMap<String, u64>,
}

impl Budget {
    /// A budget without limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Steps that this run may take.
    #[must_use]
    pub fn steps(mut self, steps: u64) -> Self {
        self.steps = Some(steps);
        self
    }

    /// Time that this run may take, by its clock.
    #[must_use]
    pub fn wall(mut self, time: Duration) -> Self {
        self.wall = Some(time);
        self
    }

    /// Amount of a counter that nodes may [spend](crate::Cx::spend) since the input, over all runs that resume it.
    #[must_use]
    pub fn counter(mut self, name: impl Into<String>, limit: u64) -> Self {
        self.counters.insert(name.into(), limit);
        self
    }
}

/// Breakpoints as positions.
#[derive(Debug, Default)]
pub(crate) struct Stops {
    pub(crate) before: Vec<u32>,
    pub(crate) after: Vec<u32>,
}

impl Stops {
    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }
}
