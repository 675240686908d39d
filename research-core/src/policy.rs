//! What is done when a node fails, hangs, need not run, or uses up too much: retries, time limits, error handlers, cached
//! results, budgets.

mod budget;
mod cached;
mod handler;
mod retry;
mod timeout;

pub use budget::NodeBudget;
pub(crate) use budget::is_of_node;
pub use cached::CachePolicy;
pub(crate) use cached::NodeCache;
pub use handler::Failure;
pub(crate) use handler::{FailedTask, Handle, Handler};
pub use retry::{Class, Retry};
pub use timeout::Timeout;

use crate::error::NodeError;

/// The classifier of a graph's errors.
pub(crate) type Classify = Box<dyn Fn(&NodeError) -> Class + Send + Sync>;

/// What applies to one node, the defaults of its graph included.
pub(crate) struct NodePolicy<S, R> {
    pub(crate) retry: Option<Retry>,
    pub(crate) timeout: Option<Timeout>,
    pub(crate) handler: Option<Box<dyn Handle<S, R>>>,
    pub(crate) cache: Option<NodeCache<S>>,
}

impl<S, R> Default for NodePolicy<S, R> {
    fn default() -> Self {
        Self { retry: None, timeout: None, handler: None, cache: None }
    }
}

impl<S, R> NodePolicy<S, R> {
    /// Whether its node runs as one without any policy.
    pub(crate) fn is_idle(&self) -> bool {
        let retries = self.retry.as_ref().is_some_and(Retry::repeats);
        let limited = self.timeout.is_some_and(Timeout::limits);
        !retries && !limited && self.handler.is_none() && self.cache.is_none()
    }
}
