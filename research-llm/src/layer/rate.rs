//! Keeps calls within so many requests and tokens a minute.

mod window;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::{self, StreamExt, TryStreamExt};

use super::stack::Layer;
use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::{Response, Usage};
use crate::stream::{EventStream, StreamEvent};
use crate::tokens;

use window::{Limits, Window};

/// Keeps calls within so many requests and tokens a minute; the others wait, first come, first served.
///
/// No minute, wherever it begins, holds more than the limits. The tokens of a call are estimated when it is made and
/// corrected when its usage is known; a failed call keeps its estimate, for providers count those too. A call
/// that alone is larger than the limit goes when no other is left in the minute before it, rather than never. A call that
/// could not be made before its deadline fails at once with a rate limit and the time it would have waited. A
/// waiting call that is dropped leaves the queue.
///
/// Clones share what they have counted, so that one of them can be put around each of several models with one account.
///
/// ```
/// use research_llm::layer::RateLimit;
/// use research_llm::testing::ScriptedModel;
/// use research_llm::{ChatModel, ChatModelExt, ModelError, Request};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let account = RateLimit::new().requests_per_minute(500).tokens_per_minute(30_000);
/// let small = ScriptedModel::new().then("Hello!").with(account.clone());
/// let large = ScriptedModel::new().then("Good day!").with(account);
/// assert_eq!(small.complete(&Request::new().user("Hello!")).await?.text, "Hello!");
/// assert_eq!(large.complete(&Request::new().user("Hello!")).await?.text, "Good day!");
/// # Ok::<(), ModelError>(()) }).unwrap();
/// ```
#[derive(Clone)]
#[must_use = "a layer does nothing until it is put around a model"]
pub struct RateLimit {
    limits: Limits,
    estimate: Arc<Estimate>,
    window: Arc<Window>,
}

type Estimate = dyn Fn(&Request) -> u64 + Send + Sync;

/// Tokens of an answer whose request does not limit it: a guess at an ordinary answer, corrected when it is there.
const ANSWER: u64 = 1_024;

impl RateLimit {
    /// No limits yet.
    pub fn new() -> Self {
        Self { limits: Limits::default(), estimate: Arc::new(likely_tokens), window: Arc::default() }
    }

    /// Limits the requests a minute; at least one.
    pub fn requests_per_minute(mut self, requests: usize) -> Self {
        self.limits.requests = Some(requests.max(1));
        self
    }

    /// Limits the tokens a minute, those read and those written together.
    pub fn tokens_per_minute(mut self, tokens: u64) -> Self {
        self.limits.tokens = Some(tokens);
        self
    }

    /// Sets how the tokens of a call are estimated, in place of the tokens of its text and of its longest answer.
    pub fn estimate(mut self, tokens: impl Fn(&Request) -> u64 + Send + Sync + 'static) -> Self {
        self.estimate = Arc::new(tokens);
        self
    }

    async fn enter(&self, request: &Request) -> Result<Admission, ModelError> {
        let id = self.window.enter(self.limits, (self.estimate)(request), request.deadline).await?;
        Ok(Admission { id, window: Arc::clone(&self.window), usage: Usage::default() })
    }
}

fn likely_tokens(request: &Request) -> u64 {
    tokens::estimate_request(request).saturating_add(request.max_output_tokens.map_or(ANSWER, u64::from))
}

impl Default for RateLimit {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl<M: ChatModel> Layer<M> for RateLimit {
    type Model = Paced<M>;

    fn layer(self, inner: M) -> Paced<M> {
        Paced { inner, limit: self }
    }
}

/// A model that is called only so often; made by [`RateLimit`].
#[derive(Clone, Debug)]
pub struct Paced<M> {
    inner: M,
    limit: RateLimit,
}

/// A call that was let through.
struct Admission {
    id: u64,
    window: Arc<Window>,
    usage: Usage,
}

impl Admission {
    /// A server that does not say what was used leaves the estimate as it is.
    fn settle(&self) {
        if self.usage.total() > 0 {
            self.window.settle(self.id, self.usage.total());
        }
    }

    /// Usage that is reported on the way is not all of it, so only the last report before the end counts.
    fn note(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::Usage(usage) => self.usage = *usage,
            StreamEvent::Finish(_) => self.settle(),
            _ => {}
        }
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Paced<M> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let mut admission = self.limit.enter(request).await?;
        let response = self.inner.complete(request).await?;
        admission.usage = response.usage;
        admission.settle();
        Ok(response)
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let entered = async move {
            let mut admission = self.limit.enter(&request).await?;
            let events = self.inner.stream(request);
            Ok(events.inspect(move |event| event.iter().for_each(|event| admission.note(event))))
        };
        stream::once(entered).try_flatten().boxed()
    }
}
