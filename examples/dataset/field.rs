//! A column: its type, inferred from its cells, and a summary of what it holds.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use jiff::civil::DateTime;
use serde_json::{Number, Value};

use super::time;

/// Most distinct texts of a column whose values the tool's schema lists.
pub(super) const LISTED: usize = 50;
/// Longest text in bytes that counts as one of a few values; a column with a longer one holds prose, which no schema should list.
const LONGEST: usize = 100;

/// Type of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldKind {
    /// Whole numbers.
    Integer,
    /// Numbers.
    Number,
    /// True and false.
    Boolean,
    /// Dates, with or without a time.
    Date,
    /// Anything else, also numbers with leading zeros.
    #[default]
    Text,
}

impl FieldKind {
    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "whole number",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Text => "text",
        }
    }

    pub(super) fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Number)
    }
}

/// A column.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// Name, unique in the data set.
    pub name: String,
    /// Type.
    pub kind: FieldKind,
    /// One value a record: null when empty, a list when the record has several.
    pub cells: Vec<Value>,
    /// Of a date column the times of the cells; empty for other types.
    pub(super) times: Vec<Option<DateTime>>,
    /// The distinct texts in order, when they are few; empty otherwise.
    pub values: Vec<String>,
    /// Smallest and largest number, or first and last date.
    pub range: Option<(Value, Value)>,
}

impl Field {
    /// A column of typed cells, as JSON has them.
    pub(super) fn typed(name: String, cells: Vec<Value>) -> Self {
        let kind = kind_of(&cells);
        let cells = match kind {
            // What is mixed is compared as text.
            FieldKind::Text => cells.into_iter().map(as_text).collect(),
            FieldKind::Number => cells.into_iter().map(plain_number).collect(),
            _ => cells,
        };
        Self { name, kind, cells, ..Self::default() }.summarised()
    }

    /// A column of texts, as CSV has them. `None` is an empty cell.
    pub(super) fn untyped(name: String, texts: Vec<Option<String>>) -> Self {
        let all = |test: fn(&str) -> bool| {
            texts.iter().any(Option::is_some) && texts.iter().flatten().all(|text| test(text.trim()))
        };
        let kind = if all(|text| integer(text).is_some()) {
            FieldKind::Integer
        } else if all(|text| number(text).is_some()) {
            FieldKind::Number
        } else if all(|text| boolean(text).is_some()) {
            FieldKind::Boolean
        } else if all(|text| time::parse(text).is_some()) {
            FieldKind::Date
        } else {
            FieldKind::Text
        };
        let cell = |text: Option<String>| {
            let Some(text) = text else { return Value::Null };
            match kind {
                FieldKind::Integer | FieldKind::Number => number(text.trim()).map_or(Value::Null, Value::Number),
                FieldKind::Boolean => boolean(text.trim()).map_or(Value::Null, Value::Bool),
                FieldKind::Date | FieldKind::Text => Value::String(text),
            }
        };
        let cells = texts.into_iter().map(cell).collect();
        Self { name, kind, cells, ..Self::default() }.summarised()
    }

    /// The values of one record: none when empty, several when it holds a list.
    pub(super) fn values_at(&self, record: usize) -> &[Value] {
        match self.cells.get(record) {
            None | Some(Value::Null) => &[],
            Some(Value::Array(values)) => values,
            Some(value) => std::slice::from_ref(value),
        }
    }

    fn summarised(mut self) -> Self {
        match self.kind {
            FieldKind::Date => {
                self.times = self.cells.iter().map(|cell| cell.as_str().and_then(time::parse)).collect();
                let times = || self.times.iter().flatten();
                self.range = times()
                    .min()
                    .zip(times().max())
                    .map(|(first, last)| (Value::String(time::day_text(*first)), Value::String(time::day_text(*last))));
            }
            FieldKind::Integer | FieldKind::Number => {
                let numbers = || (0..self.cells.len()).flat_map(|record| self.values_at(record));
                let size = |a: &&Value, b: &&Value| by_size(a, b);
                self.range = numbers().min_by(size).cloned().zip(numbers().max_by(size).cloned());
            }
            FieldKind::Text => {
                let mut values = BTreeSet::new();
                for text in (0..self.cells.len()).flat_map(|record| self.values_at(record)).filter_map(Value::as_str) {
                    values.insert(text);
                    if values.len() > LISTED || text.len() > LONGEST {
                        values.clear();
                        break;
                    }
                }
                self.values = values.into_iter().map(str::to_owned).collect();
            }
            FieldKind::Boolean => {}
        }
        self
    }
}

/// A number as a double; zero for what is none, which typed columns do not hold.
pub(super) fn as_f64(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}

