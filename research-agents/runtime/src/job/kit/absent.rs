//! A model that must not be called.

use async_trait::async_trait;
use research_llm::{
    ChatModel, EventStream, ModelError, ModelInfo, Request, Response, replay_lazily,
};

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
