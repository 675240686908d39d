//! Reads JSON: an array of objects, an object that wraps one, or one object a line. Flattens nested objects for querying.

use serde_json::Value;

use super::Object;
use super::error::LoadError;

/// The records of JSON text.
pub(super) fn read(name: &str, text: &str, lines: bool) -> Result<Vec<Object>, LoadError> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(items)) => items.into_iter().enumerate().map(|(at, item)| record(name, item, at)).collect(),
        Ok(Value::Object(object)) if !lines => wrapped(name, object),
        Ok(Value::Object(object)) => Ok(vec![object]),
        Ok(_) => Err(neither(name, "its JSON is neither an array nor an object".to_owned())),
        // A second value after the first is what JSON lines look like to a parser of one value.
        Err(error) if lines || trailing(&error) => read_lines(name, text),
        Err(error) => Err(LoadError::Json { name: name.to_owned(), line: error.line(), reason: error.to_string() }),
    }
}

fn trailing(error: &serde_json::Error) -> bool {
    error.is_syntax() && error.to_string().starts_with("trailing characters")
}

/// One object a line; blank lines and a mark at the beginning of any line, as joined files have it, are passed over.
fn read_lines(name: &str, text: &str) -> Result<Vec<Object>, LoadError> {
    text.lines()
        .map(|line| line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}'))
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .map(|(at, line)| match serde_json::from_str(line) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) => Err(neither(name, format!("line {} is no JSON object", at + 1))),
            Err(error) => {
                // The parser saw one line and calls it line 1.
                let reason = error.to_string().replace(" at line 1 column", " at column");
                Err(LoadError::Json { name: name.to_owned(), line: at + 1, reason })
            }
        })
        .collect()
}

/// An object whose one list of objects holds the records; otherwise it is itself the only record.
fn wrapped(name: &str, object: Object) -> Result<Vec<Object>, LoadError> {
    let is_list =
        |value: &Value| value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(Value::is_object));
    let mut lists: Vec<Value> = object.values().filter(|value| is_list(value)).cloned().collect();
    match (lists.len(), lists.pop()) {
        (1, Some(Value::Array(items))) => {
            items.into_iter().enumerate().map(|(at, item)| record(name, item, at)).collect()
        }
        _ => Err(neither(name, "its JSON is one object without exactly one list of records in it".to_owned())),
    }
}

fn record(name: &str, item: Value, at: usize) -> Result<Object, LoadError> {
    match item {
        Value::Object(object) => Ok(object),
        _ => Err(neither(name, format!("item {} of the array is no object", at + 1))),
    }
}

fn neither(name: &str, reason: String) -> LoadError {
    LoadError::Unrecognised { name: name.to_owned(), reason }
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

    #[test]
    fn lines_may_be_blank_and_marked() {
        let records = read("t", "{\"a\": 1}\n\n\u{feff}{\"a\": 2}\r\n", true).unwrap();
        assert_eq!(records.len(), 2);
        assert_eq!(read("t", "{\"a\": 1}\n{\"a\": 2}", false).unwrap().len(), 2);
    }

    #[test]
    fn mistakes_name_their_line() {
        let error = read("t", "{\"a\": 1}\n{\"a\": }\n", true).unwrap_err();
        assert!(matches!(error, LoadError::Json { line: 2, .. }), "{error}");
        let error = read("t", "[{\"a\": 1},\n {\"a\" 2}]", false).unwrap_err();
        assert!(matches!(error, LoadError::Json { line: 2, .. }), "{error}");
        assert!(read("t", "[1, 2]", false).unwrap_err().to_string().contains("item 1"));
        assert!(read("t", "{\"a\": 1}\n[2]\n", true).unwrap_err().to_string().contains("line 2"));
    }

    #[test]
    fn a_wrapped_list_is_found() {
        assert_eq!(read("t", "{\"count\": 2, \"rows\": [{\"a\": 1}, {\"a\": 2}]}", false).unwrap().len(), 2);
        assert!(read("t", "{\"a\": 1}", false).is_err());
    }
}
