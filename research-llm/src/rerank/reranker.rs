//! What a reranker is: the trait, and the order that it returns.

use std::sync::Arc;

use async_trait::async_trait;

use crate::embed::Match;
use crate::error::ModelError;
use crate::response::Usage;

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
