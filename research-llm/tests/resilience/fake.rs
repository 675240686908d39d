//! A model whose streams are written event by event, with the pauses between them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::stream::{self, StreamExt};
use research_llm::{
    ChatModel, EventStream, FinishReason, ModelError, ModelInfo, ModelKind, Request, Response, StreamEvent, Usage,
    async_trait, collect,
};
use tokio::time::{Instant, sleep};

pub(crate) type Step = (Duration, Result<StreamEvent, ModelError>);

type Script = dyn Fn(usize, &Request) -> Vec<Step> + Send + Sync;

/// Answers the n-th call, from 0, with what the script says. Clones share the record of the calls.
#[derive(Clone)]
pub(crate) struct Fake {
    info: ModelInfo,
    script: Arc<Script>,
    calls: Arc<Mutex<Vec<(Instant, Request)>>>,
}

impl Fake {
    pub(crate) fn new(script: impl Fn(usize, &Request) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let info = ModelInfo::new("fake", "fake", ModelKind::Scripted);
        Self { info, script: Arc::new(script), calls: Arc::default() }
    }

    /// The calls so far: when each was made, and its request.
    pub(crate) fn calls(&self) -> Vec<(Instant, Request)> {
        self.calls.lock().unwrap().clone()
    }
}

#[async_trait]
impl ChatModel for Fake {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        collect("fake", self.stream(request.clone())).await
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        stream::once(async move {
            let call = {
                let mut calls = self.calls.lock().unwrap();
                calls.push((Instant::now(), request.clone()));
                calls.len() - 1
            };
            stream::iter((self.script)(call, &request)).then(|(pause, event)| async move {
                sleep(pause).await;
                event
            })
        })
        .flatten()
        .boxed()
    }
}

pub(crate) const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub(crate) fn at_once(event: StreamEvent) -> Step {
    (Duration::ZERO, Ok(event))
}

pub(crate) fn start() -> Step {
    at_once(StreamEvent::Metadata([("request_id".to_owned(), "r1".into())].into_iter().collect()))
}

pub(crate) fn text(text: &str) -> Step {
    at_once(StreamEvent::Text(text.into()))
}

pub(crate) fn usage(tokens: u64) -> Step {
    at_once(StreamEvent::Usage(Usage::new(tokens, 0)))
}

pub(crate) fn finish() -> Step {
    at_once(StreamEvent::Finish(FinishReason::Stop))
}

pub(crate) fn fails(error: ModelError) -> Step {
    (Duration::ZERO, Err(error))
}

/// A whole answer of one text.
pub(crate) fn answer(said: &str) -> Vec<Step> {
    vec![start(), text(said), finish()]
}

pub(crate) fn later(milliseconds: u64, (_, event): Step) -> Step {
    (ms(milliseconds), event)
}

pub(crate) fn ask() -> Request {
    Request::new().user("Hello!")
}

/// Runs on a clock that stands still and jumps to the next timer.
pub(crate) fn on_paused_clock<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(future)
}
