//! The layer that answers from a store, and the model in it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::{self, StreamExt};
use serde_json::{Map, Value};

use super::super::stack::Layer;
use super::flight::{Flights, Turn};
use super::key::CacheKey;
use super::store::ResponseCache;
use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::{FinishReason, Response, Usage};
use crate::stream::{Accumulated, EventStream, StreamEvent, replay};

/// Name of the field of [`Response::metadata`] that says `hit` when a cache answered.
const FIELD: &str = "cache";

/// Name of the field of [`Response::metadata`] with the usage of the call that a cache saved.
const SAVED: &str = "cache_saved";

/// Whether metadata of an answer say that a cache gave it.
pub(crate) fn is_hit(metadata: &Map<String, Value>) -> bool {
    metadata.get(FIELD).and_then(Value::as_str) == Some("hit")
}

/// Asks a cache before the model, and fills it.
///
/// * The key is the whole request and the model's id: every setting counts, the deadline does not.
/// * An answer is kept when the model finished it or calls tools; one that was cut off, withheld or broken is not.
/// * Equal calls at the same time ask the model once: the others wait for the answer of the first. When it gets none that is
///   kept, the next one asks. A waiting call gives up at its own deadline, and asks for itself when the reader of a stream
///   it waits for has not read on for 30 seconds.
/// * A streamed call is answered from the cache in pieces, and fills it when it ends well and the request does not
///   [keep what the provider sent](Request::keep_raw).
/// * An answer from the cache used nothing: its usage is zero, `metadata["cache"]` is `"hit"`, and
///   `metadata["cache_saved"]` is the usage of the call that was saved.
/// * Trouble with the cache is logged and otherwise a miss.
///
/// A request with a temperature is cached as well, and then gives the same answer again; put the layer only around models
/// where that is wanted.
///
/// ```
/// use research_llm::layer::{Cache, MemoryCache};
/// use research_llm::testing::{Reply, ScriptedModel};
/// use research_llm::{ChatModel, ChatModelExt, Request, Usage};
///
/// # futures::executor::block_on(async {
/// let model = ScriptedModel::new()
///     .then(Reply::text("Graz").usage(Usage::new(12, 2)))
///     .with(Cache::new(MemoryCache::new(1_000)));
///
/// let request = Request::new().user("The capital of Styria?");
/// assert_eq!(model.complete(&request).await?.usage, Usage::new(12, 2));
/// // The script has no second answer: this one comes from the cache.
/// let again = model.complete(&request).await?;
/// assert_eq!((again.text.as_str(), again.usage), ("Graz", Usage::default()));
/// assert_eq!(again.metadata["cache"], "hit");
/// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Cache {
    store: Arc<dyn ResponseCache>,
    flights: Flights,
    time_to_live: Option<Duration>,
}

impl std::fmt::Debug for Cache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cache").field("time_to_live", &self.time_to_live).finish_non_exhaustive()
    }
}

impl Cache {
    /// Asks this cache first. Clones of the layer share it and wait for each other's calls.
    #[must_use]
    pub fn new(store: impl ResponseCache + 'static) -> Self {
        Self::shared(Arc::new(store))
    }

    /// Asks a cache that others use as well.
    #[must_use]
    pub fn shared(store: Arc<dyn ResponseCache>) -> Self {
        Self { store, flights: Flights::default(), time_to_live: None }
    }

    /// Keeps answers for so long and not for ever.
    #[must_use]
    pub fn time_to_live(mut self, time: Duration) -> Self {
        self.time_to_live = Some(time);
        self
    }

    async fn get(&self, key: &CacheKey) -> Option<Response> {
        match self.store.get(key).await {
            Ok(found) => found.map(hit),
            Err(error) => {
                tracing::warn!(%error, "the cache of answers cannot be read; the model is asked");
                None
            }
        }
    }

