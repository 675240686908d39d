//! Interprets a question in terms of a tool's fields: filters, groupings and a course of time.
//!
//! Each word of the question is used at most once. What was derived from which words, and which
//! words fit nothing, is part of the result.

pub(crate) mod dates;
pub(crate) mod field;
pub(crate) mod grouping;
pub(crate) mod interpretation;
pub(crate) mod mention;
pub(crate) mod nouns;
pub(crate) mod numbers;
pub(crate) mod partial;
pub(crate) mod phrase;
pub(crate) mod reader;
pub(crate) mod settle;
pub(crate) mod values;

use crate::data::task::FieldFacts;
pub(crate) use crate::question::interpret::field::{is_identifier, is_prose};
pub(crate) use crate::question::interpret::interpretation::{
    Doubtful, Histogram, Interpretation, categories, date_field, quantities,
};
use crate::question::interpret::reader::Reader;

/// Reads a question against the fields of a tool.
pub(crate) fn interpret(question: &str, fields: &[FieldFacts]) -> Interpretation {
    interpret_with(question, fields, &[])
}

/// Reads a question whose user has said which fields are meant by words that fit several.
pub(crate) fn interpret_with(
    question: &str,
    fields: &[FieldFacts],
    meant: &[String],
) -> Interpretation {
    let mut reader = Reader::new(question, fields).preferring(meant);
    reader.mark_negations();
    reader.read_explicit_pairs();
    reader.read_absences();
    reader.read_groupings();
    reader.read_values();
    reader.read_numbers_and_dates();
    reader.read_partial_values();
    reader.read_booleans();
    reader.read_mentions();
    reader.finish()
}

#[cfg(test)]
mod tests;
