//! A model that fails so many times before it works.

use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::stream::{self, StreamExt};

use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::stream::{EventStream, StreamEvent};

/// Fails the first calls, whatever they ask, and passes the others on to the model inside.
///
/// ```
/// use research_llm::testing::{EchoModel, FailingModel};
/// use research_llm::{ChatModel, ModelError, Request};
///
/// # futures::executor::block_on(async {
/// let model = FailingModel::new(EchoModel::new(), 2, ModelError::rate_limit("slow down", None));
/// let request = Request::new().user("hello");
/// assert!(model.complete(&request).await.is_err());
/// assert!(model.complete(&request).await.is_err());
/// assert_eq!(model.complete(&request).await?.text, "hello");
/// assert_eq!(model.calls(), 3);
/// # Ok::<(), ModelError>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct FailingModel<M> {
    inner: M,
    times: usize,
    error: ModelError,
    after: Vec<StreamEvent>,
    calls: AtomicUsize,
}

impl<M: ChatModel> FailingModel<M> {
    /// A model whose first `times` calls fail with this error.
    pub fn new(inner: M, times: usize, error: ModelError) -> Self {
        Self { inner, times, error, after: Vec::new(), calls: AtomicUsize::new(0) }
    }

    /// Streams that fail say these pieces first. Calls for a whole answer still fail at once.
    #[must_use]
    pub fn after(mut self, events: impl IntoIterator<Item = StreamEvent>) -> Self {
        self.after = events.into_iter().collect();
        self
    }

    /// How many calls there were, those that failed included. A stream counts from its first poll.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    fn fails(&self) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) < self.times
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for FailingModel<M> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        if self.fails() { Err(self.error.clone()) } else { self.inner.complete(request).await }
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        stream::once(async move {
            if self.fails() {
                let events = self.after.iter().cloned().map(Ok);
                stream::iter(events.chain([Err(self.error.clone())])).boxed()
            } else {
                self.inner.stream(request)
            }
        })
        .flatten()
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::collect;
    use crate::testing::EchoModel;
    use futures::executor::block_on;

    #[test]
    fn a_failing_stream_keeps_what_it_said_and_the_next_one_works() {
        let model =
            FailingModel::new(EchoModel::new(), 1, ModelError::Truncated).after([StreamEvent::Text("half".into())]);
        let ask = || collect("echo", model.stream(Request::new().user("whole")));
        assert_eq!(block_on(ask()).unwrap_err().received().unwrap().text, "half");
        assert_eq!(block_on(ask()).unwrap().text, "whole");
    }

    #[test]
    fn a_stream_that_is_never_polled_is_no_call() {
        let model = FailingModel::new(EchoModel::new(), 1, ModelError::Truncated);
        drop(model.stream(Request::new()));
        assert_eq!(model.calls(), 0);
    }
}
