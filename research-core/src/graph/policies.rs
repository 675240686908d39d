//! What a builder has gathered about failures, limits and caches of nodes.

use std::sync::Arc;

use super::source::Source;
use crate::policy::{Classify, Handle, NodeBudget, NodeCache, NodePolicy, Retry, Timeout};
use crate::state::State;

/// The policies of a graph as they were given.
pub(super) struct Policies<S: State, R> {
    /// Of single nodes, in the order in which they were given.
    pub(super) of_nodes: Vec<(Source, Setting<S, R>)>,
    pub(super) retry: Option<Retry>,
    pub(super) timeout: Option<Timeout>,
    pub(super) classify: Option<Classify>,
}

/// One policy of one node.
pub(super) enum Setting<S: State, R> {
    Retry(Retry),
    Timeout(Timeout),
    Handler {
        handle: Box<dyn Handle<S, R>>,
        /// It returns commands, so that its node can go anywhere unless its gotos are declared.
        may_goto: bool,
    },
    Cache {
        cache: NodeCache<S>,
        /// The key is made of an input too.
        by_input: bool,
    },
    MaxConcurrency(usize),
    Budget(NodeBudget),
}

/// What applies to one node.
pub(super) struct Settled<S: State, R> {
    /// `None` when it runs as one without any policy.
    pub(super) policy: Option<Arc<NodePolicy<S, R>>>,
    /// How many tasks of it run at once.
    pub(super) max_concurrency: Option<usize>,
    pub(super) budget: Option<NodeBudget>,
}

impl<S: State, R> Setting<S, R> {
    /// The method that gives it.
    pub(super) const fn method(&self) -> &'static str {
        match self {
            Self::Retry(_) => "retry",
            Self::Timeout(_) => "timeout",
            Self::Handler { .. } => "on_error",
            Self::Cache { .. } => "cache",
            Self::MaxConcurrency(_) => "max_concurrency",
            Self::Budget(_) => "budget",
        }
    }
}

impl<S: State, R> Default for Policies<S, R> {
    fn default() -> Self {
        Self { of_nodes: Vec::new(), retry: None, timeout: None, classify: None }
    }
}

impl<S: State, R> Policies<S, R> {
    /// By node, what applies to it; `nodes` are the positions of those that a policy was given for, in the same order.
    pub(super) fn settle(self, nodes: &[u32], count: usize) -> Vec<Settled<S, R>> {
        let Self { of_nodes, retry, timeout, .. } = self;
        let default = || NodePolicy { retry: retry.clone(), timeout, ..NodePolicy::default() };
        let mut policies: Vec<_> = (0..count).map(|_| (default(), None, None)).collect();
        for ((_, setting), node) in of_nodes.into_iter().zip(nodes) {
            let (policy, max_concurrency, budget) = &mut policies[*node as usize];
            match setting {
                Setting::Retry(retry) => policy.retry = Some(retry),
                Setting::Timeout(timeout) => policy.timeout = Some(timeout),
                Setting::Handler { handle, .. } => policy.handler = Some(handle),
                Setting::Cache { cache, .. } => policy.cache = Some(cache),
                Setting::MaxConcurrency(tasks) => *max_concurrency = Some(tasks),
                Setting::Budget(of_node) => *budget = Some(of_node),
            }
        }

        let settled = policies.into_iter().map(|(policy, max_concurrency, budget)| Settled {
            policy: (!policy.is_idle()).then(|| policy.into()),
            max_concurrency,
            budget,
        });
        settled.collect()
    }
}
