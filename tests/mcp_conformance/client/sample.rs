//! Values that fit the schema of an argument.

use research_mcp::Object;
use serde_json::{Value, json};

/// The required arguments of a tool, and a schema for a tool that takes one: `example`.
pub(crate) fn arguments(schema: &Object, example: &Object) -> Object {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut arguments: Object = required.map(|name| (name.to_owned(), value(&schema["properties"][name]))).collect();
    if schema.get("properties").is_some_and(|properties| properties.get("schema").is_some()) {
        arguments.insert("schema".to_owned(), Value::Object(example.clone()));
    }
    arguments
}

/// A value of the type that a schema names: its default, the first of its choices, or something simple.
pub(crate) fn value(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    if let Some(first) = schema.get("enum").and_then(|choices| choices.get(0)) {
        return first.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => json!(true),
        Some("integer" | "number") => json!(1),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some("null") => Value::Null,
        _ => json!("sample"),
    }
}
