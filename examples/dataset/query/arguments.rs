//! Reads arguments as callers write them: JSON texts or the values themselves, whole numbers, lists of field names.

use serde_json::Value;

use super::super::data::{Dataset, Object};
use super::super::error::QueryError;

/// Fields of one list of names, and commas in the text that names them.
const FIELDS: usize = 100;

/// Returns an argument that is there and not null.
pub(super) fn given<'a>(arguments: &'a Object, name: &str) -> Option<&'a Value> {
    arguments.get(name).filter(|value| !value.is_null())
}

/// Reads a whole number.
pub(super) fn whole(arguments: &Object, name: &str, least: usize, default: usize) -> Result<usize, QueryError> {
    let Some(value) = given(arguments, name) else { return Ok(default) };
    // Some callers write every number as a floating-point one.
    let number = value.as_u64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0).map(|n| n as u64));
    number
        .and_then(|number| usize::try_from(number).ok())
        .filter(|number| *number >= least)
        .ok_or_else(|| QueryError::argument(name, format!("must be a whole number from {least} on, not {value}")))
}

/// Returns the kind of a JSON value for people.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Reads field names: a list, a JSON list in a string, or names separated by commas. A name may itself hold a comma.
pub(super) fn names(dataset: &Dataset, argument: &str, given: &Value) -> Result<Vec<String>, QueryError> {
    let text_list = |values: &[Value]| -> Option<Vec<String>> {
        values.iter().map(|value| value.as_str().map(str::to_owned)).collect()
    };
    let listed = match given {
        Value::Array(values) => Some(text_list(values)),
        Value::String(text) if text.trim_start().starts_with('[') => match serde_json::from_str(text) {
            Ok(Value::Array(values)) => Some(text_list(&values)),
            _ => None,
        },
        Value::String(_) => None,
        _ => Some(None),
    };
    let names = match (listed, given) {
        (Some(Some(names)), _) => names,
        (None, Value::String(text)) => split(dataset, argument, text)?,
        _ => {
            let reason = "must be field names separated by commas, or a list of them";
            return Err(QueryError::argument(argument, reason));
        }
    };

    if names.len() > FIELDS {
        return Err(QueryError::argument(argument, format!("may name at most {FIELDS} fields")));
    }
    let mut fields = Vec::new();
    for name in names {
        let field = dataset.require(&name, argument)?;
        if !fields.contains(&field.name) {
            fields.push(field.name.clone());
        }
    }
    Ok(fields)
}

/// Splits at commas, joining parts again where a field's name holds a comma.
fn split(dataset: &Dataset, argument: &str, text: &str) -> Result<Vec<String>, QueryError> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > FIELDS {
        return Err(QueryError::argument(argument, format!("may name at most {FIELDS} fields")));
    }
    let mut names = Vec::new();
    let mut from = 0;
    while from < parts.len() {
        let whole = (from + 1..=parts.len()).rev().find(|to| dataset.field(&parts[from..*to].join(",")).is_some());
        match whole {
            Some(to) => {
                names.push(parts[from..to].join(","));
                from = to;
            }
            None if parts[from].trim().is_empty() => from += 1,
            None => {
                dataset.require(parts[from], argument)?;
                from += 1;
            }
        }
    }
    Ok(names)
}

/// Reads an object: itself or its JSON text.
pub(super) fn object(argument: &str, given: &Value) -> Result<Object, QueryError> {
    match parsed(argument, given)? {
        Value::Object(object) => Ok(object),
        other => Err(QueryError::argument(argument, format!("must be a JSON object, not {}", kind(&other)))),
    }
}

/// Reads a list of bounded length: itself, its JSON text, or one object for a list of one.
pub(super) fn list(argument: &str, given: &Value, most: usize) -> Result<Vec<Value>, QueryError> {
    let list = match parsed(argument, given)? {
        Value::Array(list) => list,
        Value::Object(object) => vec![Value::Object(object)],
        other => return Err(QueryError::argument(argument, format!("must be a JSON list, not {}", kind(&other)))),
    };
    if list.len() > most {
        return Err(QueryError::argument(argument, format!("may have at most {most} entries")));
    }
    Ok(list)
}

fn parsed(argument: &str, given: &Value) -> Result<Value, QueryError> {
    match given {
        Value::String(text) => serde_json::from_str(text)
            .map_err(|error| QueryError::argument(argument, format!("is not valid JSON: {error}"))),
        other => Ok(other.clone()),
    }
}

/// Refuses members that an object does not have.
pub(super) fn known_members(argument: &str, object: &Object, known: &[&str]) -> Result<(), QueryError> {
    match object.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => {
            Err(QueryError::argument(argument, format!("has no member `{name}`; it has {}", known.join(", "))))
        }
        None => Ok(()),
    }
}

/// Returns a member that must be a text.
pub(super) fn text_member<'a>(argument: &str, object: &'a Object, name: &str) -> Result<&'a str, QueryError> {
    object
        .get(name)
        .and_then(Value::as_str)
        .ok_or_else(|| QueryError::argument(argument, format!("needs `{name}`, a text")))
}
