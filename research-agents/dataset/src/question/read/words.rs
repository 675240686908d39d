//! Words of questions and of data: the vocabulary, concepts, units, and the words of one question.

pub(crate) mod concepts;
pub(crate) mod tokens;
pub(crate) mod units;
pub(crate) mod vocabulary;