    async fn put(&self, key: &CacheKey, answer: &Response) {
        if !matches!(answer.finish, FinishReason::Stop | FinishReason::ToolCalls) {
            return;
        }
        if let Err(error) = self.store.put(key, answer, self.time_to_live).await {
            tracing::warn!(%error, "the cache of answers cannot be written; the answer is not kept");
        }
    }

    /// The answer that is there, or the turn to ask for it.
    async fn look(&self, key: &CacheKey, request: &Request) -> Result<Result<Response, Turn>, ModelError> {
        if let Some(answer) = self.get(key).await {
            return Ok(Ok(answer));
        }
        let turn = self.flights.turn(key, request.deadline).await?;
        // Whoever had the turn before may have left the answer.
        match turn.has_waited() {
            true => Ok(self.get(key).await.ok_or(turn)),
            false => Ok(Err(turn)),
        }
    }
}

fn hit(mut answer: Response) -> Response {
    let saved = std::mem::take(&mut answer.usage);
    // An answer of a cache within this one saved what that one says it did.
    if !is_hit(&answer.metadata) && saved != Usage::default() {
        answer.metadata.insert(SAVED.to_owned(), serde_json::to_value(saved).unwrap_or_default());
    }
    answer.metadata.insert(FIELD.to_owned(), "hit".into());
    answer
}

impl<M: ChatModel> Layer<M> for Cache {
    type Model = Cached<M>;

    fn layer(self, inner: M) -> Cached<M> {
        Cached { id: inner.info().id(), inner, cache: self }
    }
}

/// A model with a cache before it.
#[derive(Clone, Debug)]
pub struct Cached<M> {
    inner: M,
    id: String,
    cache: Cache,
}

#[async_trait]
impl<M: ChatModel> ChatModel for Cached<M> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let key = CacheKey::of(&self.id, request);
        match self.cache.look(&key, request).await? {
            Ok(answer) => Ok(answer),
            Err(turn) => {
                let answer = self.inner.complete(request).await?;
                self.cache.put(&key, &answer).await;
                drop(turn);
                Ok(answer)
            }
        }
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        stream::once(async move {
            let key = CacheKey::of(&self.id, &request);
            match self.cache.look(&key, &request).await {
                Ok(Ok(answer)) => replay_hit(answer),
                Ok(Err(turn)) => {
                    let keep = !request.keep_raw;
                    let answer = Accumulated::new(&self.inner.info().name);
                    let inner = self.inner.stream(request);
                    fill(Filling { cache: &self.cache, key, inner: Some(inner), answer, turn: Some(turn), keep })
                }
                Err(error) => stream::once(async { Err(error) }).boxed(),
            }
        })
        .flatten()
        .boxed()
    }
}

/// An answer of the cache in pieces. That it is one is said before all else, so that whoever counts knows it from the start.
fn replay_hit<'a>(answer: Response) -> EventStream<'a> {
    let metadata = StreamEvent::Metadata(answer.metadata.clone());
    stream::iter([Ok(metadata)]).chain(replay(answer)).boxed()
}

/// A streamed answer on its way to its reader and into the cache.
struct Filling<'a> {
    cache: &'a Cache,
    key: CacheKey,
    inner: Option<EventStream<'a>>,
    answer: Accumulated,
    turn: Option<Turn>,
    keep: bool,
}

fn fill(filling: Filling<'_>) -> EventStream<'_> {
    stream::unfold(filling, |mut state| async move {
        let event = state.inner.as_mut()?.next().await?;
        if let Some(turn) = &state.turn {
            turn.has_moved();
        }
        match &event {
            Ok(event) => state.answer.add(event.clone()),
            Err(_) => state.inner = None,
        }
        if state.answer.is_finished() || state.inner.is_none() {
            let is_wanted = state.turn.is_some() && state.keep && event.is_ok();
            if let (true, Ok(answer)) = (is_wanted, state.answer.clone().finish()) {
                state.cache.put(&state.key, &answer).await;
            }
            state.turn = None;
        }
        Some((event, state))
    })
    .boxed()
}
