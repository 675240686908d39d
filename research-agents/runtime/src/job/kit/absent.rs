//! A model that must not be called, and tools where a system has none.

use async_trait::async_trait;
use futures::future::BoxFuture;
use research_llm::{
    ChatModel, EventStream, ModelError, ModelInfo, Request, Response, replay_lazily,
};
use research_mcp::{CallOutput, McpError, Object, ToolListing, ToolSource};

/// Takes the place of the model where no model may be called. Every call fails.
pub(crate) struct NoModel {
    info: ModelInfo,
    reason: &'static str,
}

impl NoModel {
    /// Creates the placeholder of a model; `reason` is the error of every call.
    pub(crate) fn new(info: ModelInfo, reason: &'static str) -> Self {
        Self { info, reason }
    }
}

#[async_trait]
impl ChatModel for NoModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, _: &Request) -> Result<Response, ModelError> {
        Err(ModelError::other(self.reason, None))
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.complete(&request).await })
    }
}

/// The tools of a system that calls none: the list is empty, and every call fails.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTools;

impl ToolSource for NoTools {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { Ok(ToolListing::new(Vec::new())) })
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        _: Object,
    ) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move {
            Err(McpError::NoServer {
                reasons: vec![format!(
                    "{name} cannot be called: the host added no MCP server"
                )],
            })
        })
    }
}
