//! What a single node may use up.

use std::collections::BTreeMap;

/// What one node may use up, from the input of a thread on and over all runs that resume it. See
/// [`Graph::budget`](crate::Graph::budget).
///
/// ```
/// use research_core::NodeBudget;
///
/// let budget = NodeBudget::new().runs(5).counter("tokens", 20_000);
/// # let _ = budget;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeBudget {
    runs: Option<u64>,
    counters: BTreeMap<String, u64>,
}

/// What the counters of nodes begin with, among those of a run.
const OF_NODE: &str = "node ";

/// Returns whether a counter of a run is one of a node.
pub(crate) fn is_of_node(counter: &str) -> bool {
    counter.starts_with(OF_NODE)
}

impl NodeBudget {
    /// Creates a budget without limits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how often the node may finish. Each task of it counts.
    #[must_use]
    pub fn runs(mut self, runs: u64) -> Self {
        self.runs = Some(runs);
        self
    }

    /// Sets the amount of a counter that the node may [spend](crate::Cx::spend).
    #[must_use]
    pub fn counter(mut self, name: impl Into<String>, limit: u64) -> Self {
        self.counters.insert(name.into(), limit);
        self
    }

    /// Returns the counters that a finished task of the node adds to, with amounts.
    pub(crate) fn count(&self, node: &str, spent: &[(String, u64)]) -> Vec<(String, u64)> {
        let runs = self.runs.map(|_| (runs_of(node), 1));
        let own = spent.iter().filter(|(counter, _)| self.counters.contains_key(counter));
        runs.into_iter().chain(own.map(|(counter, amount)| (counter_of(node, counter), *amount))).collect()
    }

    /// Returns a counter that has come to its limit.
    pub(crate) fn spent_counter(&self, node: &str, spent: &BTreeMap<String, u64>) -> Option<String> {
        let runs = self.runs.map(|limit| (runs_of(node), limit));
        let counters = self.counters.iter().map(|(counter, limit)| (counter_of(node, counter), *limit));
        let mut limits = runs.into_iter().chain(counters);
        limits.find(|(counter, limit)| spent.get(counter).copied().unwrap_or(0) >= *limit).map(|(counter, _)| counter)
    }
}

/// Returns the counter of the times that a node has finished.
fn runs_of(node: &str) -> String {
    format!("{OF_NODE}`{node}`: runs")
}

/// Returns the counter of what a node has spent.
fn counter_of(node: &str, counter: &str) -> String {
    format!("{OF_NODE}`{node}`: {counter}")
}
