//! What a builder has gathered about failures, time limits and caches.

use std::sync::Arc;

use super::source::Source;
use crate::policy::{Classify, Handle, NodeCache, NodePolicy, Retry, Timeout};
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
}

impl<S: State, R> Setting<S, R> {
    /// The method that gives it.
    pub(super) const fn method(&self) -> &'static str {
        match self {
            Self::Retry(_) => "retry",
            Self::Timeout(_) => "timeout",
            Self::Handler { .. } => "on_error",
            Self::Cache { .. } => "cache",
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
    pub(super) fn settle(self, nodes: &[u32], count: usize) -> Vec<Option<Arc<NodePolicy<S, R>>>> {
        let Self { of_nodes, retry, timeout, .. } = self;
        let default = || NodePolicy { retry: retry.clone(), timeout, ..NodePolicy::default() };
        let mut policies: Vec<NodePolicy<S, R>> = (0..count).map(|_| default()).collect();
        for ((_, setting), node) in of_nodes.into_iter().zip(nodes) {
            let policy = &mut policies[*node as usize];
            match setting {
                Setting::Retry(retry) => policy.retry = Some(retry),
                Setting::Timeout(timeout) => policy.timeout = Some(timeout),
                Setting::Handler { handle, .. } => policy.handler = Some(handle),
                Setting::Cache { cache, .. } => policy.cache = Some(cache),
            }
        }
        policies.into_iter().map(|policy| (!policy.is_idle()).then(|| policy.into())).collect()
    }
}
