//! Keys of buckets.

use rusqlite::types::{Value as Cell, ValueRef};
use serde_json::Value;

use super::super::field::Field;
use super::super::store::cell_value;

/// Returns the key of a bucket: the value of the one field, or the list of the values of several.
pub(super) fn key(fields: &[&Field], cells: &[Cell]) -> Value {
    let mut values = fields.iter().zip(cells).map(|(field, cell)| cell_value(field.kind, ValueRef::from(cell)));
    match fields {
        [_] => values.next().unwrap_or_default(),
        _ => Value::Array(values.collect()),
    }
}

/// Returns a cell that counts.
pub(super) fn count(cell: Option<&Cell>) -> u64 {
    match cell {
        Some(Cell::Integer(count)) => count.unsigned_abs(),
        _ => 0,
    }
}
