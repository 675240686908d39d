//! The documented rules of the strict dialects, checked on their own.

use research_llm::schema::Dialect;
use serde_json::Value;

/// Panics at the first rule that a schema breaks.
pub(crate) fn check(dialect: Dialect, schema: &Value) {
    assert_eq!(schema["type"], "object", "the root is an object: {schema}");
    assert!(schema.get("anyOf").is_none(), "the root is no choice: {schema}");
    node(dialect, schema, schema);
    for definition in schema["$defs"].as_object().into_iter().flatten().map(|(_, definition)| definition) {
        node(dialect, schema, definition);
    }
}

fn node(dialect: Dialect, root: &Value, schema: &Value) {
    let fields = schema.as_object().unwrap_or_else(|| panic!("a schema is an object: {schema}"));
    for keyword in fields.keys() {
        let openai = dialect == Dialect::OpenAiStrict;
        let is_allowed = match keyword.as_str() {
            "type"
            | "description"
            | "properties"
            | "required"
            | "additionalProperties"
            | "items"
            | "anyOf"
            | "enum"
            | "const"
            | "$ref"
            | "pattern"
            | "format" => true,
            "$defs" => std::ptr::eq(schema, root),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "maxItems" => openai,
            "minItems" => openai || schema["minItems"].as_u64().is_some_and(|items| items <= 1),
            _ => false,
        };
        assert!(is_allowed, "{dialect:?} has no `{keyword}`: {schema}");
    }
    if let Some(reference) = schema["$ref"].as_str() {
        assert_eq!(fields.len(), 1, "a reference stands alone: {schema}");
        assert!(root.pointer(&reference[1..]).is_some(), "`{reference}` leads nowhere");
        return;
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        assert!(choices.len() > 1 && fields.get("type").is_none(), "a choice stands alone: {schema}");
        choices.iter().for_each(|choice| node(dialect, root, choice));
        return;
    }
    assert!(schema.get("type").is_some(), "a type is named: {schema}");
    if let Some(format) = schema["format"].as_str() {
        assert!(
            ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"].contains(&format),
            "{format}"
        );
    }
    if schema["type"] == "object" {
        assert_eq!(schema["additionalProperties"], false, "an object is closed: {schema}");
        let properties = schema["properties"].as_object().unwrap_or_else(|| panic!("fields are known: {schema}"));
        let required = schema["required"].as_array().unwrap_or_else(|| panic!("required fields are named: {schema}"));
        let is_known = |name: &Value| properties.contains_key(name.as_str().unwrap_or_default());
        assert!(required.iter().all(is_known), "{schema}");
        if dialect == Dialect::OpenAiStrict {
            assert_eq!(required.len(), properties.len(), "every field is required: {schema}");
        }
        properties.values().for_each(|property| node(dialect, root, property));
    }
    if schema["type"] == "array" {
        node(dialect, root, &schema["items"]);
    }
}
