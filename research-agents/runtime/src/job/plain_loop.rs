//! A task context without the engine, for systems that are plain loops.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use research_core::{Ask, NodeError};
use research_mcp::ElicitAnswer;
use serde_json::Value;

use crate::event::progress::ToolProgress;
use crate::event::vocabulary::RunEvent;
use crate::job::context::TaskContext;

const NOT_INTERRUPTIBLE: &str = "a plain loop cannot be interrupted; give the run a clarifier";

/// A [`TaskContext`] for a plain loop: nothing survives the process, and events go to a function.
///
/// A loop cannot be interrupted; its questions to the user go to the
/// [`Clarifier`](crate::clarify::Clarifier) of the run.
#[derive(Clone)]
pub struct PlainLoop {
    listener: Arc<dyn Fn(RunEvent) + Send + Sync>,
}

impl PlainLoop {
    /// Creates a context that drops events.
    pub fn new() -> Self {
        Self::with_listener(drop)
    }

    /// Creates a context that passes every event to a function.
    pub fn with_listener(listener: impl Fn(RunEvent) + Send + Sync + 'static) -> Self {
        Self {
            listener: Arc::new(listener),
        }
    }
}

impl Default for PlainLoop {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for PlainLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlainLoop").finish_non_exhaustive()
    }
}

impl TaskContext for PlainLoop {
    fn is_durable(&self) -> bool {
        false
    }

    fn emit(&self, event: RunEvent) {
        (self.listener)(event);
    }

    // A plain loop has no stream of typed events next to those of the run.
    fn emit_progress(&self, _: ToolProgress) {}

    fn once<'a>(
        &'a self,
        _: String,
        effect: BoxFuture<'a, Result<Value, NodeError>>,
    ) -> BoxFuture<'a, Result<Value, NodeError>> {
        effect
    }

    fn interrupt<'a>(&'a self, _: Ask) -> BoxFuture<'a, Result<Value, NodeError>> {
        Box::pin(async { Err(NodeError::from(NOT_INTERRUPTIBLE)) })
    }

    fn interrupt_for_text<'a>(&'a self, _: Ask) -> BoxFuture<'a, Result<String, NodeError>> {
        Box::pin(async { Err(NodeError::from(NOT_INTERRUPTIBLE)) })
    }

    fn interrupt_for_server<'a>(
        &'a self,
        _: Ask,
    ) -> BoxFuture<'a, Result<ElicitAnswer, NodeError>> {
        Box::pin(async { Err(NodeError::from(NOT_INTERRUPTIBLE)) })
    }
}
