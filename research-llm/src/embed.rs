//! Embeddings: texts as vectors whose nearness is nearness of meaning.
//!
//! [`Embedder`] is the port, to be shared as `Arc<dyn Embedder>`; [`Embeddings`] is what it returns, with exact search
//! in it. `OpenAiEmbedder` (feature `openai`) asks a server, and `LocalEmbedder` (feature `local-embeddings`) computes
//! on this machine without a network.

mod embedder;
#[cfg(feature = "local-embeddings")]
mod local;
mod math;
#[cfg(feature = "openai")]
mod openai;
mod vectors;

pub use embedder::{Embedder, EmbedderInfo, InputKind};
#[cfg(feature = "local-embeddings")]
pub use local::LocalEmbedder;
pub use math::{DimensionMismatch, cosine, dot, normalize};
#[cfg(feature = "openai")]
pub use openai::{Encoding, OpenAiEmbedder, OpenAiEmbedderBuilder};
pub use vectors::{Embeddings, Match};
