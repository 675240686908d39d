//! The events of an agent with tools, next to the pieces of its messages.

use serde::{Deserialize, Serialize};

/// An event of an agent with tools. Read it from a run's stream with
/// [`Event::custom`](research_core::Event::custom).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolLoopEvent {
    /// The model is asked.
    #[non_exhaustive]
    Asking {
        /// Number of the request, counted from 1.
        iteration: u32,
    },
    /// A tool starts.
    #[non_exhaustive]
    ToolStarted {
        /// The model's id of the call.
        call_id: String,
        /// Name of the tool.
        tool: String,
        /// The arguments as the model wrote them.
        arguments: String,
    },
    /// A tool answered, or its call was refused.
    #[non_exhaustive]
    ToolFinished {
        /// The model's id of the call.
        call_id: String,
        /// Name of the tool.
        tool: String,
        /// `true` if the tool gave a result.
        ok: bool,
        /// Duration in milliseconds.
        ms: u64,
    },
}
