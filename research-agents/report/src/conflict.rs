//! Contradictions between texts: pairs of statements that cannot both be true, found by rules.

pub(crate) mod lexicon;
pub(crate) mod frames;
pub(crate) mod numbered;
pub(crate) mod passages;
pub(crate) mod quantity;
pub(crate) mod scan;
pub(crate) mod statement;
pub(crate) mod texts;

pub use passages::{
    Comparable, Conflict, ConflictKind, Side, between_passages, between_statements,
};
pub use statement::names;
pub use texts::{Sentence, between_texts};
