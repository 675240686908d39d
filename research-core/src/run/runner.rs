//! The seam between the loop of a run and whatever executes its tasks.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::command::Command;
use crate::cx::Shared;
use crate::error::panic_message;
use crate::graph::Inner;
use crate::handle::Input;
use crate::node::NodeFuture;
use crate::{Cause, Cx, State};

/// A task to be executed. Data crosses the seam, futures do not.
pub(crate) struct Call<S> {
    /// Place in the step's task-path order.
    pub(crate) index: usize,
    pub(crate) node: u32,
    pub(crate) input: Option<Input>,
    pub(crate) step: u64,
    pub(crate) snapshot: Arc<S>,
}

/// A task that was executed.
pub(crate) struct Outcome<S: State> {
    pub(crate) index: usize,
    pub(crate) result: Result<Command<S>, Cause>,
}

/// Executes the tasks of a step.
pub(crate) trait TaskRunner<S: State>: Send {
    /// Takes all of `calls`.
    fn start(&mut self, calls: &mut Vec<Call<S>>);

    /// Adds at least one outcome, in the order of completion. Called only while some are missing.
    fn next(&mut self, outcomes: &mut Vec<Outcome<S>>) -> impl Future<Output = ()> + Send;
}

/// A node in flight: panics are caught, and the future is gone, with the snapshot it held, once it has ended.
pub(crate) struct Flight<S: State> {
    pub(crate) index: usize,
    future: Option<NodeFuture<S>>,
    failed: Option<Cause>,
}

impl<S: State> Flight<S> {
    pub(crate) fn start<R>(graph: &Inner<S, R>, shared: &Arc<Shared<R>>, call: Call<S>) -> Self {
        let Call { index, node, input, step, snapshot } = call;
        let cx = Cx::new(snapshot, Arc::clone(shared), step, index, node);
        let body = &graph.nodes[node as usize].body;
        match catch_unwind(AssertUnwindSafe(|| body.call(cx, input))) {
            Ok(future) => Self { index, future: Some(future), failed: None },
            Err(payload) => Self { index, future: None, failed: Some(Cause::Panic(panic_message(payload))) },
        }
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Outcome<S>> {
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let result = match &mut self.future {
                Some(future) => std::task::ready!(future.as_mut().poll(cx)).map_err(Cause::Error),
                None => Err(self.failed.take().unwrap_or_else(ended)),
            };
            self.future = None;
            Poll::Ready(result)
        }));
        match polled {
            Ok(poll) => poll.map(|result| Outcome { index: self.index, result }),
            Err(payload) => {
                let result = Err(Cause::Panic(panic_message(payload)));
                // A future that panicked may panic again when it is dropped.
                let _ = catch_unwind(AssertUnwindSafe(|| self.future = None));
                Poll::Ready(Outcome { index: self.index, result })
            }
        }
    }
}

#[cold]
fn ended() -> Cause {
    Cause::Panic("polled after its end".to_string())
}
