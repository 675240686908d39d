//! Limits how long a call may take.

use std::time::Duration;

use async_trait::async_trait;
use futures::stream::{self, StreamExt};
use tokio::time::{Instant, timeout_at};

use super::stack::Layer;
use crate::error::ModelError;
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::stream::{Accumulated, EventStream};

/// Limits how long a call may take as a whole, and how long a stream may be silent.
///
/// The limit of the whole call also becomes the request's deadline, unless it has an earlier one; the earlier one counts.
/// A call that takes longer is dropped, which cancels it, and fails with [`ModelError::Timeout`]; for a stream the error
/// carries what had arrived ([`ModelError::received`]). Time in which nobody reads a stream counts to the whole, but
/// not as silence.
///
/// ```
/// use std::time::Duration;
/// use research_llm::layer::Timeout;
/// use research_llm::testing::ScriptedModel;
/// use research_llm::{ChatModel, ChatModelExt, ModelError, Request};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let limit = Timeout::new(Duration::from_secs(180)).first_event(Duration::from_secs(30)).silence(Duration::from_secs(10));
/// let model = ScriptedModel::new().then("Hello!").with(limit);
/// assert_eq!(model.complete(&Request::new().user("Hello!")).await?.text, "Hello!");
/// # Ok::<(), ModelError>(()) }).unwrap();
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "a layer does nothing until it is put around a model"]
pub struct Timeout {
    whole: Duration,
    first_event: Option<Duration>,
    silence: Option<Duration>,
}

impl Timeout {
    /// Limits the whole call.
    pub fn new(whole: Duration) -> Self {
        Self { whole, first_event: None, silence: None }
    }

    /// Limits how long a stream may take to its first event.
    pub fn first_event(mut self, limit: Duration) -> Self {
        self.first_event = Some(limit);
        self
    }

    /// Limits how long a stream may be silent between two events.
    pub fn silence(mut self, limit: Duration) -> Self {
        self.silence = Some(limit);
        self
    }
}

impl<M: ChatModel> Layer<M> for Timeout {
    type Model = Timed<M>;

    fn layer(self, inner: M) -> Timed<M> {
        Timed { inner, limits: self }
    }
}

/// A model whose calls may take only so long; made by [`Timeout`].
#[derive(Clone, Debug)]
pub struct Timed<M> {
    inner: M,
    limits: Timeout,
}

impl<M> Timed<M> {
    /// The start of the call, and the request with the earlier of its deadline and ours.
    fn start(&self, mut request: Request) -> (Instant, Request) {
        let start = Instant::now();
        let ours = start.checked_add(self.limits.whole);
        request.deadline = [request.deadline, ours].into_iter().flatten().min();
        (start, request)
    }
}

/// What a stream needs to know between two events.
struct Running<'a> {
    events: EventStream<'a>,
    answer: Accumulated,
    start: Instant,
    deadline: Option<Instant>,
    /// How long the next event may take.
    patience: Option<Duration>,
    silence: Option<Duration>,
}

#[async_trait]
impl<M: ChatModel> ChatModel for Timed<M> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let (start, request) = self.start(request.clone());
        let answer = self.inner.complete(&request);
        match request.deadline {
            Some(deadline) => match timeout_at(deadline, answer).await {
                Ok(answer) => answer,
                Err(_) => Err(ModelError::timeout(deadline.duration_since(start))),
            },
            None => answer.await,
        }
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let running = async move {
            let (start, request) = self.start(request);
            let deadline = request.deadline;
            let events = self.inner.stream(request);
            let answer = Accumulated::new(&self.info().name);
            let Timeout { first_event, silence, .. } = self.limits;
            Some(Running { events, answer, start, deadline, patience: first_event, silence })
        };
        stream::once(running).flat_map(|running| stream::unfold(running, next)).boxed()
    }
}

/// The next event and the state after it; an error is the last.
async fn next(
    running: Option<Running<'_>>,
) -> Option<(Result<crate::stream::StreamEvent, ModelError>, Option<Running<'_>>)> {
    let mut running = running?;
    let asked = Instant::now();
    let silent = running.patience.and_then(|patience| asked.checked_add(patience));
    let limit = [silent, running.deadline].into_iter().flatten().min();
    let event = match limit {
        Some(limit) => match timeout_at(limit, running.events.next()).await {
            Ok(event) => event,
            Err(_) => {
                let since = if silent == Some(limit) { asked } else { running.start };
                let error = ModelError::timeout(limit.duration_since(since));
                return Some((Err(running.answer.interrupted(error)), None));
            }
        },
        None => running.events.next().await,
    };
    match event {
        Some(Ok(event)) => {
            running.answer.add(event.clone());
            running.patience = running.silence;
            Some((Ok(event), Some(running)))
        }
        Some(Err(error)) => Some((Err(running.answer.interrupted(error)), None)),
        None if running.answer.is_finished() => None,
        None => Some((Err(running.answer.interrupted(ModelError::Truncated)), None)),
    }
}
