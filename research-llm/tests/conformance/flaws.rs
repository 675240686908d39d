//! Providers with one flaw each: a good one, spoiled.

use std::sync::Arc;

use futures::StreamExt;
use futures::channel::mpsc;
use futures::future::join_all;
use research_llm::{
    ChatModel, ErrorKind, EventStream, FinishReason, ModelError, ModelInfo, Request, Response, StreamEvent,
    async_trait, replay_lazily,
};

/// What is wrong with a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// A stream that breaks off ends as if it were whole.
    HidesTruncation,
    /// What had arrived is thrown away when a stream breaks off.
    ForgetsWhatArrived,
    /// The time that a provider asks for is lost.
    LosesRetryAfter,
    /// Streams say nothing of what they used.
    DropsUsage,
    /// A stream is a whole answer in disguise.
    WaitsForTheWhole,
    /// The text of a stream comes as a whole at its end.
    HoldsTheTextBack,
    /// A call goes on when nobody waits for it.
    OutlivesItsCaller,
    /// A stream begins before it is polled.
    IsEager,
    /// What the provider wants back is thrown away.
    DropsItems,
    /// Pieces of all calls go into the first.
    MixesCalls,
    /// A failure is tried again without a word.
    TriesAgain,
    /// The task for machines is sent to the provider.
    SendsTheTask,
    /// The deadline of a request is ignored.
    IgnoresDeadlines,
    /// Pictures are left out.
    IsBlind,
    /// The schema is left out.
    ForgetsTheSchema,
    /// Every failure is one of the server.
    BlamesTheServer,
    /// An answer that cannot be read is an empty one.
    SwallowsGarbage,
    /// Errors tell the key.
    TellsTheKey,
}

/// A provider with a flaw.
pub(crate) struct Flawed {
    pub(crate) inner: Arc<dyn ChatModel>,
    pub(crate) flaw: Flaw,
    pub(crate) key: String,
}

impl Flawed {
    fn request(&self, request: &Request) -> Request {
        let mut request = request.clone();
        match self.flaw {
            Flaw::SendsTheTask => {
                if let Some(task) = &request.task {
                    request.extra.insert("task".to_owned(), task.name.as_str().into());
                }
            }
            Flaw::IgnoresDeadlines => request.deadline = None,
            Flaw::IsBlind => {
                let parts = request.messages.iter_mut().map(|message| &mut message.parts);
                parts.for_each(|parts| parts.retain(|part| !matches!(part, research_llm::Part::Image(_))));
            }
            Flaw::ForgetsTheSchema => request.schema = None,
            _ => {}
        }
        request
    }

    fn error(&self, error: ModelError) -> ModelError {
        match (self.flaw, error) {
            (Flaw::LosesRetryAfter, ModelError::RateLimit { message, .. }) => ModelError::rate_limit(message, None),
            (Flaw::ForgetsWhatArrived, ModelError::Interrupted { source, .. }) => *source,
            (Flaw::BlamesTheServer, error) => ModelError::server(Some(500), error.to_string(), error.retry_after()),
            (Flaw::TellsTheKey, error) => ModelError::other(format!("{error} with {}", self.key), None),
            (_, error) => error,
        }
    }

    fn response(&self, mut response: Response) -> Response {
        if self.flaw == Flaw::DropsItems {
            response.provider_items.clear();
        }
        response
    }

    fn event(&self, event: Result<StreamEvent, ModelError>) -> Option<Result<StreamEvent, ModelError>> {
        match (self.flaw, event) {
            (Flaw::HidesTruncation, Err(error)) if error.kind() == ErrorKind::Connection => {
                Some(Ok(StreamEvent::Finish(FinishReason::Stop)))
            }
            (Flaw::DropsUsage, Ok(StreamEvent::Usage(_))) | (Flaw::DropsItems, Ok(StreamEvent::Item(_))) => None,
            (Flaw::MixesCalls, Ok(StreamEvent::ToolCall(mut delta))) => {
                delta.index = 0;
                Some(Ok(StreamEvent::ToolCall(delta)))
            }
            (_, Err(error)) => Some(Err(self.error(error))),
            (_, event) => Some(event),
        }
    }

    /// A stream that a task of its own drives to its end.
    fn driven(&self, request: Request) -> EventStream<'static> {
        let (sender, receiver) = mpsc::unbounded();
        let inner = Arc::clone(&self.inner);
        tokio::spawn(async move {
            let mut events = inner.stream(request);
            while let Some(event) = events.next().await {
                // Nobody listening is no reason to stop: that is the flaw.
                let _ = sender.unbounded_send(event);
            }
        });
        receiver.boxed()
    }
}

#[async_trait]
impl ChatModel for Flawed {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let request = self.request(request);
        let answer = match self.flaw {
            Flaw::OutlivesItsCaller => {
                let inner = Arc::clone(&self.inner);
                tokio::spawn(async move { inner.complete(&request).await }).await.unwrap()
            }
            Flaw::TriesAgain => {
                // Quick and greedy: several at once, the first that works.
                let mut answers = join_all([self.inner.complete(&request), self.inner.complete(&request)]).await;
                answers.swap_remove(0)
            }
            _ => self.inner.complete(&request).await,
        };
        match answer {
            Err(error) if self.flaw == Flaw::SwallowsGarbage && error.kind() == ErrorKind::InvalidResponse => {
                Ok(Response::new("m", ""))
            }
            answer => answer.map(|response| self.response(response)).map_err(|error| self.error(error)),
        }
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let request = self.request(&request);
        let events = match self.flaw {
            Flaw::WaitsForTheWhole => replay_lazily(async move { self.inner.complete(&request).await }),
            Flaw::HoldsTheTextBack => {
                return futures::stream::once(async move {
                    let events: Vec<_> = self.inner.stream(request).collect().await;
                    futures::stream::iter(events)
                })
                .flatten()
                .boxed();
            }
            Flaw::IsEager => self.driven(request),
            Flaw::OutlivesItsCaller => futures::stream::once(async move { self.driven(request) }).flatten().boxed(),
            _ => self.inner.stream(request),
        };
        events.filter_map(move |event| async move { self.event(event) }).boxed()
    }
}
