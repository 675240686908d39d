//! Types and values that the schema of an argument allows.

use serde_json::Value;

/// Returns whether a schema allows a single value.
pub(crate) fn is_scalar(schema: &Value) -> bool {
    let types = types(schema);
    types.is_empty()
        || types
            .iter()
            .any(|name| matches!(*name, "string" | "number" | "integer" | "boolean"))
}

/// Returns the texts that a schema allows, itself, in its items or in an alternative.
pub(crate) fn enumerated(schema: &Value) -> Vec<String> {
    let own = schema
        .get("enum")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let own = own.filter_map(Value::as_str).map(str::to_owned);
    let alternatives = ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|word| schema.get(word)?.as_array())
        .flatten();

    own.chain(
        schema
            .get("items")
            .into_iter()
            .chain(alternatives)
            .flat_map(enumerated),
    )
    .collect()
}

/// Returns the types that a schema and its alternatives name.
pub(crate) fn types(schema: &Value) -> Vec<&str> {
    let alternatives = ["anyOf", "oneOf", "allOf"]
        .into_iter()
        .filter_map(|word| schema.get(word)?.as_array())
        .flatten();
    let own = match schema.get("type") {
        Some(Value::String(name)) => vec![name.as_str()],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    own.into_iter()
        .chain(alternatives.flat_map(types))
        .collect()
}
