//! The server itself: what it offers and to whom.

use std::sync::{Arc, PoisonError};

use tokio_util::sync::CancellationToken;

use super::parts::{Announcer, ServerPrompt, ServerTool, Shared};
use super::session::Session;

/// A server that is ready to be served. A clone offers the same to another client.
pub struct ToolServer {
    pub(super) shared: Arc<Shared>,
    pub(super) session: Arc<Session>,
    /// When its clients are told that there is nothing more to come.
    pub(super) closing: CancellationToken,
    /// When calls are cancelled, because the server ends.
    pub(super) ending: CancellationToken,
}

impl std::fmt::Debug for ToolServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tools = self.shared.tools();
        let tools: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        f.debug_struct("ToolServer").field("name", &self.shared.name).field("tools", &tools).finish_non_exhaustive()
    }
}

impl Clone for ToolServer {
    fn clone(&self) -> Self {
        self.another(self.closing.clone(), self.ending.clone())
    }
}

impl ToolServer {
    /// What tells clients about changes, and makes them.
    pub fn announcer(&self) -> Announcer {
        Announcer::new(&self.shared)
    }

    pub(super) fn new(shared: Shared) -> Self {
        Self {
            shared: Arc::new(shared),
            session: Arc::default(),
            closing: CancellationToken::new(),
            ending: CancellationToken::new(),
        }
    }

    /// The same for another client.
    pub(super) fn another(&self, closing: CancellationToken, ending: CancellationToken) -> Self {
        Self { shared: Arc::clone(&self.shared), session: Arc::default(), closing, ending }
    }
}

impl Shared {
    pub(super) fn tools(&self) -> Vec<Arc<ServerTool>> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn tool(&self, name: &str) -> Option<Arc<ServerTool>> {
        self.tools().into_iter().find(|tool| tool.name == name)
    }

    pub(super) fn prompts(&self) -> Vec<Arc<ServerPrompt>> {
        self.prompts.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
