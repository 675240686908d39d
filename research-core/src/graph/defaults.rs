//! What runs of a graph begin with, unless they say otherwise.

use std::sync::Arc;
use std::time::Duration;

use crate::checkpoint::Durability;
use crate::clock::{Clock, IdSource, Random, RandomIds, SystemClock, SystemRandom};
use crate::end::FailurePolicy;
use crate::journal::IfIdle;

/// Steps that a run may take unless it is told otherwise.
const STEP_LIMIT: u64 = 1_000;
/// Tasks of a run in flight at once unless it is told otherwise.
const MAX_CONCURRENCY: usize = 1_024;

/// What every run of a graph takes over.
#[derive(Clone, Debug)]
pub(crate) struct Defaults {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) durability: Durability,
    pub(crate) step_limit: u64,
    pub(crate) max_concurrency: usize,
    pub(crate) policy: FailurePolicy,
    pub(crate) run_limit: Option<Duration>,
    pub(crate) step_time: Option<Duration>,
    pub(crate) if_idle: Option<IfIdle>,
    pub(crate) before: Option<Breakpoints>,
    pub(crate) after: Option<Breakpoints>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
            ids: Arc::new(RandomIds),
            durability: Durability::default(),
            step_limit: STEP_LIMIT,
            max_concurrency: MAX_CONCURRENCY,
            policy: FailurePolicy::default(),
            run_limit: None,
            step_time: None,
            if_idle: None,
            before: None,
            after: None,
        }
    }
}

/// Nodes at which a run pauses. A path such as `research/search` names a node of a subgraph: here the node `search` of the graph
/// that the node `research` runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Breakpoints {
    /// Every node of the graph, and none inside of its subgraphs.
    All,
    /// The nodes of these names and paths. In a path, `/`, `:`, `#`, `@` and `%` in the name of a node are written as `%` with two
    /// hexadecimal digits, as in [namespaces](crate::Event::namespace).
    Nodes(Vec<String>),
}

impl Breakpoints {
    /// These, and nodes besides.
    pub(crate) fn with(own: Option<&Self>, more: &[String]) -> Option<Self> {
        match (own, more) {
            (own, []) => own.cloned(),
            (Some(Self::All), _) => Some(Self::All),
            (Some(Self::Nodes(own)), more) => Some(own.iter().chain(more).collect()),
            (None, more) => Some(more.iter().collect()),
        }
    }
}

impl<N: Into<String>> FromIterator<N> for Breakpoints {
    fn from_iter<I: IntoIterator<Item = N>>(nodes: I) -> Self {
        Self::Nodes(nodes.into_iter().map(Into::into).collect())
    }
}

impl<N: Into<String>, const COUNT: usize> From<[N; COUNT]> for Breakpoints {
    fn from(nodes: [N; COUNT]) -> Self {
        nodes.into_iter().collect()
    }
}

impl From<&str> for Breakpoints {
    fn from(node: &str) -> Self {
        [node].into()
    }
}
