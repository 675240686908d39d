//! The port: what a chat model is.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::error::ModelError;
use crate::request::Request;
use crate::response::Response;
use crate::stream::EventStream;

/// What answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelKind {
    /// A language model: it writes.
    Language,
    /// A program that computes its answers from the material of the request. Reports must say so.
    Extractive,
    /// Prepared answers, for tests and demonstrations.
    Scripted,
}

/// What a model can do through its provider, as far as the wire format goes. The model behind it may do less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Abilities {
    /// Its answers come in pieces as they are made.
    pub streaming: bool,
    /// It can call tools.
    pub tools: bool,
    /// It can call several tools at once.
    pub parallel_tools: bool,
    /// The provider holds the answer to a JSON schema; otherwise the schema goes into the prompt.
    pub schema: bool,
    /// It looks at pictures.
    pub images: bool,
    /// Its reasoning is shown.
    pub reasoning: bool,
    /// Requests say what the provider should cache.
    pub cache_marks: bool,
}

/// What is known about a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelInfo {
    /// Who serves it, such as `openai`.
    pub provider: String,
    /// What the provider calls it.
    pub name: String,
    /// What request and answer together may hold, in tokens; `None` if there is no limit or it is unknown.
    pub context_tokens: Option<u32>,
    /// How much the model can answer at most, in tokens, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// What answers.
    pub kind: ModelKind,
    /// What it can do.
    #[serde(default)]
    pub abilities: Abilities,
}

impl ModelInfo {
    /// A model of a provider.
    pub fn new(provider: impl Into<String>, name: impl Into<String>, kind: ModelKind) -> Self {
        Self {
            provider: provider.into(),
            name: name.into(),
            context_tokens: None,
            max_output_tokens: None,
            kind,
            abilities: Abilities::default(),
        }
    }

    /// Sets how much the model can answer at most, in tokens.
    #[must_use]
    pub fn max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// Sets what the model can do.
    #[must_use]
    pub fn abilities(mut self, abilities: Abilities) -> Self {
        self.abilities = abilities;
        self
    }

    /// Sets what request and answer together may hold, in tokens.
    #[must_use]
    pub fn context_tokens(mut self, tokens: u32) -> Self {
        self.context_tokens = Some(tokens);
        self
    }

    /// Provider and name in the form of a specification, such as `openai:gpt-5`.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}:{}", self.provider, self.name)
    }

    /// Whether a language model writes the answers.
    #[must_use]
    pub fn is_language_model(&self) -> bool {
        self.kind == ModelKind::Language
    }
}

/// A chat model. Share it as `Arc<dyn ChatModel>`.
///
/// A call is cancelled by dropping its future or stream. Wrappers forward both methods, so that a streamed call is
/// never silently turned into a whole one; a model that knows its answer at once uses [`replay_lazily`](crate::replay_lazily).
///
/// ```
/// use std::sync::Arc;
/// use research_llm::{
///     ChatModel, EventStream, ModelError, ModelInfo, ModelKind, Request, Response, async_trait, replay_lazily,
/// };
///
/// /// Says the last message again.
/// struct Echo(ModelInfo);
///
/// #[async_trait]
/// impl ChatModel for Echo {
///     fn info(&self) -> &ModelInfo {
///         &self.0
///     }
///     async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
///         let last = request.messages.last().map(|m| m.text()).unwrap_or_default();
///         Ok(Response::new(&self.0.name, last))
///     }
///     fn stream(&self, request: Request) -> EventStream<'_> {
///         replay_lazily(async move { self.complete(&request).await })
///     }
/// }
///
/// let model: Arc<dyn ChatModel> = Arc::new(Echo(ModelInfo::new("demo", "echo", ModelKind::Scripted)));
/// # futures::executor::block_on(async {
/// assert_eq!(model.complete(&Request::new().user("hello")).await?.text, "hello");
/// # Ok::<(), ModelError>(()) }).unwrap();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a chat model",
    label = "this must implement `ChatModel`",
    note = "implement `ChatModel` with `#[async_trait]`, or pass an `Arc<dyn ChatModel>`"
)]
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// What is known about the model.
    fn info(&self) -> &ModelInfo;

    /// Answers as a whole.
    ///
    /// # Errors
    /// Any [`ModelError`]; its [`kind`](ModelError::kind) says what can be done.
    async fn complete(&self, request: &Request) -> Result<Response, ModelError>;

    /// Answers in pieces. The stream is lazy: nothing is sent before it is polled.
    fn stream(&self, request: Request) -> EventStream<'_>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<M: ChatModel + ?Sized> ChatModel for $pointer {
            fn info(&self) -> &ModelInfo {
                (**self).info()
            }

            async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
                (**self).complete(request).await
            }

            fn stream(&self, request: Request) -> EventStream<'_> {
                (**self).stream(request)
            }
        }
    )*};
}

forward!(Arc<M>, Box<M>, &M);
