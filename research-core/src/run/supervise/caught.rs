//! A node's future whose panics are failures: while it is made, polled or dropped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};

use crate::command::Command;
use crate::error::Cause;
use crate::node::NodeFuture;
use crate::panics::panic_message;
use crate::state::State;

/// The future is gone, with the snapshot it held, once it has ended.
pub(crate) struct Caught<S: State>(Progress<S>);

enum Progress<S: State> {
    Running(NodeFuture<S>),
    /// The message of the panic that took place when the future was made.
    Failed(String),
    Ended,
}

impl<S: State> Caught<S> {
    #[inline(always)]
    pub(crate) fn start(make: impl FnOnce() -> NodeFuture<S>) -> Self {
        match catch_unwind(AssertUnwindSafe(make)) {
            Ok(future) => Self(Progress::Running(future)),
            Err(payload) => Self(Progress::Failed(panic_message(payload))),
        }
    }

    #[inline(always)]
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Command<S>, Cause>> {
        let polled = catch_unwind(AssertUnwindSafe(|| {
            let Progress::Running(future) = &mut self.0 else { return Poll::Ready(Err(self.failure())) };
            let result = std::task::ready!(future.as_mut().poll(cx)).map_err(Cause::Error);
            self.0 = Progress::Ended;
            Poll::Ready(result)
        }));
        polled.unwrap_or_else(|payload| {
            self.discard();
            Poll::Ready(Err(Cause::Panic(panic_message(payload))))
        })
    }

    #[cold]
    fn failure(&mut self) -> Cause {
        match std::mem::replace(&mut self.0, Progress::Ended) {
            Progress::Failed(message) => Cause::Panic(message),
            _ => Cause::Panic("polled after its end".to_string()),
        }
    }

    /// Drops a future that has not ended, or that panicked: it may panic again.
    #[cold]
    fn discard(&mut self) {
        let progress = std::mem::replace(&mut self.0, Progress::Ended);
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(progress))) {
            panic_message(payload);
        }
    }
}

impl<S: State> Drop for Caught<S> {
    fn drop(&mut self) {
        if matches!(self.0, Progress::Running(_)) {
            self.discard();
        }
    }
}
