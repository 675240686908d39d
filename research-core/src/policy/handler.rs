//! What runs in place of a node that failed for good.

use std::error::Error;
use std::future::Future;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::command::IntoCommand;
use crate::cx::Cx;
use crate::error::{Cause, NodeError};
use crate::node::NodeFuture;
use crate::state::State;

/// What an [error handler](crate::Graph::on_error) gets to know of the task that failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// Name of the node.
    pub node: Arc<str>,
    /// The attempt that failed last, counted from 1.
    pub attempt: u32,
    /// Why, as a text.
    pub message: String,
    /// Why. `None` when the process ended between the failure and its handler: only the text was kept.
    pub cause: Option<Arc<Cause>>,
}

impl Failure {
    /// The error that the node returned, when it is known and an `E`.
    #[must_use]
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        match self.cause.as_deref() {
            Some(Cause::Error(error)) => error.downcast_ref(),
            _ => None,
        }
    }
}

/// An error handler as the engine stores it.
pub(crate) trait Handle<S, R>: Send + Sync {
    fn call(&self, cx: Cx<S, R>, failure: Failure) -> NodeFuture<S>
    where
        S: State;
}

/// A function of a user as an error handler.
pub(crate) struct Handler<F>(pub(crate) F);

impl<S, R, F, Fut, Out> Handle<S, R> for Handler<F>
where
    S: State,
    R: Send + Sync + 'static,
    F: Fn(Cx<S, R>, Failure) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Out, NodeError>> + Send + 'static,
    Out: IntoCommand<S>,
{
    fn call(&self, cx: Cx<S, R>, failure: Failure) -> NodeFuture<S> {
        let future = (self.0)(cx, failure);
        Box::pin(async move { Ok(future.await?.into_command()) })
    }
}

/// What a thread keeps of a failure whose handler is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailedTask {
    pub(crate) node: String,
    pub(crate) attempt: u32,
    pub(crate) message: String,
}

impl FailedTask {
    pub(crate) fn encode(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    /// What was recorded of a task of `node`; nothing when the record is of another node, or none of this library.
    pub(crate) fn decode(text: &str, node: &str) -> Option<Self> {
        serde_json::from_str(text).ok().filter(|failed: &Self| failed.node == node)
    }
}
