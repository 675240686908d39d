//! The model: a request is sent, and an answer read, in one of two formats.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use async_trait::async_trait;
use futures::stream::{self, StreamExt, TryStreamExt};
use serde_json::Value;

use super::failure::{Refusal, refusal};
use super::format::{Formatted, formatted};
use super::quirks::{Quirks, SchemaMode};
use super::{chat, decode, responses};
use crate::error::ModelError;
use crate::http::Http;
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::stream::EventStream;

/// Which of OpenAI's two formats is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Api {
    /// Chat completions, which every server has.
    #[default]
    Chat,
    /// Responses, which hand reasoning back in the next turn. Nothing is kept by the server.
    Responses,
}

/// A model of OpenAI, or of a server that speaks like it. Cheap to clone.
///
/// Where a server refuses the way in which a schema was sent, the call is sent again in the next less strict way (see
/// [`SchemaMode`]), and the client and its clones remember it. A refusal of one schema alone is not remembered.
///
/// Tool calls that a model writes into its text are not guessed at: they stay text.
#[derive(Clone, Debug)]
pub struct OpenAi(pub(super) Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) http: Http,
    pub(super) info: ModelInfo,
    pub(super) api: Api,
    pub(super) quirks: Quirks,
    /// Where in [`SchemaMode::ALL`] the mode stands that the server has not refused yet.
    pub(super) mode: AtomicU8,
}

impl OpenAi {
    /// The way in which JSON of a schema is asked for now: that of the server, or a less strict one after refusals.
    #[must_use]
    pub fn schema_mode(&self) -> SchemaMode {
        let at = usize::from(self.0.mode.load(Ordering::Relaxed));
        SchemaMode::ALL.get(at).copied().unwrap_or(SchemaMode::Prompt)
    }

    fn path(&self) -> &'static str {
        match self.0.api {
            Api::Chat => chat::PATH,
            Api::Responses => responses::PATH,
        }
    }

    fn body(&self, formatted: &Formatted<'_>, streamed: bool) -> Result<Value, ModelError> {
        let Inner { info, quirks, api, .. } = &*self.0;
        match api {
            Api::Chat => chat::request::body(&info.name, quirks, formatted, streamed),
            Api::Responses => responses::request::body(&info.name, quirks, formatted, streamed),
        }
    }

    async fn ask(&self, request: &Request, formatted: &Formatted<'_>) -> Result<Response, ModelError> {
        let Inner { http, info, quirks, api, .. } = &*self.0;
        let reply = http.post(self.path(), &self.body(formatted, false)?, request.deadline).await?;
        match api {
            Api::Chat => chat::response::read(reply, &info.name, quirks, http, request.keep_raw),
            Api::Responses => responses::response::read(reply, &info.name, http, request.keep_raw),
        }
    }

    /// A stream whose first event has arrived, so that a refusal is known before anything is passed on.
    async fn open(&self, request: &Request, formatted: &Formatted<'_>) -> Result<EventStream<'static>, ModelError> {
        let Inner { http, info, quirks, api, .. } = &*self.0;
        let body = self.body(formatted, true)?;
        let (headers, source) = http.post_events(self.path(), &body, request.deadline).await?;
        let mut events = match api {
            Api::Chat => {
                let usage_asked = body["stream_options"]["include_usage"] == true;
                let chunks = chat::stream::Chunks::new(http.clone(), quirks, usage_asked, headers);
                decode::decode(source, chunks, &info.name)
            }
            Api::Responses => decode::decode(source, responses::stream::Events::new(http.clone(), headers), &info.name),
        };
        let first = events.try_next().await?;
        Ok(stream::iter(first.map(Ok)).chain(events).boxed())
    }

    /// The mode to try next after this error, if it is a refusal of the mode.
    fn step_down(&self, formatted: &Formatted<'_>, error: &ModelError) -> Option<SchemaMode> {
        formatted.format.as_ref()?;
        let refusal = refusal(error)?;
        let next = formatted.mode.below()?;
        tracing::warn!(
            model = self.0.info.id(),
            refused = ?formatted.mode,
            next = ?next,
            "the server refuses the way in which the schema was sent"
        );
        if refusal == Refusal::Mode {
            let at = SchemaMode::ALL.iter().position(|&mode| mode == next).unwrap_or_default();
            self.0.mode.fetch_max(u8::try_from(at).unwrap_or_default(), Ordering::Relaxed);
        }
        Some(next)
    }
}

#[async_trait]
impl ChatModel for OpenAi {
    fn info(&self) -> &ModelInfo {
        &self.0.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let mut mode = self.schema_mode();
        loop {
            let formatted = formatted(request, mode);
            match self.ask(request, &formatted).await {
                Err(error) => mode = self.step_down(&formatted, &error).ok_or(error)?,
                answer => return answer,
            }
        }
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let open = async move {
            let mut mode = self.schema_mode();
            loop {
                let formatted = formatted(&request, mode);
                match self.open(&request, &formatted).await {
                    Err(error) => mode = self.step_down(&formatted, &error).ok_or(error)?,
                    events => return events,
                }
            }
        };
        stream::once(open).try_flatten().boxed()
    }
}
