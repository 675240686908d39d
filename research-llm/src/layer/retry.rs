//! Tries a call again when it failed for a passing reason.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::time::{Instant, sleep};

use super::shared::watch;
use super::stack::Layer;
use crate::error::{ErrorKind, ModelError};
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::stream::EventStream;

/// Tries a call again when it failed for a passing reason: a rate limit, a broken connection, a time limit, or trouble on
/// the provider's side. A request that is too long is not: it would be as long the next time.
///
/// Before the n-th new try it waits 1 s · 2ⁿ⁻¹, at most 60 s, each wait drawn from ± 20 % around that, but never less
/// than the provider asks for ([`ModelError::retry_after`]). A provider that asks for more than 5 minutes, or a wait that
/// would pass the request's deadline, ends it at once with the error. A stream is tried again only while nothing of its
/// answer has been passed on; an error after that carries what had arrived ([`ModelError::received`]).
///
/// ```
/// use std::time::Duration;
/// use research_llm::layer::Retry;
/// use research_llm::testing::ScriptedModel;
/// use research_llm::{ChatModel, ChatModelExt, ModelError, Request};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let model = ScriptedModel::new()
///     .fail(2, ModelError::rate_limit("slow down", Some(Duration::from_secs(7))))
///     .then("Here I am.")
///     .with(Retry::new().on_retry(|event| eprintln!("{} failed, next try in {:?}", event.model, event.wait)));
/// assert_eq!(model.complete(&Request::new().user("Hello!")).await?.text, "Here I am.");
/// # Ok::<(), ModelError>(()) }).unwrap();
/// ```
#[derive(Clone)]
#[must_use = "a layer does nothing until it is put around a model"]
pub struct Retry {
    attempts: u32,
    first: Duration,
    longest: Duration,
    jitter: f64,
    patience: Duration,
    observer: Option<Arc<Observer>>,
}

type Observer = dyn Fn(&RetryEvent<'_>) + Send + Sync;

/// A call failed and will be tried again.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RetryEvent<'a> {
    /// The model, as `provider:model`.
    pub model: &'a str,
    /// How many tries have failed, from 1.
    pub failed: u32,
    /// How many tries there are at most.
    pub attempts: u32,
    /// How long is waited before the next one.
    pub wait: Duration,
    /// Why the last one failed.
    pub error: &'a ModelError,
}

impl Retry {
    /// Three tries in all.
    pub fn new() -> Self {
        Self {
            attempts: 3,
            first: Duration::from_secs(1),
            longest: Duration::from_secs(60),
            jitter: 0.2,
            patience: Duration::from_secs(300),
            observer: None,
        }
    }

    /// Sets how often a call is tried in all, the first try included; at least once.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// Sets the first wait, which doubles from try to try, and the longest one.
    pub fn backoff(mut self, first: Duration, longest: Duration) -> Self {
        self.first = first;
        self.longest = longest.max(first);
        self
    }

    /// Sets by which share a wait may be shorter or longer, 0 to 1.
    pub fn jitter(mut self, share: f64) -> Self {
        self.jitter = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self
    }

    /// Sets how long a wait the provider may ask for. One that asks for more is not tried again.
    pub fn max_retry_after(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Calls the function before each wait.
    pub fn on_retry(mut self, observer: impl Fn(&RetryEvent<'_>) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// How long to wait after so many failed tries, or nothing if there is to be no other.
    fn wait(&self, failed: u32, error: &ModelError, deadline: Option<Instant>) -> Option<Duration> {
        let passing = error.is_retryable() && error.kind() != ErrorKind::TokenLimit;
        if !passing || failed >= self.attempts {
            return None;
        }
        let doubled = self.first.saturating_mul(2_u32.saturating_pow(failed - 1)).min(self.longest);
        let mut wait = scaled(doubled, 1.0 + self.jitter * (2.0 * fastrand::f64() - 1.0));
        if let Some(asked) = error.retry_after() {
            if asked > self.patience {
                return None;
            }
            // Many callers that were told the same delay must not come back at the same moment, nor any of them early.
            wait = wait.max(asked.saturating_add(scaled(asked, self.jitter * fastrand::f64())));
        }
        let next = Instant::now().checked_add(wait)?;
        deadline.is_none_or(|deadline| next < deadline).then_some(wait)
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry")
            .field("attempts", &self.attempts)
            .field("first", &self.first)
            .field("longest", &self.longest)
            .field("jitter", &self.jitter)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

/// A share of a span of time, at most the longest span there is.
fn scaled(span: Duration, share: f64) -> Duration {
    Duration::try_from_secs_f64(span.as_secs_f64() * share).unwrap_or(Duration::MAX)
}

impl<M: ChatModel> Layer<M> for Retry {
    type Model = Retried<M>;

    fn layer(self, inner: M) -> Retried<M> {
        Retried { id: inner.info().id(), inner, settings: self }
    }
}

/// A model whose calls are tried again; made by [`Retry`].
#[derive(Clone, Debug)]
pub struct Retried<M> {
    inner: M,
    id: String,
    settings: Retry,
}

impl<M: ChatModel> Retried<M> {
    /// Waits before the next try, or gives the error back if there is to be none.
    async fn pause(&self, failed: u32, error: ModelError, deadline: Option<Instant>) -> Result<(), ModelError> {
        let Some(wait) = self.settings.wait(failed, &error, deadline) else { return Err(error) };
        tracing::warn!(
            model = self.id,
            kind = error.kind().as_str(),
            failed,
            attempts = self.settings.attempts,
            wait_ms = wait.as_millis(),
            "a model call failed and is tried again"
        );
        if let Some(observer) = &self.settings.observer {
            let attempts = self.settings.attempts;
            observer(&RetryEvent { model: &self.id, failed, attempts, wait, error: &error });
        }
        sleep(wait).await;
        Ok(())
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Retried<M> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let mut failed = 0;
        loop {
            match self.inner.complete(request).await {
                Ok(response) => return Ok(response),
                Err(error) => {
                    failed += 1;
                    self.pause(failed, error, request.deadline).await?;
                }
            }
        }
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let begun = async move {
            let mut failed = 0;
            loop {
                match watch::begun(&self.info().name, self.inner.stream(request.clone())).await {
                    Ok(events) => return Ok(events),
                    Err(error) => {
                        failed += 1;
                        self.pause(failed, error, request.deadline).await?;
                    }
                }
            }
        };
        stream::once(begun).try_flatten().boxed()
    }
}
