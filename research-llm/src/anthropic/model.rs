//! The model: a request is sent, and an answer read, as a whole or as a stream.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use futures::stream::{StreamExt, once};
use serde_json::Value;

use super::quirks::{Quirks, SchemaMode};
use super::step_down::Refused;
use super::{request, response, step_down, stream};
use crate::error::ModelError;
use crate::http::Http;
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::schema::{Dialect, into_prompt};
use crate::stream::EventStream;

/// Where messages are sent.
const PATH: &str = "/v1/messages";

/// A model of Anthropic's, or of a server that speaks its messages API. Cheap to clone.
///
/// ```no_run
/// use research_llm::anthropic::Anthropic;
/// use research_llm::{ChatModel, Request};
///
/// # async fn ask() -> Result<(), research_llm::ModelError> {
/// // The key is in ANTHROPIC_API_KEY.
/// let model = Anthropic::builder("claude-haiku-4-5").build()?;
/// let answer = model.complete(&Request::new().user("Name a city in Styria.")).await?;
/// println!("{} ({} tokens)", answer.text, answer.usage.total());
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Anthropic(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) http: Http,
    pub(super) info: ModelInfo,
    pub(super) quirks: Quirks,
    pub(super) max_tokens: u32,
    /// Whether the server has said that it takes no schema at all.
    pub(super) refuses_schemas: AtomicBool,
}

impl fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { http, info, .. } = &*self.0;
        f.debug_struct("Anthropic").field("model", &info.name).field("http", http).finish_non_exhaustive()
    }
}

impl Anthropic {
    /// Sends a request. When the server refuses its schema, it is sent once more with the schema in the prompt.
    async fn send<T, F>(&self, request: &Request, stream: bool, post: impl Fn(Value) -> F) -> Result<T, ModelError>
    where
        F: Future<Output = Result<T, ModelError>>,
    {
        let schema = self.schema(request);
        let is_native = schema.is_some();
        match post(self.body(request, schema.as_ref(), stream)?).await {
            Err(error) if is_native => match step_down::refused(&error) {
                None => Err(error),
                Some(refused) => {
                    tracing::info!(model = self.0.info.name, %error, "the schema goes into the prompt instead");
                    if refused == Refused::Ability {
                        self.0.refuses_schemas.store(true, Ordering::Relaxed);
                    }
                    post(self.body(request, None, stream)?).await
                }
            },
            answer => answer,
        }
    }

    /// The schema that the server is to hold the answer to, if there is one and the server can.
    fn schema(&self, request: &Request) -> Option<Value> {
        let schema = request.schema.as_ref().filter(|_| self.0.quirks.schema == SchemaMode::Native)?;
        if self.0.refuses_schemas.load(Ordering::Relaxed) {
            return None;
        }
        match Dialect::Anthropic.adapt(schema) {
            Ok(adapted) => Some(adapted.schema),
            Err(error) => {
                tracing::debug!(model = self.0.info.name, %error, "the schema goes into the prompt instead");
                None
            }
        }
    }

    fn body(&self, request: &Request, schema: Option<&Value>, stream: bool) -> Result<Value, ModelError> {
        let Inner { info, quirks, max_tokens, .. } = &*self.0;
        let target = request::Target { model: &info.name, quirks, max_tokens: *max_tokens, schema, stream };
        if request.schema.is_some() && schema.is_none() {
            request::body(&into_prompt(request), target)
        } else {
            request::body(request, target)
        }
    }
}

#[async_trait]
impl ChatModel for Anthropic {
    fn info(&self) -> &ModelInfo {
        &self.0.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let Inner { http, info, .. } = &*self.0;
        let post = |body: Value| async move { http.post(PATH, &body, request.deadline).await };
        let reply = self.send(request, false, post).await?;
        if let Some(error) = response::error(&reply.body, |text| http.scrub(text)) {
            return Err(error);
        }
        response::response(&info.name, reply.body, reply.headers, request.keep_raw)
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let Inner { http, info, .. } = &*self.0;
        once(async move {
            let deadline = request.deadline;
            let post = |body: Value| async move { http.post_events(PATH, &body, deadline).await };
            let opened = self.send(&request, true, post).await;
            opened.map(|(headers, source)| stream::Answer::new(&info.name, http.clone(), headers, source).events())
        })
        .flat_map(|opened| match opened {
            Ok(events) => events.left_stream(),
            Err(error) => once(async { Err(error) }).right_stream(),
        })
        .boxed()
    }
}
