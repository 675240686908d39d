//! Embeddings of OpenAI and of the many servers that speak like it.

mod answer;
mod build;
mod client;

pub use build::OpenAiEmbedderBuilder;
pub use client::{Encoding, OpenAiEmbedder};
