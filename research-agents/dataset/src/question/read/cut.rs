//! Cuts a question into items: names of fields, values, numbers, times and words of the vocabulary.

pub(crate) mod clipped;
pub(crate) mod cutter;
pub(crate) mod field;
pub(crate) mod figures;
pub(crate) mod items;
pub(crate) mod moments;
pub(crate) mod names;
pub(crate) mod naming;
pub(crate) mod schema;
pub(crate) mod shared;
pub(crate) mod spelling;
