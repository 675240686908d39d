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
