//! Ranking by the cosine of embeddings.

use async_trait::async_trait;

use super::reranker::{Ranking, Reranker};
use crate::embed::{Embedder, InputKind};
use crate::error::ModelError;

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
