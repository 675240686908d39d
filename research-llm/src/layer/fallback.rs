//! Asks another model when one fails.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::time::Instant;

use super::shared::watch;
use super::stack::Layer;
use crate::error::{ErrorKind, ModelError};
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::stream::EventStream;

/// Asks the next model of a chain when one fails.
///
/// Another model is asked after trouble that it need not share: everything [retryable](ModelError::is_retryable) (a
/// prompt that is too long for one model may fit another), a refused key, an unknown model, an answer that cannot be
/// read. It is not asked after a malformed request, a spent budget or a cancellation, nor past the request's deadline. Put
/// [`Retry`](super::Retry) around the single models, and this around them. A stream falls back only while nothing of its
/// answer has been passed on.
///
/// An answer of another model than the first says so in its metadata: `fallback` is how many models failed before it. If
/// none answers, and more than one was asked, the error is [`ModelError::AllFailed`] with the error of each.
///
/// ```
/// use research_llm::layer::Fallback;
/// use research_llm::testing::ScriptedModel;
/// use research_llm::{ChatModel, ChatModelExt, ModelError, Request};
///
/// # futures::executor::block_on(async {
/// let model = ScriptedModel::new()
///     .fail(1, ModelError::server(Some(503), "down for maintenance", None))
///     .with(Fallback::to(ScriptedModel::new().then("The second one answers.")));
/// let answer = model.complete(&Request::new().user("Hello!")).await?;
/// assert_eq!(answer.text, "The second one answers.");
/// assert_eq!(answer.metadata["fallback"], 1);
/// # Ok::<(), ModelError>(()) }).unwrap();
/// ```
#[derive(Clone)]
#[must_use = "a layer does nothing until it is put around a model"]
pub struct Fallback {
    others: Vec<Arc<dyn ChatModel>>,
    when: Arc<Judge>,
}

type Judge = dyn Fn(&ModelError) -> bool + Send + Sync;

/// The field of the metadata that says how many models failed before the one that answered.
const FIELD: &str = "fallback";

impl Fallback {
    /// The model that is asked when the wrapped one fails.
    pub fn to(model: impl ChatModel + 'static) -> Self {
        Self { others: vec![Arc::new(model)], when: Arc::new(need_not_be_shared) }
    }

    /// Adds a model that is asked when all before it have failed.
    pub fn or(mut self, model: impl ChatModel + 'static) -> Self {
        self.others.push(Arc::new(model));
        self
    }

    /// Decides after which errors the next model is asked, in place of the rule above.
    pub fn when(mut self, judge: impl Fn(&ModelError) -> bool + Send + Sync + 'static) -> Self {
        self.when = Arc::new(judge);
        self
    }
}

fn need_not_be_shared(error: &ModelError) -> bool {
    error.is_retryable()
        || matches!(error.kind(), ErrorKind::Authentication | ErrorKind::UnknownModel | ErrorKind::InvalidResponse)
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others: Vec<_> = self.others.iter().map(|model| model.info().id()).collect();
        f.debug_struct("Fallback").field("others", &others).finish_non_exhaustive()
    }
}

impl<M: ChatModel> Layer<M> for Fallback {
    type Model = Chain<M>;

    fn layer(self, inner: M) -> Chain<M> {
        Chain { first: inner, settings: self }
    }
}

/// A model with others in reserve; made by [`Fallback`].
#[derive(Clone, Debug)]
pub struct Chain<M> {
    first: M,
    settings: Fallback,
}

/// The errors of the models that were asked.
type Errors = Vec<(String, ModelError)>;

impl<M: ChatModel> Chain<M> {
    fn models(&self) -> impl Iterator<Item = &dyn ChatModel> + Send {
        let others = self.settings.others.iter().map(|model| &**model as &dyn ChatModel);
        std::iter::once(&self.first as &dyn ChatModel).chain(others)
    }

    /// Notes an error. If no other model is to be asked after it, gives the error of the whole chain.
    fn note(
        &self,
        errors: &mut Errors,
        model: &ModelInfo,
        error: ModelError,
        deadline: Option<Instant>,
    ) -> Result<(), ModelError> {
        let is_last = errors.len() == self.settings.others.len();
        let is_late = deadline.is_some_and(|deadline| deadline <= Instant::now());
        let goes_on = !is_last && !is_late && (self.settings.when)(&error);
        if !goes_on && errors.is_empty() {
            return Err(error);
        }
        let kind = error.kind().as_str();
        errors.push((model.id(), error));
        if !goes_on {
            return Err(ModelError::all_failed(std::mem::take(errors)));
        }
        tracing::warn!(model = model.id(), kind, "a model failed, and the next one is asked");
        Ok(())
    }
}

#[async_trait]
impl<M: ChatModel> ChatModel for Chain<M> {
    fn info(&self) -> &ModelInfo {
        self.first.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let mut errors = Errors::new();
        for model in self.models() {
            match model.complete(request).await {
                Ok(mut response) => {
                    if !errors.is_empty() {
                        response.metadata.insert(FIELD.into(), errors.len().into());
                    }
                    return Ok(response);
                }
                Err(error) => self.note(&mut errors, model.info(), error, request.deadline)?,
            }
        }
        Err(ModelError::all_failed(errors))
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        let begun = async move {
            let mut errors = Errors::new();
            for model in self.models() {
                match watch::begun(&model.info().name, model.stream(request.clone())).await {
                    Ok(events) if errors.is_empty() => return Ok(events),
                    Ok(events) => return Ok(watch::marked(events, FIELD, errors.len().into())),
                    Err(error) => self.note(&mut errors, model.info(), error, request.deadline)?,
                }
            }
            Err(ModelError::all_failed(errors))
        };
        stream::once(begun).try_flatten().boxed()
    }
}
