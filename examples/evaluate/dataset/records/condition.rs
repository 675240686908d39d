//! Whether a cell fulfils a condition of a filter.

use std::cmp::Ordering;

use serde_json::Value;

use super::value::{has, number, shown};

/// Whether a cell is what a filter asks for: a value, one of a list, null for an empty cell, or within a range.
pub fn holds(cell: &Value, wanted: &Value) -> bool {
    match wanted {
        Value::Array(values) => values.iter().any(|value| has(cell, value)),
        Value::Object(bounds) => match cell {
            Value::Array(items) => items.iter().any(|item| holds(item, wanted)),
            Value::Null => false,
            cell => bounds.iter().all(|(operator, bound)| keeps(cell, operator, bound)),
        },
        value => has(cell, value),
    }
}

fn keeps(cell: &Value, operator: &str, bound: &Value) -> bool {
    let order = match (number(cell), number(bound)) {
        (Some(cell), Some(bound)) => cell.total_cmp(&bound),
        _ => by_time(&shown(cell), &shown(bound)),
    };
    match operator {
        "gte" => order.is_ge(),
        "gt" => order.is_gt(),
        "lte" => order.is_le(),
        "lt" => order.is_lt(),
        _ => false,
    }
}

/// Compares two dates in ISO 8601 as far as the bound says: every day of 2024 is equal to `2024`.
fn by_time(cell: &str, bound: &str) -> Ordering {
    cell.get(..bound.len()).unwrap_or(cell).cmp(bound)
}
