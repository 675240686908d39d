//! Limits how many calls are in flight.

use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::stack::Layer;
use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::stream::{EventStream, StreamEvent};

/// Lets only so many calls be in flight at once; the others wait, first come, first served.
///
/// A streamed call is in flight until its stream finishes, fails or is dropped. Clones share the limit, so that one of
/// them can be put around each of several models. A call whose deadline passes while it waits fails with a timeout.
///
/// ```
/// use research_llm::layer::Concurrency;
/// use research_llm::testing::ScriptedModel;
/// use research_llm::{ChatModel, ChatModelExt, ModelError, Request};
///
/// # futures::executor::block_on(async {
/// let limit = Concurrency::new(4);
/// let model = ScriptedModel::new().then("Hello!").with(limit.clone());
/// assert_eq!(model.complete(&Request::new().user("Hello!")).await?.text, "Hello!");
/// assert_eq!(limit.in_flight(), 0);
/// # Ok::<(), ModelError>(()) }).unwrap();
/// ```
#[derive(Clone, Debug)]
#[must_use = "a layer does nothing until it is put around a model"]
pub struct Concurrency {
    limit: usize,
    places: Arc<Semaphore>,
}

impl Concurrency {
    /// At most so many calls at once; at least one.
    pub fn new(calls: usize) -> Self {
        let limit = calls.clamp(1, Semaphore::MAX_PERMITS);
        Self { limit, places: Arc::new(Semaphore::new(limit)) }
    }

    /// How many calls are in flight now.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.limit - self.places.available_permits()
    }

    async fn enter(&self, deadline: Option<Instant>) -> Result<OwnedSemaphorePermit, ModelError> {
        let start = Instant::now();
        let place = Arc::clone(&self.places).acquire_owned();
        let place = match deadline {
            Some(deadline) => {
                timeout_at(deadline, place).await.map_err(|_| ModelError::timeout(deadline.duration_since(start)))?
            }
            None => place.await,
        };
        // Nobody closes the semaphore; if somebody did, no call could ever be made again.
        place.map_err(|_| ModelError::Cancelled)
    }
}

impl<M: ChatModel> Layer<M> for Concurrency {
    type Model = Limited<M>;

    fn layer(self, inner: M) -> Limited<M> {
        Limited { inner, limit: self }
    }
}

/// A model of which only so many calls are in flight; made by [`Concurrency`].
#[derive(Clone, Debug)]
pub struct Limited<M> {
    inner: M,
    limit: Concurrency,
}

#[async_trait]
impl<M: ChatModel> ChatModel for Limited<M> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let _place = self.limit.enter(request.deadline).await?;
        self.inner.complete(request).await
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let entered = async move {
            let place = self.limit.enter(request.deadline).await?;
            Ok(holding(place, self.inner.stream(request)))
        };
        stream::once(entered).try_flatten().boxed()
    }
}

/// The stream, which holds the place until its last event: a reader may keep a finished stream for long.
fn holding(place: OwnedSemaphorePermit, events: EventStream<'_>) -> EventStream<'_> {
    let mut place = Some(place);
    events
        .inspect(move |event| {
            if matches!(event, Ok(StreamEvent::Finish(_)) | Err(_)) {
                drop(place.take());
            }
        })
        .boxed()
}
