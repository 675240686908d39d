//! What an agent with tools tells on the way, beside the pieces of its messages.

use serde::{Deserialize, Serialize};

/// What happened. Read it from a run's stream with [`Event::custom`](research_core::Event::custom).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolLoopEvent {
    /// The model is asked.
    #[non_exhaustive]
    Asking {
        /// Which time, from 1.
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
    /// A tool has answered, or was refused.
    #[non_exhaustive]
    ToolFinished {
        /// The model's id of the call.
        call_id: String,
        /// Name of the tool.
        tool: String,
        /// Whether it gave a result.
        ok: bool,
        /// From its start to its end, in milliseconds.
        ms: u64,
    },
}
