//! The progress of a tool call.

use research_agents_report::text::Untrusted;
use serde::{Deserialize, Serialize};

/// The progress of a tool call, as its server reports it. Read it from the stream of a graph with
/// [`Event::custom`](research_core::Event::custom).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolProgress {
    /// The key of the call; in an agent with tools the model's id of it.
    pub key: String,
    /// Name of the server in the hub.
    pub server: String,
    /// Name of the tool as its server spells it.
    pub tool: String,
    /// Progress so far, in the server's own measure.
    pub progress: f64,
    /// The progress at which the call is complete, when known.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<Untrusted<String>>,
}

impl ToolProgress {
    /// Creates the progress of a call.
    pub fn new(key: &str, server: &str, tool: &str, progress: f64, total: Option<f64>) -> Self {
        Self {
            key: key.to_owned(),
            server: server.to_owned(),
            tool: tool.to_owned(),
            progress,
            total,
            message: None,
        }
    }

    /// Sets what is being done.
    #[must_use]
    pub fn with_message(mut self, message: Option<String>) -> Self {
        self.message = message.map(Untrusted::new);
        self
    }
}
