//! Whether a cell fulfils a condition of a filter.

use std::cmp::Ordering;

use serde_json::Value;

use super::search::contains;
use super::time::day;
use super::value::{has, number, shown};

/// Whether a cell is what a filter asks for: a value, one of a list, null for an empty cell, or whatever the operators of an object say.
pub fn holds(cell: &Value, wanted: &Value) -> bool {
    match wanted {
        Value::Array(values) => values.iter().any(|value| has(cell, value)),
        Value::Object(operators) => operators.iter().all(|(operator, bound)| keeps(cell, operator, bound)),
        value => has(cell, value),
    }
}

fn keeps(cell: &Value, operator: &str, bound: &Value) -> bool {
    match (operator, cell) {
        ("missing", cell) => Some(is_empty(cell)) == bound.as_bool(),
        (_, Value::Array(items)) if operator != "not" && operator != "lacks" => {
            items.iter().any(|item| keeps(item, operator, bound))
        }
        (_, cell) if is_empty(cell) => false,
        ("not", cell) => match bound {
            Value::Array(values) => !values.iter().any(|value| has(cell, value)),
            value => !has(cell, value),
        },
        ("contains", cell) => contains(&shown(cell), &shown(bound)),
        ("lacks", cell) => !contains(&shown(cell), &shown(bound)),
        ("month", cell) => is_in_month(cell, bound),
        (_, cell) => is_within(cell, operator, bound),
    }
}

fn is_empty(cell: &Value) -> bool {
    shown(cell).trim().is_empty()
}

/// Whether a day lies in a month of the year, or in one of several.
fn is_in_month(cell: &Value, months: &Value) -> bool {
    let Some(day) = day(&shown(cell)) else { return false };
    let is_it = |month: &Value| number(month) == Some(f64::from(day.month()));
    months.as_array().map_or_else(|| is_it(months), |months| months.iter().any(is_it))
}

fn is_within(cell: &Value, operator: &str, bound: &Value) -> bool {
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

/// Compares a day with a bound in ISO 8601 as far as the bound says: every day of 2024 is equal to `2024`.
fn by_time(cell: &str, bound: &str) -> Ordering {
    let written = if cell.get(4..5) == Some("-") { None } else { day(cell).map(|day| day.to_string()) };
    let cell = written.as_deref().unwrap_or(cell);
    cell.get(..bound.len()).unwrap_or(cell).cmp(bound)
}
