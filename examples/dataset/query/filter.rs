//! Conditions on fields: `{"field": value | [values] | {"gte": …, "lt": …} | null}`, all of which must hold.

use std::collections::BTreeSet;

use rusqlite::types::Value as Bound;
use serde_json::{Number, Value};

use super::super::data::{Dataset, Object};
use super::super::error::QueryError;
use super::super::field::{Field, FieldKind};
use super::super::load::number;
use super::super::store::{Sql, joined};
use super::super::time;
use super::arguments::kind;
use super::selection::Selection;

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
    Number(Comparison, Number),
    /// Half-open interval in time, in the texts that sort by it.
    Time(Comparison, String, String),
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

    /// Returns the records that match.
    pub(super) fn selection(&self, dataset: &Dataset) -> Selection {
        let mut tables = BTreeSet::new();
        let mut conditions = Vec::new();
        for (name, condition) in &self.conditions {
            let Some(field) = dataset.field(name) else { continue };
            tables.insert(field.place.table);
            conditions.push(condition.sql(field));
        }
        Selection { condition: joined(conditions, "AND"), tables }
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
        FieldKind::Integer | FieldKind::Number => number(text.trim()).map(|number| Test::Number(comparison, number)),
        FieldKind::Date => {
            time::span(&text).map(|(from, to)| Test::Time(comparison, time::day_text(from), time::day_text(to)))
        }
        FieldKind::Boolean => text.to_lowercase().parse().ok().map(Test::Truth),
        FieldKind::Text => Some(Test::Text(text.clone())),
    };
    test.ok_or_else(|| {
        QueryError::argument(ARGUMENT, format!("`{}` is a {} field; {text:?} is none", field.name, field.kind.name()))
    })
}

impl Condition {
    /// Returns the condition on a record.
    fn sql(&self, field: &Field) -> Sql {
        let many = field.place.many;
        let value = if many { "value".to_owned() } else { field.column() };
        let (holds, or_empty) = match self {
            Self::All(tests) => (joined(tests.iter().map(|test| test.sql(&value)).collect(), "AND"), false),
            Self::Any(tests) => (any(tests, &value), tests.iter().any(|test| matches!(test, Test::Empty))),
        };

        let (list, record) = (field.list(), "record = t0.record");
        let holds = if many {
            Sql::new(format!("EXISTS (SELECT 1 FROM {list} WHERE {record} AND ")).sql(holds).text(")")
        } else {
            holds
        };
        let empty = match (or_empty, many) {
            (false, _) => return holds,
            (true, true) => Sql::new(format!("NOT EXISTS (SELECT 1 FROM {list} WHERE {record})")),
            (true, false) => Sql::new(format!("{value} IS NULL")),
        };
        joined(vec![holds, empty], "OR")
    }
}

/// Returns the condition that a value passes one of the tests; those for equality are one list.
fn any(tests: &[Test], value: &str) -> Sql {
    let mut equal = Vec::new();
    let mut others = Vec::new();
    for test in tests {
        match test {
            Test::Empty => {}
            Test::Text(text) => equal.push(Bound::Text(text.clone())),
            Test::Truth(truth) => equal.push(Bound::from(*truth)),
            Test::Number(Comparison::Equal, number) => equal.push(bound(number)),
            test => others.push(test.sql(value)),
        }
    }
    if !equal.is_empty() {
        others.push(Sql::new(format!("{value} IN ")).list(equal));
    }
    joined(others, "OR")
}

impl Test {
    /// Returns the condition on one value.
    fn sql(&self, value: &str) -> Sql {
        let compare = |sign: &str, bound: Bound| Sql::new(format!("{value} {sign} ")).value(bound);
        match self {
            Self::Empty => Sql::new("0"),
            Self::Text(text) => compare("=", text.clone().into()),
            Self::Truth(truth) => compare("=", (*truth).into()),
            Self::Number(comparison, number) => compare(comparison.sign(), bound(number)),
            // A time inside the interval equals the date that the interval stands for.
            Self::Time(comparison, from, to) => match comparison {
                Comparison::Equal => {
                    joined(vec![compare(">=", from.clone().into()), compare("<", to.clone().into())], "AND")
                }
                Comparison::AtLeast => compare(">=", from.clone().into()),
                Comparison::Above => compare(">=", to.clone().into()),
                Comparison::AtMost => compare("<", to.clone().into()),
                Comparison::Below => compare("<", from.clone().into()),
            },
        }
    }
}

fn bound(number: &Number) -> Bound {
    match number.as_i64() {
        Some(whole) => Bound::Integer(whole),
        None => Bound::Real(number.as_f64().unwrap_or_default()),
    }
}

impl Comparison {
    fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::AtLeast => ">=",
            Self::Above => ">",
            Self::AtMost => "<=",
            Self::Below => "<",
        }
    }
}
