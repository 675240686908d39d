//! Anthropic and the servers that speak like it.
//!
//! [`Anthropic`] speaks the messages API, version 2023-06-01. What the port says of a request goes over the wire so:
//!
//! * System messages, wherever they stand, become the system prompt. Turns of the same side that follow each other are
//!   joined, with the results of tools first.
//! * [`Message::cached`](crate::Message::cached) becomes a cache breakpoint at the message's last block. The API takes
//!   four; of more, the last ones win. Where one of the four is left, the list of tools gets it.
//! * [`Effort`](crate::Effort) becomes adaptive thinking with an effort, or a budget of tokens for thinking, as the model
//!   wants it ([`Quirks`]). Reasoning comes back in [`Response::reasoning`](crate::Response::reasoning); its signed
//!   blocks are [`Response::provider_items`](crate::Response::provider_items) of the format `anthropic` and go back
//!   unchanged, first in the assistant's turn. An answer that mixes reasoning with text or tool calls, or that has
//!   blocks of another type, is kept whole besides, in the format `anthropic.turn`, so that it goes back in its order.
//! * A schema becomes `output_config.format` for models that have it, in the dialect
//!   [`crate::schema::Dialect::Anthropic`]; otherwise, and when the server refuses it, it goes into
//!   the prompt.
//! * Temperature and `top_p` are left out where the model would refuse the call for them. The API knows no seed.
//! * [`Request::extra`](crate::Request::extra) replaces whole fields of the body, also `output_config`.

mod builder;
mod content;
mod quirks;
mod request;
mod response;
mod step_down;
mod stream;
mod thinking;
mod turns;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use futures::stream::{StreamExt, once};
use serde_json::Value;

use crate::error::ModelError;
use crate::http::Http;
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::schema::{Dialect, into_prompt};
use crate::stream::EventStream;

pub use builder::AnthropicBuilder;
pub use quirks::{Quirks, Sampling, SchemaMode, Thinking};

use step_down::Refused;

/// The format of a block to hand back.
const FORMAT: &str = "anthropic";

/// The format of a whole turn to hand back.
const TURN_FORMAT: &str = "anthropic.turn";

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
pub struct Anthropic(Arc<Inner>);

struct Inner {
    http: Http,
    info: ModelInfo,
    quirks: Quirks,
    max_tokens: u32,
    /// Whether the server has said that it takes no schema at all.
    refuses_schemas: AtomicBool,
}

impl fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { http, info, .. } = &*self.0;
        f.debug_struct("Anthropic").field("model", &info.name).field("http", http).finish_non_exhaustive()
    }
}

impl Anthropic {
    /// A client for a model, by the name that the provider gives it.
    pub fn builder(model: impl Into<String>) -> AnthropicBuilder {
        AnthropicBuilder::new(model.into())
    }

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
