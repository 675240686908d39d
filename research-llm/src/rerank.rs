//! Reranking: passages in the order of how well they answer a question.

mod embedding;
mod reranker;
#[cfg(feature = "http")]
mod server;

pub use embedding::EmbeddingReranker;
pub use reranker::{Ranking, Reranker};
#[cfg(feature = "http")]
pub use server::{ServerReranker, ServerRerankerBuilder};
