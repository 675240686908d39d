//! Reranking: passages in the order of how well they answer a question.

#[cfg(feature = "http")]
mod server;

use std::sync::Arc;

use async_trait::async_trait;

use crate::embed::{Embedder, InputKind, Match};
use crate::error::ModelError;
use crate::response::Usage;

#[cfg(feature = "http")]
pub use server::{ServerReranker, ServerRerankerBuilder};

/// Passages in their new order.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Ranking {
    /// The passages, best first; of equal ones the earlier first. Scores of different rerankers cannot be compared.
    pub matches: Vec<Match>,
    /// What the call used.
    pub usage: Usage,
}

impl Ranking {
    /// A ranking of these passages, which are brought into order.
    #[must_use]
    pub fn new(mut matches: Vec<Match>) -> Self {
        matches.sort_unstable_by(Match::best_first);
        Self { matches, usage: Usage::default() }
    }

    /// Sets what the call used.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }
}

/// Orders passages by how well they answer a question. A call is cancelled by dropping its future.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a reranker",
    note = "implement `Reranker` with `#[async_trait]`, or pass an `Arc<dyn Reranker>`"
)]
#[async_trait]
pub trait Reranker: Send + Sync {
    /// The name of the model that judges, in the form `provider:model`.
    fn id(&self) -> String;

    /// The best `k` of the passages, each at most once.
    ///
    /// # Errors
    /// [`ModelError::InvalidResponse`] if the answer speaks of passages that were not sent, and whatever the provider says.
    async fn rerank(&self, query: &str, passages: &[String], k: usize) -> Result<Ranking, ModelError>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<R: Reranker + ?Sized> Reranker for $pointer {
            fn id(&self) -> String {
                (**self).id()
            }

            async fn rerank(&self, query: &str, passages: &[String], k: usize) -> Result<Ranking, ModelError> {
                (**self).rerank(query, passages, k).await
            }
        }
    )*};
}

forward!(Arc<R>, Box<R>, &R);

/// Ranks by the cosine of embeddings. It is as good as its embedder, and sees question and passage only apart; a model
/// that reads both together judges better.
///
/// ```
/// # #[cfg(feature = "local-embeddings")] {
/// use research_llm::embed::LocalEmbedder;
/// use research_llm::Reranker;
/// use research_llm::rerank::EmbeddingReranker;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let reranker = EmbeddingReranker::new(LocalEmbedder::new());
/// let passages = ["The cat sleeps on the sofa.", "Interest rates rose by a quarter point."].map(str::to_owned);
/// let ranking = reranker.rerank("What did the central bank do?", &passages, 1).await?;
/// assert_eq!(ranking.matches[0].index, 1);
/// # Ok::<(), research_llm::ModelError>(()) }).unwrap(); }
/// ```
#[derive(Clone, Debug)]
pub struct EmbeddingReranker<E> {
    embedder: E,
}

impl<E: Embedder> EmbeddingReranker<E> {
    /// Ranks with this embedder.
    pub fn new(embedder: E) -> Self {
        Self { embedder }
    }
}

#[async_trait]
impl<E: Embedder> Reranker for EmbeddingReranker<E> {
    fn id(&self) -> String {
        self.embedder.info().id()
    }

    async fn rerank(&self, query: &str, passages: &[String], k: usize) -> Result<Ranking, ModelError> {
        if passages.is_empty() || k == 0 {
            return Ok(Ranking::default());
        }
        let query = self.embedder.embed(&[query.to_owned()], InputKind::Query).await?;
        let vectors = self.embedder.embed(passages, InputKind::Passage).await?;
        let matches = vectors.top_k(query.as_flat(), k)?;
        Ok(Ranking { matches, usage: query.usage() + vectors.usage() })
    }
}
