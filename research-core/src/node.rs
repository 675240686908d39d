//! How a function of a user becomes a node that the engine can store.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use crate::command::{Command, IntoCommand};
use crate::cx::Cx;
use crate::error::NodeError;
use crate::handle::{Input, TaskInput};
use crate::state::State;

/// A task in flight.
pub(crate) type NodeFuture<S> = Pin<Box<dyn Future<Output = Result<Command<S>, NodeError>> + Send>>;

/// A node as the engine stores it.
pub(crate) trait Body<S: State, R>: Send + Sync {
    fn call(&self, cx: Cx<S, R>, input: Option<Input>) -> NodeFuture<S>;
}

/// A node without an input of its own.
pub(crate) struct Plain<F>(pub(crate) F);

impl<S, R, F, Fut, Out> Body<S, R> for Plain<F>
where
    S: State,
    R: Send + Sync + 'static,
    F: Fn(Cx<S, R>) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Out, NodeError>> + Send + 'static,
    Out: IntoCommand<S>,
{
    fn call(&self, cx: Cx<S, R>, _input: Option<Input>) -> NodeFuture<S> {
        let future = (self.0)(cx);
        Box::pin(async move { Ok(future.await?.into_command()) })
    }
}

/// A node with an input `I`.
pub(crate) struct WithInput<F, I>(pub(crate) F, pub(crate) PhantomData<fn(I)>);

impl<S, R, F, I, Fut, Out> Body<S, R> for WithInput<F, I>
where
    S: State,
    R: Send + Sync + 'static,
    I: TaskInput,
    F: Fn(Cx<S, R>, I) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Out, NodeError>> + Send + 'static,
    Out: IntoCommand<S>,
{
    fn call(&self, cx: Cx<S, R>, input: Option<Input>) -> NodeFuture<S> {
        // Only `Task<I>::send` makes an input for this node, so that the type always fits.
        let Some(input) = input.and_then(|input| Arc::downcast::<I>(input).ok()) else {
            return Box::pin(async { Err(NodeError::msg("started without its input")) });
        };
        let future = (self.0)(cx, Arc::unwrap_or_clone(input));
        Box::pin(async move { Ok(future.await?.into_command()) })
    }
}
