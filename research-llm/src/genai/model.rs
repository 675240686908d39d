//! The model behind the bridge.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::StreamExt;
use genai::ModelIden;
use genai::adapter::AdapterKind;
use tokio::time::Instant;

use super::{answer, failure, request, stream};
use crate::error::ModelError;
use crate::http::{Http, HttpLimits};
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::stream::EventStream;

/// A model of a provider that genai knows.
///
/// ```
/// use research_llm::genai::Genai;
/// use research_llm::ChatModel;
///
/// let model = Genai::builder("gemini", "gemini-2.5-flash").api_key("…").build()?;
/// assert_eq!(model.info().id(), "gemini:gemini-2.5-flash");
/// assert!(Genai::adapters().any(|name| name == "cohere"));
/// # Ok::<(), research_llm::ModelError>(())
/// ```
#[derive(Clone)]
pub struct Genai {
    pub(super) info: ModelInfo,
    pub(super) client: ::genai::Client,
    pub(super) model: ModelIden,
    pub(super) http: Http,
    pub(super) limits: HttpLimits,
}

impl fmt::Debug for Genai {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Genai").field("info", &self.info).field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Genai {
    /// The names of the providers that genai knows.
    pub fn adapters() -> impl Iterator<Item = &'static str> {
        AdapterKind::all().iter().map(AdapterKind::as_lower_str)
    }

    fn kind(&self) -> AdapterKind {
        self.model.adapter_kind
    }

    fn error(&self, error: ::genai::Error) -> ModelError {
        failure::model_error(error, &self.limits, &self.http)
    }
}

/// What is left of a time limit when the answer is of no use after the deadline.
fn until(limit: Duration, deadline: Option<Instant>) -> Duration {
    deadline.map_or(limit, |at| limit.min(at.saturating_duration_since(Instant::now())))
}

#[async_trait]
impl ChatModel for Genai {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let (chat, options) = request::convert(self.kind(), request)?;
        let limit = until(self.limits.whole, request.deadline);
        let call = self.client.exec_chat(self.model.clone(), chat, Some(&options));
        match tokio::time::timeout(limit, call).await {
            Ok(Ok(answer)) => Ok(answer::response(self.kind(), answer)),
            Ok(Err(error)) => Err(self.error(error)),
            Err(_) => Err(ModelError::timeout(limit)),
        }
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let open = async move {
            let (chat, mut options) = request::convert(self.kind(), &request)?;
            options.stream_header_timeout = Some(until(self.limits.first_byte, request.deadline));
            options.stream_read_timeout = Some(self.limits.idle);
            let call = self.client.exec_chat_stream(self.model.clone(), chat, Some(&options));
            let opened = call.await.map_err(|error| self.error(error))?;
            Ok::<_, ModelError>(stream::events(self.kind(), &self.info.name, opened.stream, |error| self.error(error)))
        };
        futures::stream::once(open)
            .flat_map(|opened| match opened {
                Ok(events) => events.left_stream(),
                Err(error) => futures::stream::once(async { Err(error) }).right_stream(),
            })
            .boxed()
    }
}
