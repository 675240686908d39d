//! Nested objects: flattened for querying, their fields numbered, their texts cut.

use std::collections::HashMap;

use serde_json::Value;

use super::super::data::Object;
use super::row::{Cell, Cells, cut};

/// Numbers the fields in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    known: HashMap<String, usize>,
    /// The names by number.
    pub(super) names: Vec<String>,
}

impl Numbering {
    /// Returns the cells of a flat record with the numbers of their fields.
    pub(super) fn cells<'a>(&mut self, flat: &'a Object) -> Vec<(usize, Cells<'a>)> {
        let mut cells = Vec::with_capacity(flat.len());
        for (name, value) in flat {
            let at = match self.known.get(name) {
                Some(at) => *at,
                None => {
                    self.known.insert(name.clone(), self.names.len());
                    self.names.push(name.clone());
                    self.names.len() - 1
                }
            };
            match value {
                Value::Null => {}
                Value::Array(items) => cells.push((at, Cells::Many(items.iter().filter_map(cell).collect()))),
                scalar => cells.extend(cell(scalar).map(|cell| (at, Cells::One(cell)))),
            }
        }
        cells
    }
}

fn cell(value: &Value) -> Option<Cell<'_>> {
    match value {
        Value::Bool(truth) => Some(Cell::Boolean(*truth)),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Some(Cell::Integer(whole)),
            None => number.as_f64().map(Cell::Real),
        },
        Value::String(text) => Some(Cell::Text(text)),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Cuts long texts, also nested ones.
pub(super) fn shorten(value: &mut Value, count: &mut u64) {
    match value {
        Value::String(text) => {
            let kept = cut(text, count).len();
            text.truncate(kept);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, count)),
        Value::Object(members) => members.values_mut().for_each(|member| shorten(member, count)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The fields of a record with dotted names for nested ones. A list of objects gives a list for each of their fields.
pub(super) fn flatten(record: &Object) -> Object {
    let mut flat = Object::new();
    for (name, value) in record {
        flatten_into(&mut flat, name.clone(), value, false);
    }
    flat
}

fn flatten_into(flat: &mut Object, name: String, value: &Value, many: bool) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                flatten_into(flat, format!("{name}.{key}"), value, many);
            }
        }
        Value::Array(items) => {
            for item in items {
                flatten_into(flat, name.clone(), item, true);
            }
        }
        Value::Null if many => {}
        Value::String(text) if text.trim().is_empty() => {
            if !many {
                flat.insert(name, Value::Null);
            }
        }
        scalar if many => match flat.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
            Value::Array(items) => items.push(scalar.clone()),
            other => *other = scalar.clone(),
        },
        scalar => {
            flat.insert(name, scalar.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_objects_become_dotted_fields() {
        let record =
            json!({"a": {"b": {"c": 1}, "d": null}, "tags": ["x", "y"], "authors": [{"name": "Ada"}, {"name": "Bob"}]});
        let flat = flatten(record.as_object().unwrap());
        assert_eq!(
            Value::Object(flat),
            json!({"a.b.c": 1, "a.d": null, "tags": ["x", "y"], "authors.name": ["Ada", "Bob"]})
        );
    }
}
