//! What an embedder is: the trait, what is known about it, and what a text is embedded for.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::vectors::Embeddings;
use crate::error::ModelError;

/// What a text is for. Models that were trained on questions and passages embed the two differently; others ignore it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InputKind {
    /// It is searched with.
    Query,
    /// It is searched in.
    #[default]
    Passage,
}

/// What is known about an embedder.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EmbedderInfo {
    /// Who computes, such as `openai` or `local`.
    pub provider: String,
    /// The model, as the provider names it. Vectors of different models cannot be compared, even of the same length.
    pub name: String,
    /// Length of the vectors, when known before the first call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
    /// Tokens of a text that count, when known; what is longer is cut or refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_input_tokens: Option<u32>,
}

impl EmbedderInfo {
    /// A model of a provider.
    pub fn new(provider: impl Into<String>, name: impl Into<String>) -> Self {
        Self { provider: provider.into(), name: name.into(), dimensions: None, max_input_tokens: None }
    }

    /// Sets the length of the vectors.
    #[must_use]
    pub fn dimensions(mut self, dimensions: usize) -> Self {
        self.dimensions = Some(dimensions);
        self
    }

    /// Sets how many tokens of a text count.
    #[must_use]
    pub fn max_input_tokens(mut self, tokens: u32) -> Self {
        self.max_input_tokens = Some(tokens);
        self
    }

    /// Provider and model, such as `openai:text-embedding-3-small`: the name of the space that the vectors are of, to
    /// be kept beside stored vectors.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}:{}", self.provider, self.name)
    }
}

/// Turns texts into vectors. A call is cancelled by dropping its future.
///
/// ```
/// use research_llm::embed::{Embedder, EmbedderInfo, Embeddings, InputKind};
/// use research_llm::{ModelError, async_trait};
///
/// /// Counts the letters of the alphabet.
/// struct Letters(EmbedderInfo);
///
/// #[async_trait]
/// impl Embedder for Letters {
///     fn info(&self) -> &EmbedderInfo {
///         &self.0
///     }
///     async fn embed(&self, texts: &[String], _: InputKind) -> Result<Embeddings, ModelError> {
///         let count = |text: &String, letter: char| text.chars().filter(|&c| c == letter).count() as f32;
///         let row = |text| ('a'..='z').map(|letter| count(text, letter)).collect::<Vec<_>>();
///         Ok(Embeddings::from_rows(&self.0.name, texts.iter().map(row))?)
///     }
/// }
///
/// let letters = Letters(EmbedderInfo::new("demo", "letters").dimensions(26));
/// # futures::executor::block_on(async {
/// let texts = ["night", "banana", "thing"].map(str::to_owned);
/// let vectors = letters.embed(&texts, InputKind::Passage).await?;
/// let query = letters.embed_query("bandana").await?;
/// assert_eq!(vectors.top_k(&query, 1)?[0].index, 1);
/// # Ok::<(), ModelError>(()) }).unwrap();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an embedder",
    note = "implement `Embedder` with `#[async_trait]`, or pass an `Arc<dyn Embedder>`"
)]
#[async_trait]
pub trait Embedder: Send + Sync {
    /// What is known about the embedder.
    fn info(&self) -> &EmbedderInfo;

    /// One vector for each text, in their order.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] naming the text that is empty, [`ModelError::InvalidResponse`] if the answer is not
    /// one vector of one length for each text, and whatever the provider says.
    async fn embed(&self, texts: &[String], kind: InputKind) -> Result<Embeddings, ModelError>;

    /// The vector of a text that is searched with.
    ///
    /// # Errors
    /// As [`embed`](Self::embed).
    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
        let vectors = self.embed(&[text.to_owned()], InputKind::Query).await?;
        vectors.get(0).map(<[f32]>::to_vec).ok_or_else(|| ModelError::invalid_response("no vector for the query", None))
    }
}

/// Refuses texts that no provider embeds, before anything is sent.
#[cfg(any(feature = "openai", feature = "local-embeddings"))]
pub(crate) fn check_texts(texts: &[String]) -> Result<(), ModelError> {
    match texts.iter().position(|text| text.trim().is_empty()) {
        Some(index) => Err(ModelError::invalid_request(format!("text {index} of the texts to embed is empty"), None)),
        None => Ok(()),
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<E: Embedder + ?Sized> Embedder for $pointer {
            fn info(&self) -> &EmbedderInfo {
                (**self).info()
            }

            async fn embed(&self, texts: &[String], kind: InputKind) -> Result<Embeddings, ModelError> {
                (**self).embed(texts, kind).await
            }

            async fn embed_query(&self, text: &str) -> Result<Vec<f32>, ModelError> {
                (**self).embed_query(text).await
            }
        }
    )*};
}

forward!(Arc<E>, Box<E>, &E);
