//! Embeddings: texts as vectors.
