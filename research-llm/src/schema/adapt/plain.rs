//! The plain dialect: the schema as it is, without what makes a grammar cut texts.

use serde_json::{Map, Value};

use crate::schema::note::Notes;

/// The schema with every `maxLength` said in words.
pub(super) fn adapt(schema: &Value) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let mut adapted = Map::with_capacity(fields.len());
    let mut notes = Notes::default();
    for (keyword, value) in fields {
        let value = match (keyword.as_str(), value) {
            ("maxLength", value) => {
                notes.add("maxLength", value);
                continue;
            }
            (
                "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                Value::Object(schemas),
            ) => Value::Object(schemas.iter().map(|(name, schema)| (name.clone(), adapt(schema))).collect()),
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                Value::Array(schemas.iter().map(adapt).collect())
            }
            (
                "items"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "propertyNames"
                | "contains"
                | "if"
                | "then"
                | "else",
                schema,
            ) => adapt(schema),
            (_, value) => value.clone(),
        };
        adapted.insert(keyword.clone(), value);
    }
    notes.write(&mut adapted);
    Value::Object(adapted)
}
