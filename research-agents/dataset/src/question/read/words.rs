//! Vocabulary, concepts and units, and the tokens of one question.

pub(crate) mod codes;
pub(crate) mod concepts;
pub(crate) mod framing;
pub(crate) mod tokens;
pub(crate) mod units;
pub(crate) mod vocabulary;
