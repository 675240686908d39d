//! A model that takes its time.

use std::time::Duration;

use async_trait::async_trait;
use futures::stream::{self, StreamExt};

use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::stream::EventStream;

/// Waits before the answer of the model inside, and between the pieces of its streams.
///
/// ```
/// use std::time::Duration;
/// use research_llm::testing::{EchoModel, SlowModel};
/// use research_llm::{ChatModel, Request};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let model = SlowModel::new(EchoModel::new(), Duration::from_secs(60));
/// let request = Request::new().user("hello");
/// assert!(tokio::time::timeout(Duration::from_secs(59), model.complete(&request)).await.is_err());
/// assert_eq!(model.complete(&request).await.unwrap().text, "hello");
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct SlowModel<M> {
    inner: M,
    before: Duration,
    between: Duration,
}

impl<M: ChatModel> SlowModel<M> {
    /// A model that waits so long before every answer.
    pub fn new(inner: M, before: Duration) -> Self {
        Self { inner, before, between: Duration::ZERO }
    }

    /// Waits also before each piece of a stream after the first.
    #[must_use]
    pub fn between(mut self, pause: Duration) -> Self {
        self.between = pause;
        self
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for SlowModel<M> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        tokio::time::sleep(self.before).await;
        self.inner.complete(request).await
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let pieces = self.inner.stream(request);
        stream::unfold((pieces, self.before), move |(mut pieces, pause)| async move {
            tokio::time::sleep(pause).await;
            let piece = pieces.next().await?;
            Some((piece, (pieces, self.between)))
        })
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::Usage;
    use crate::stream::StreamEvent;
    use crate::testing::{Reply, ScriptedModel};
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn a_stream_waits_before_its_first_piece_and_between_the_others() {
        let inner = ScriptedModel::new().then(Reply::text("hello").usage(Usage::new(1, 1)));
        let model = SlowModel::new(inner, Duration::from_secs(10)).between(Duration::from_secs(2));
        let start = Instant::now();
        let mut stream = model.stream(Request::new());
        let mut at = Vec::new();
        while let Some(event) = stream.next().await {
            at.push((event.unwrap(), start.elapsed().as_secs()));
        }
        // The clock stands still but for the model's own pauses.
        let seconds: Vec<u64> = at.iter().map(|(_, second)| *second).collect();
        assert_eq!(seconds, [10, 12, 14, 16]);
        assert_eq!(at[1].0, StreamEvent::Text("hello".into()));
    }
}