/// Compares numbers; whole ones exactly, which doubles do not above 2^53.
pub(super) fn by_size(a: &Value, b: &Value) -> Ordering {
    let whole = |value: &Value| value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => as_f64(a).total_cmp(&as_f64(b)),
    }
}

/// `2.0` as `2`, so that both are one group.
fn plain_number(value: Value) -> Value {
    match value {
        Value::Array(values) => Value::Array(values.into_iter().map(plain_number).collect()),
        Value::Number(given) => Value::Number(number(&given.to_string()).unwrap_or(given)),
        other => other,
    }
}

fn as_text(value: Value) -> Value {
    match value {
        Value::Null | Value::String(_) => value,
        Value::Array(values) => Value::Array(values.into_iter().map(as_text).collect()),
        other => Value::String(other.to_string()),
    }
}

fn kind_of(cells: &[Value]) -> FieldKind {
    let scalars = || {
        cells.iter().flat_map(|cell| match cell {
            Value::Null => &[],
            Value::Array(values) => values.as_slice(),
            scalar => std::slice::from_ref(scalar),
        })
    };
    if scalars().next().is_none() {
        FieldKind::Text
    } else if scalars().all(|value| value.is_i64() || value.is_u64()) {
        FieldKind::Integer
    } else if scalars().all(Value::is_number) {
        FieldKind::Number
    } else if scalars().all(Value::is_boolean) {
        FieldKind::Boolean
    } else if cells.iter().all(|cell| cell.is_null() || cell.as_str().is_some_and(|text| time::parse(text).is_some())) {
        FieldKind::Date
    } else {
        FieldKind::Text
    }
}

fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// A whole number without leading zeros, which would be a code such as a postcode.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits == "0" || (!digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()));
    (plain && !digits.is_empty()).then(|| text.parse().ok()).flatten()
}

/// A number in the usual notation; a whole one stays whole.
pub(super) fn number(text: &str) -> Option<Number> {
    if let Some(whole) = integer(text) {
        return Some(whole.into());
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once(['.', 'e', 'E'])?;
    let code = whole.len() > 1 && whole.starts_with('0');
    let starts = |part: &str| part.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    if code
        || !(starts(whole) || (whole.is_empty() && starts(fraction)))
        || !digits.ends_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    // Whole values below 2^53 are exact, and `2.0` and `2` of one column are the same group.
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        return Some((value as i64).into());
    }
    Number::from_f64(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn column(texts: &[&str]) -> Field {
        let cell = |text: &&str| (!text.is_empty()).then(|| (*text).to_owned());
        Field::untyped("f".into(), texts.iter().map(cell).collect())
    }

    #[test]
    fn types_are_inferred_from_every_cell() {
        for (texts, kind) in [
            (vec!["1", "", "-20", "0"], FieldKind::Integer),
            (vec!["1", "2.5", "-.5", "1e3"], FieldKind::Number),
            (vec!["007", "010"], FieldKind::Text),
            (vec!["1", "007"], FieldKind::Text),
            (vec!["1", "n/a"], FieldKind::Text),
            (vec!["1.", "2"], FieldKind::Text),
            (vec!["nan", "inf"], FieldKind::Text),
            (vec!["1.2.3"], FieldKind::Text),
            (vec!["99999999999999999999"], FieldKind::Text),
            (vec!["true", "FALSE", ""], FieldKind::Boolean),
            (vec!["2024-01-02", "", "1999-12-31"], FieldKind::Date),
            (vec!["2024-01-02", "soon"], FieldKind::Text),
            (vec!["", ""], FieldKind::Text),
        ] {
            assert_eq!(column(&texts).kind, kind, "{texts:?}");
        }
    }

    #[test]
    fn summaries_hold_ranges_and_values() {
        assert_eq!(column(&["3", "", "-1"]).range, Some((json!(-1), json!(3))));
        assert_eq!(column(&["2024-01-02", "1999-12-31"]).range, Some((json!("1999-12-31"), json!("2024-01-02"))));
        assert_eq!(column(&["b", "a", "b"]).values, ["a", "b"]);
        let many: Vec<String> = (0..60).map(|n| format!("v{n}")).collect();
        assert!(column(&many.iter().map(String::as_str).collect::<Vec<_>>()).values.is_empty());
    }

    #[test]
    fn mixed_json_is_text_and_lists_are_kept() {
        let field = Field::typed("f".into(), vec![json!(1), json!("x"), Value::Null]);
        assert_eq!((field.kind, field.cells), (FieldKind::Text, vec![json!("1"), json!("x"), Value::Null]));
        let field = Field::typed("f".into(), vec![json!([1, 2]), json!(3)]);
        assert_eq!(field.kind, FieldKind::Integer);
        assert_eq!(field.values_at(0), [json!(1), json!(2)]);
    }
}
