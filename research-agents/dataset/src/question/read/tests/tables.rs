//! Small tables, and readings of questions about them.

use serde_json::{Value, json};

use crate::question::read::read;
use crate::question::reading::{Lookup, QuestionReading};

pub(crate) fn reading(question: &str, fields: Value, entries: Value) -> QuestionReading {
    let fields: Vec<_> = serde_json::from_value(fields).unwrap();
    let found: Lookup = serde_json::from_value(entries).unwrap();
    read(question, &fields, &found, &[], &[])
}

pub(crate) fn text(name: &str, values: &[&str]) -> Value {
    json!({"name": name, "kind": "text", "values": values, "distinct": values.len()})
}

pub(crate) fn many(name: &str, distinct: u64) -> Value {
    json!({"name": name, "kind": "text", "distinct": distinct})
}

/// Returns a field of whole numbers that every record has.
pub(crate) fn number(name: &str, low: i64, high: i64, distinct: u64) -> Value {
    let range = [low, high];
    json!({"name": name, "kind": "number", "range": range, "distinct": distinct, "missing": 0})
}

/// Returns what is measured, each as the function and the field.
pub(crate) fn measures(read: &QuestionReading) -> Vec<String> {
    let measures = read.measures.iter();
    measures
        .map(|one| format!("{:?} {}", one.function, one.field))
        .collect()
}
