//! Conditions on fields, all of which must hold: `{"field": value | [values] | null | {"gte": …, "lt": …, "not": value or list,
//! "contains": text, "lacks": text, "missing": true or false, "month": 1 to 12 or a list}}`.

use std::collections::BTreeSet;

use rusqlite::types::Value as Bound;
use serde_json::{Number, Value};

use super::super::data::{Dataset, Object};
use super::super::error::QueryError;
use super::super::field::{Field, FieldKind};
use super::super::load::number;
use super::super::store::{Sql, joined};
use super::super::{time, words};
use super::arguments::kind;
use super::selection::Selection;

/// Name of the argument, for errors.
const ARGUMENT: &str = "filters";
/// Values that the conditions of one call may name.
const VALUES: usize = 1_000;
/// Notes that an answer says.
const NOTES: usize = 20;
/// What an object of a field may hold.
const OPERATORS: [&str; 9] = ["gte", "gt", "lte", "lt", "not", "contains", "lacks", "missing", "month"];

/// Compiled conditions, all of which must hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Filters {
    conditions: Vec<(String, Condition)>,
}

#[derive(Clone, Debug)]
enum Condition {
    /// One of the record's values is one of these; null stands for an empty cell.
    Any(Vec<Test>),
    /// All of these hold.
    All {
        /// One of the record's values passes all of these; nothing is asked when there is none.
        tests: Vec<Test>,
        /// The record has a value, and none of its values passes one of these.
        not: Option<Vec<Test>>,
        /// The record has no value, or has one.
        missing: Option<bool>,
    },
}

#[derive(Clone, Debug)]
enum Test {
    Empty,
    Text(String),
    Truth(bool),
    Number(Comparison, Number),
    /// The text has these folded words in this order.
    Says(String),
    /// The date is in one of these months.
    Month(Vec<i64>),
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
            count += values(&value);
            if count > VALUES {
                return Err(QueryError::argument(ARGUMENT, format!("may name at most {VALUES} values")));
            }
            let field = dataset.require(&name, ARGUMENT)?;
            conditions.push((field.name.clone(), condition(&field, &value)?));
        }
        Ok(Self { conditions })
    }

    /// Returns the records that match.
    pub(super) fn selection(&self, dataset: &Dataset) -> Selection {
        let mut tables = BTreeSet::new();
        let mut conditions = Vec::new();
        for (name, condition) in &self.conditions {
            let Some(field) = dataset.field(name) else { continue };
            tables.extend(field.tables());
            conditions.push(condition.sql(&field));
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
        Value::Object(object) => conditions(field, object),
        scalar => Ok(Condition::Any(vec![equal(field, scalar)?])),
    }
}

/// Counts the values that a condition names.
fn values(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.len(),
        Value::Object(members) => {
            members.values().map(|value| value.as_array().map_or(1, Vec::len)).fold(0, usize::saturating_add)
        }
        _ => 1,
    }
}

fn refuse(field: &Field, reason: &str) -> QueryError {
    QueryError::argument(ARGUMENT, format!("`{}`: {reason}", field.name))
}

fn conditions(field: &Field, object: &Object) -> Result<Condition, QueryError> {
    if object.is_empty() {
        return Err(refuse(field, &format!("the range is empty; it takes {}", OPERATORS.join(", "))));
    }
    let (mut tests, mut not, mut missing) = (Vec::new(), None, None);
    for (operator, value) in object {
        let comparison = match operator.as_str() {
            "gte" => Comparison::AtLeast,
            "gt" => Comparison::Above,
            "lte" => Comparison::AtMost,
            "lt" => Comparison::Below,
            "not" => {
                not.get_or_insert_with(Vec::new).extend(excluded(field, value)?);
                continue;
            }
            "lacks" => {
                not.get_or_insert_with(Vec::new).push(says(field, operator, value)?);
                continue;
            }
            "contains" => {
                tests.push(says(field, operator, value)?);
                continue;
            }
            "missing" => {
                missing = Some(truth(field, value)?);
                continue;
            }
            "month" => {
                tests.push(months(field, value)?);
                continue;
            }
            _ => {
                let reason = format!("`{operator}` is no comparison; there are {}", OPERATORS.join(", "));
                return Err(refuse(field, &reason));
            }
        };
        if !field.kind.is_number() && field.kind != FieldKind::Date {
            let reason = format!("a range needs numbers or dates, and this field is {}", field.kind.name());
            return Err(refuse(field, &reason));
        }
        tests.push(scalar(field, comparison, value)?);
    }
    Ok(Condition::All { tests, not, missing })
}

