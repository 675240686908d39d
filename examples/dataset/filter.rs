//! Conditions on fields: `{"field": value | [values] | {"gte": …, "lt": …} | null}`, all of which must hold.

use std::cmp::Ordering;

use jiff::civil::DateTime;
use serde_json::Value;

use super::error::QueryError;
use super::field::{Field, FieldKind, by_size, number};
use super::{Dataset, Object, time};

/// Name of the argument, for errors.
const ARGUMENT: &str = "filters";
/// Values that the conditions of one call may name.
const VALUES: usize = 1_000;
/// Notes that an answer says.
const NOTES: usize = 20;
/// The comparisons that a range may hold.
const OPERATORS: [&str; 4] = ["gte", "gt", "lte", "lt"];

/// Compiled conditions, all of which must hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Filters {
    conditions: Vec<(String, Condition)>,
}

#[derive(Clone, Debug)]
enum Condition {
    /// One of the record's values is one of these; null stands for an empty cell.
    Any(Vec<Test>),
    /// One of the record's values passes all of these.
    All(Vec<Test>),
}

#[derive(Clone, Debug)]
enum Test {
    Empty,
    Text(String),
    Truth(bool),
    Number(Comparison, Value),
    /// Half-open interval in time.
    Time(Comparison, DateTime, DateTime),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    AtLeast,
    Above,
    AtMost,
    Below,
}

impl Filters {
    /// Compiles the argument: a JSON text, or the object itself.
    pub(super) fn compile(dataset: &Dataset, argument: Option<&Value>) -> Result<Self, QueryError> {
        let mut conditions = Vec::new();
        let mut count = 0;
        for (name, value) in object(argument)? {
            count += value.as_array().map_or(1, Vec::len);
            if count > VALUES {
                return Err(QueryError::argument(ARGUMENT, format!("may name at most {VALUES} values")));
            }
            let field = dataset.require(&name, ARGUMENT)?;
            conditions.push((field.name.clone(), condition(field, &value)?));
        }
        Ok(Self { conditions })
    }

    /// Whether a record matches.
    pub(super) fn matches(&self, dataset: &Dataset, record: usize) -> bool {
        self.conditions.iter().all(|(name, condition)| {
            dataset.field(name).is_some_and(|field| match condition {
                Condition::Any(tests) => tests.iter().any(|test| test.passes(field, record)),
                Condition::All(tests) => field
                    .values_at(record)
                    .iter()
                    .any(|value| tests.iter().all(|test| test.holds(field, record, value))),
            })
        })
    }

    /// Values asked for that no record has, in words. Only of fields whose values are all known.
    pub(super) fn notes(&self, dataset: &Dataset) -> Vec<String> {
        let mut notes = Vec::new();
        for (name, condition) in &self.conditions {
            let Some(field) = dataset.field(name) else { continue };
            let Condition::Any(tests) = condition else { continue };
            for test in tests {
                let Test::Text(text) = test else { continue };
                if !field.values.is_empty() && !field.values.contains(text) {
                    if notes.len() == NOTES {
                        notes.push("more values are in no record".to_owned());
                        return notes;
                    }
                    notes.push(format!("no record has {name} = {text:?}; its values are: {}", field.values.join(", ")));
                }
            }
        }
        notes
    }
}

fn object(argument: Option<&Value>) -> Result<Object, QueryError> {
    match argument {
        None | Some(Value::Null) => Ok(Object::new()),
        Some(Value::Object(object)) => Ok(object.clone()),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Object::new()),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(other) => {
                Err(QueryError::argument(ARGUMENT, format!("must be a JSON object by field, not {}", kind(&other))))
            }
            Err(error) => Err(QueryError::argument(ARGUMENT, format!("is not valid JSON: {error}"))),
        },
        Some(other) => Err(QueryError::argument(ARGUMENT, format!("must be a JSON text, not {}", kind(other)))),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn condition(field: &Field, value: &Value) -> Result<Condition, QueryError> {
    match value {
        Value::Array(values) if values.is_empty() => {
            Err(QueryError::argument(ARGUMENT, format!("the list of values for `{}` is empty", field.name)))
        }
        Value::Array(values) => {
            Ok(Condition::Any(values.iter().map(|value| equal(field, value)).collect::<Result<_, _>>()?))
        }
        Value::Object(range) => Ok(Condition::All(self::range(field, range)?)),
        scalar => Ok(Condition::Any(vec![equal(field, scalar)?])),
    }
}

fn range(field: &Field, range: &Object) -> Result<Vec<Test>, QueryError> {
    let refuse = |reason: String| QueryError::argument(ARGUMENT, format!("`{}`: {reason}", field.name));
    if range.is_empty() {
        return Err(refuse(format!("the range is empty; it takes {}", OPERATORS.join(", "))));
    }
    if !field.kind.is_number() && field.kind != FieldKind::Date {
        return Err(refuse(format!("a range needs numbers or dates, and this field is {}", field.kind.name())));
    }
    let mut tests = Vec::new();
    for (operator, value) in range {
        let comparison = match operator.as_str() {
            "gte" => Comparison::AtLeast,
            "gt" => Comparison::Above,
            "lte" => Comparison::AtMost,
            "lt" => Comparison::Below,
            _ => return Err(refuse(format!("`{operator}` is no comparison; there are {}", OPERATORS.join(", ")))),
        };
        tests.push(scalar(field, comparison, value)?);
    }
    Ok(tests)
}

fn equal(field: &Field, value: &Value) -> Result<Test, QueryError> {
    if value.is_null() { Ok(Test::Empty) } else { scalar(field, Comparison::Equal, value) }
}

fn scalar(field: &Field, comparison: Comparison, value: &Value) -> Result<Test, QueryError> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        other => {
            let reason = format!("`{}` cannot be compared with {}", field.name, kind(other));
            return Err(QueryError::argument(ARGUMENT, reason));
        }
    };
    let test = match field.kind {
        FieldKind::Integer | FieldKind::Number => {
            number(text.trim()).map(|number| Test::Number(comparison, Value::Number(number)))
        }
        FieldKind::Date => time::span(&text).map(|(from, to)| Test::Time(comparison, from, to)),
        FieldKind::Boolean => text.to_lowercase().parse().ok().map(Test::Truth),
        FieldKind::Text => Some(Test::Text(text.clone())),
    };
    test.ok_or_else(|| {
        QueryError::argument(ARGUMENT, format!("`{}` is a {} field; {text:?} is none", field.name, field.kind.name()))
    })
}

impl Test {
    fn passes(&self, field: &Field, record: usize) -> bool {
        let values = field.values_at(record);
        match self {
            Self::Empty => values.is_empty(),
            test => values.iter().any(|value| test.holds(field, record, value)),
        }
    }

    /// Whether one value of a record passes.
    fn holds(&self, field: &Field, record: usize, value: &Value) -> bool {
        match self {
            Self::Empty => false,
            Self::Text(text) => value.as_str() == Some(text),
            Self::Truth(truth) => value.as_bool() == Some(*truth),
            Self::Number(comparison, number) => comparison.holds(by_size(value, number)),
            Self::Time(comparison, from, to) => field.times.get(record).copied().flatten().is_some_and(|time| {
                // A time inside the interval equals the date that the interval stands for.
                let order = if time < *from {
                    Ordering::Less
                } else if time < *to {
                    Ordering::Equal
                } else {
                    Ordering::Greater
                };
                comparison.holds(order)
            }),
        }
    }
}

impl Comparison {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::AtLeast => order.is_ge(),
            Self::Above => order.is_gt(),
            Self::AtMost => order.is_le(),
            Self::Below => order.is_lt(),
        }
    }
}
