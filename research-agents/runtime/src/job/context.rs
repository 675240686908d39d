//! Where a job runs: a task of the engine, or a plain loop.

use futures::future::BoxFuture;
use research_core::{Ask, Cx, NodeError, State};
use research_mcp::ElicitAnswer;
use serde_json::Value;

use crate::event::progress::ToolProgress;
use crate::event::vocabulary::RunEvent;

/// Where a job runs. Implemented for the [`Cx`] of every node, and by
/// [`PlainLoop`](crate::job::PlainLoop).
pub trait TaskContext: Send + Sync {
    /// Returns `true` if a thread keeps the run, so that it can be interrupted and resumed.
    fn is_durable(&self) -> bool;

    /// Emits an event.
    fn emit(&self, event: RunEvent);

    /// Emits the progress of a tool call.
    fn emit_progress(&self, progress: ToolProgress);

    /// Performs an effect once for the whole run: a repeated execution of the task returns the
    /// recorded value.
    fn once<'a>(
        &'a self,
        key: String,
        effect: BoxFuture<'a, Result<Value, NodeError>>,
    ) -> BoxFuture<'a, Result<Value, NodeError>>;

    /// Interrupts the run until an answer resumes it.
    fn interrupt<'a>(&'a self, ask: Ask) -> BoxFuture<'a, Result<Value, NodeError>>;

    /// Interrupts the run until an answer that is a string resumes it; any other answer is refused.
    fn interrupt_for_text<'a>(&'a self, ask: Ask) -> BoxFuture<'a, Result<String, NodeError>>;

    /// Interrupts the run until an answer to a question of an MCP server resumes it; any other
    /// answer is refused.
    fn interrupt_for_server<'a>(
        &'a self,
        ask: Ask,
    ) -> BoxFuture<'a, Result<ElicitAnswer, NodeError>>;
}

impl<S: State, R: Send + Sync> TaskContext for Cx<S, R> {
    fn is_durable(&self) -> bool {
        self.thread().is_some()
    }

    fn emit(&self, event: RunEvent) {
        Self::emit(self, event);
    }

    fn emit_progress(&self, progress: ToolProgress) {
        Self::emit(self, progress);
    }

    fn once<'a>(
        &'a self,
        key: String,
        effect: BoxFuture<'a, Result<Value, NodeError>>,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(Self::once(self, key, effect))
    }

    fn interrupt<'a>(&'a self, ask: Ask) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(Self::interrupt(self, ask))
    }

    fn interrupt_for_text<'a>(&'a self, ask: Ask) -> BoxFuture<'a, Result<String, NodeError>> {
        Box::pin(Self::interrupt(self, ask))
    }

    fn interrupt_for_server<'a>(
        &'a self,
        ask: Ask,
    ) -> BoxFuture<'a, Result<ElicitAnswer, NodeError>> {
        Box::pin(Self::interrupt(self, ask))
    }
}
