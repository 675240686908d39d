//! What a provider that holds to an adapted schema answers when it means a value.

use serde_json::{Map, Value, json};

/// The value in the terms of the schema; `None` if the schema has no way to say it.
pub(crate) fn of(schema: &Value, value: &Value) -> Option<Value> {
    say(schema, schema, value)
}

fn say(root: &Value, schema: &Value, value: &Value) -> Option<Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        return say(root, root.pointer(reference.strip_prefix('#')?)?, value);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().find_map(|choice| say(root, choice, value));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        return None;
    }
    if schema["enum"].as_array().is_some_and(|allowed| !allowed.contains(value)) {
        return None;
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let has = |name| types.contains(&name);
    match value {
        Value::Null => has("null").then_some(Value::Null),
        Value::Bool(_) => has("boolean").then(|| value.clone()),
        Value::Number(number) => {
            let fits = has("number") || (has("integer") && !number.is_f64());
            let above = schema["minimum"].as_f64().is_none_or(|least| number.as_f64().unwrap() >= least);
            (fits && above).then(|| value.clone())
        }
        Value::String(_) => has("string").then(|| value.clone()),
        Value::Array(items) if has("array") => {
            items.iter().map(|item| say(root, &schema["items"], item)).collect::<Option<_>>().map(Value::Array)
        }
        // A map has to be said as entries.
        Value::Object(fields) if has("array") => {
            let entries = fields.iter().map(|(key, value)| {
                say(root, &schema["items"], &json!({"key": key, "value": value})).filter(|entry| entry["key"] == *key)
            });
            entries.collect::<Option<_>>().map(Value::Array)
        }
        Value::Object(fields) if has("object") => {
            let known = schema["properties"].as_object()?;
            if fields.keys().any(|name| !known.contains_key(name)) {
                return None;
            }
            let required = schema["required"].as_array()?;
            let mut said = Map::new();
            for (name, property) in known {
                match fields.get(name) {
                    Some(field) => {
                        let field = match say(root, property, field) {
                            Some(field) => field,
                            // Where a field may be left out, its null is said by leaving it out.
                            None if field.is_null() && !required.contains(&json!(name)) => continue,
                            None => return None,
                        };
                        said.insert(name.clone(), field);
                    }
                    None if required.contains(&json!(name)) => {
                        said.insert(name.clone(), say(root, property, &Value::Null)?);
                    }
                    None => {}
                }
            }
            Some(Value::Object(said))
        }
        _ => None,
    }
}