/// What no value of the record may be.
fn excluded(field: &Field, value: &Value) -> Result<Vec<Test>, QueryError> {
    match value {
        Value::Array(values) if values.is_empty() => Err(refuse(field, "the list of values of `not` is empty")),
        Value::Array(values) => values.iter().map(|value| equal(field, value)).collect(),
        scalar => Ok(vec![equal(field, scalar)?]),
    }
}

fn says(field: &Field, operator: &str, value: &Value) -> Result<Test, QueryError> {
    if field.kind != FieldKind::Text {
        return Err(refuse(
            field,
            &format!("`{operator}` needs a text field, and this field is {}", field.kind.name()),
        ));
    }
    match value.as_str().map(words::folded) {
        Some(words) if !words.is_empty() => Ok(Test::Says(words)),
        _ => Err(refuse(field, &format!("`{operator}` needs a text with at least one word"))),
    }
}

fn truth(field: &Field, value: &Value) -> Result<bool, QueryError> {
    match value {
        Value::Bool(truth) => Ok(*truth),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(refuse(field, "`missing` must be true or false")),
    }
}

fn months(field: &Field, value: &Value) -> Result<Test, QueryError> {
    if field.kind != FieldKind::Date {
        return Err(refuse(field, &format!("`month` needs a date field, and this field is {}", field.kind.name())));
    }
    let listed = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
    let month = |value: &Value| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        text.trim().parse::<f64>().ok().filter(|month| month.fract() == 0.0 && (1.0..=12.0).contains(month))
    };
    let months: Option<Vec<i64>> = listed.iter().map(|value| month(value).map(|month| month as i64)).collect();
    match months {
        Some(months) if !months.is_empty() => Ok(Test::Month(months)),
        _ => Err(refuse(field, "`month` must be a number from 1 to 12, or a list of them")),
    }
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
        let value = if field.place.many { "value".to_owned() } else { field.column() };
        match self {
            Self::Any(tests) => {
                let holds = some_value(field, any(tests, &value));
                let or_empty = tests.iter().any(|test| matches!(test, Test::Empty));
                if or_empty { joined(vec![holds, empty(field)], "OR") } else { holds }
            }
            Self::All { tests, not, missing } => {
                let mut all = Vec::new();
                if !tests.is_empty() {
                    let tests = tests.iter().map(|test| test.sql(&value)).collect();
                    all.push(some_value(field, joined(tests, "AND")));
                }
                if let Some(not) = not {
                    all.push(negated(empty(field)));
                    all.push(negated(some_value(field, any(not, &value))));
                }
                match missing {
                    Some(true) => all.push(empty(field)),
                    Some(false) => all.push(negated(empty(field))),
                    None => {}
                }
                joined(all, "AND")
            }
        }
    }
}

/// Returns the condition that the value of a record, or one of its values, passes a test. Never unknown, so that it can be negated.
fn some_value(field: &Field, test: Sql) -> Sql {
    if field.place.many {
        let list = field.list();
        Sql::new(format!("EXISTS (SELECT 1 FROM {list} WHERE record = t0.record AND ")).sql(test).text(")")
    } else {
        Sql::new("coalesce(").sql(test).text(", 0)")
    }
}

/// Returns the condition that a record has no value.
fn empty(field: &Field) -> Sql {
    if field.place.many {
        Sql::new(format!("NOT EXISTS (SELECT 1 FROM {} WHERE record = t0.record)", field.list()))
    } else {
        // A cell that is no number, among numbers, is shown as it is written, and is not empty.
        Sql::new(format!("{} IS NULL", field.shown()))
    }
}

fn negated(condition: Sql) -> Sql {
    Sql::new("NOT (").sql(condition).text(")")
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
            Self::Says(words) => Sql::new(format!("says({value}, ")).value(words.clone()).text(")"),
            Self::Month(months) => Sql::new(format!("CAST(substr({value}, 6, 2) AS INTEGER) IN "))
                .list(months.iter().map(|month| Bound::Integer(*month))),
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
