//! Reads from a tool's input schema what the planner needs: its arguments, and the fields that it filters and groups by.
//!
//! A tool describes the content of its JSON-string argument `filters` with `contentSchema`, an object whose properties are
//! the fields. Each property is a scalar schema, or an `anyOf` of one with lists, ranges and null beside it.

use research_mcp::Tool;
use serde_json::Value;

use super::record::Object;
use super::task::{FieldFacts, FieldKind, ToolFacts};

/// What the planner is told about a tool.
impl From<&Tool> for ToolFacts {
    fn from(tool: &Tool) -> Self {
        let arguments = tool.input_schema.get("properties").and_then(Value::as_object);
        let filters = arguments.and_then(|arguments| arguments.get("filters"));
        let fields = filters.and_then(field_schemas).into_iter().flatten();
        Self {
            name: tool.exposed_name.clone(),
            description: tool.description.clone(),
            arguments: arguments.into_iter().flatten().map(|(name, _)| name.clone()).collect(),
            fields: fields.map(|(name, schema)| field(name, schema)).collect(),
        }
    }
}

/// The properties of an object schema that stands in the argument itself or in its `contentSchema`, also inside `anyOf`.
fn field_schemas(schema: &Value) -> Option<&Object> {
    let own = schema.get("contentSchema").unwrap_or(schema);
    own.get("properties").and_then(Value::as_object).or_else(|| alternatives(schema).find_map(field_schemas))
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"].into_iter().filter_map(|word| schema.get(word)?.as_array()).flatten()
}

fn field(name: &str, schema: &Value) -> FieldFacts {
    let scalar = scalar(schema);
    let kind = match type_of(scalar) {
        Some("number" | "integer") => FieldKind::Number,
        Some("boolean") => FieldKind::Boolean,
        _ => match scalar.get("format").and_then(Value::as_str) {
            Some("date" | "date-time") => FieldKind::Date,
            _ => FieldKind::Text,
        },
    };
    let bound = |names: [&str; 2]| names.iter().find_map(|name| scalar.get(*name)).cloned();
    FieldFacts {
        name: name.to_owned(),
        kind,
        values: values(scalar),
        range: bound(["minimum", "formatMinimum"]).zip(bound(["maximum", "formatMaximum"])),
    }
}

/// The schema of one value: the first alternative that is neither a list, nor a range, nor null.
fn scalar(schema: &Value) -> &Value {
    let is_scalar = |schema: &&Value| !matches!(type_of(schema), Some("array" | "object" | "null"));
    alternatives(schema).find(is_scalar).unwrap_or(schema)
}

/// The type of a schema; of a list of types the first that is not null.
fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    }
}

fn values(scalar: &Value) -> Vec<Value> {
    let listed = scalar.get("enum").and_then(Value::as_array).cloned().unwrap_or_default();
    listed.into_iter().filter(|value| !value.is_null()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn facts(schema: Value) -> ToolFacts {
        ToolFacts::from(&Tool::new("s", "t", schema.as_object().unwrap().clone()))
    }

    #[test]
    fn fields_come_from_the_content_schema_of_the_filters() {
        let field =
            |scalar: Value, range: Value| json!({"anyOf": [scalar, {"type": "array"}, range, {"type": "null"}]});
        let range = json!({"type": "object", "properties": {"gte": {}, "lt": {}}});
        let tool = facts(json!({"type": "object", "properties": {
            "filters": {"type": "string", "contentMediaType": "application/json", "contentSchema": {
                "type": "object",
                "properties": {
                    "size": field(json!({"type": "string", "enum": ["Small", "Large"]}), json!({"type": "null"})),
                    "speed": field(json!({"type": "number", "minimum": 0, "maximum": 400}), range.clone()),
                    "day": field(json!({"type": "string", "format": "date"}), range),
                    "remark": {"type": ["string", "null"]},
                    "night": {"type": "boolean"}
                }
            }},
            "group_by": {"type": "string"}
        }}));
        assert_eq!(tool.arguments, ["filters", "group_by"]);
        let named = |name: &str| tool.fields.iter().find(|field| field.name == name).unwrap();
        assert_eq!(named("size").values, [json!("Small"), json!("Large")]);
        assert_eq!(named("speed").kind, FieldKind::Number);
        assert_eq!(named("speed").range, Some((json!(0), json!(400))));
        assert_eq!(named("day").kind, FieldKind::Date);
        assert_eq!(named("remark").kind, FieldKind::Text);
        assert_eq!(named("night").kind, FieldKind::Boolean);
    }

    #[test]
    fn an_object_argument_and_a_nullable_text_argument_are_understood() {
        let inner = json!({"type": "object", "properties": {"size": {"type": "string"}}});
        assert_eq!(facts(json!({"properties": {"filters": inner}})).fields.len(), 1);
        let optional = json!({"anyOf": [{"type": "string", "contentSchema": inner}, {"type": "null"}]});
        assert_eq!(facts(json!({"properties": {"filters": optional}})).fields.len(), 1);
    }

    #[test]
    fn a_tool_that_describes_nothing_has_no_fields() {
        assert!(facts(json!({"properties": {"filters": {"type": "string"}}})).fields.is_empty());
        assert_eq!(facts(json!({})), ToolFacts { name: "t".into(), ..ToolFacts::default() });
    }
}
