//! Flattens nested objects for querying.

use serde_json::Value;

use super::super::super::data::Object;

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
