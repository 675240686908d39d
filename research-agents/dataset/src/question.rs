//! Reads a question: what it asks of which fields and tools, and where it is ambiguous.

pub(crate) mod ambiguity;
pub(crate) mod answer;
pub(crate) mod clarify;
pub(crate) mod continuation;
pub(crate) mod doubt;
pub(crate) mod interpret;
pub(crate) mod lexicon;
pub(crate) mod read;
pub mod reading;
pub(crate) mod topics;
