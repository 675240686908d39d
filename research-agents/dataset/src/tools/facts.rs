//! Reads from a tool's input schema what the planner needs: its arguments, and the fields that it
//! filters and groups by.
//!
//! A tool describes the content of its JSON-string argument `filters` with `contentSchema`, an
//! object whose properties are the fields. Each property is a scalar schema, or an `anyOf` of one
//! with lists, ranges and null as alternatives. Of a tool without filters, the arguments that
//! select records are the fields, and those that its grouping argument lists.

use research_mcp::Tool;
use serde_json::Value;

use crate::data::filters::operation::Operation;
use crate::data::task::{FieldFacts, FieldKind, ToolFacts};
use crate::tools::dialect::ToolArguments;

/// The facts about a tool that the planner sees.
impl From<&Tool> for ToolFacts {
    fn from(tool: &Tool) -> Self {
        let root = Value::Object(tool.input_schema.clone());
        let arguments = ToolArguments::of(Some(tool));
        let content = arguments
            .filters()
            .and_then(|filters| content_of(&root, filters));
        let described: Vec<(&String, &Value)> = match arguments.filters() {
            Some(_) => properties(content).collect(),
            None => arguments
                .fields()
                .filter(|(name, _)| !takes_words(name))
                .collect(),
        };

        let operations = content.map(operations).unwrap_or_default();
        let mut fields: Vec<FieldFacts> = described
            .into_iter()
            .map(|(name, schema)| {
                let is_single = !holds_lists(schema);
                let can = if is_single {
                    operations.clone()
                } else {
                    Vec::new()
                };
                FieldFacts {
                    operations: can,
                    ..field(&root, name, schema)
                }
            })
            .collect();
        for name in arguments.group_fields() {
            if fields.iter().all(|field| field.name != name) {
                fields.push(FieldFacts {
                    name,
                    ..FieldFacts::default()
                });
            }
        }

        Self {
            name: tool.exposed_name.clone(),
            description: tool.description.clone(),
            arguments: arguments.names(),
            capabilities: arguments.capabilities(),
            fields,
        }
    }
}

/// Returns the object schema with the fields, which is that of the argument itself or of its
/// `contentSchema`, also inside `anyOf`.
fn content_of<'a>(root: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let schema = resolved(root, schema);
    let own = resolved(root, schema.get("contentSchema").unwrap_or(schema));
    let inner = || alternatives(schema).find_map(|schema| content_of(root, schema));
    let has_fields = own.get("properties").is_some_and(Value::is_object);
    if has_fields { Some(own) } else { inner() }
}

fn properties(content: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    let properties = content.and_then(|content| content.get("properties")?.as_object());
    properties.into_iter().flatten()
}

/// Returns what the tool computes of two fields, under their names with a sign between.
fn operations(content: &Value) -> Vec<Operation> {
    let patterns = content.get("patternProperties").and_then(Value::as_object);
    let takes = |operation: &Operation| {
        patterns.is_some_and(|patterns| patterns.contains_key(&operation.pattern()))
    };
    Operation::ALL.into_iter().filter(takes).collect()
}

/// Returns whether a condition on a field can be that certain words are not in it.
fn can_lack(schema: &Value) -> bool {
    alternatives(schema).any(|form| form.pointer("/properties/lacks").is_some())
}

/// Returns whether records may have several values of a field.
fn holds_lists(schema: &Value) -> bool {
    schema.get("x-lists").and_then(Value::as_bool) == Some(true)
}

/// Returns what a reference within the schema points to. One that points to another reference, or
/// nowhere, resolves to itself.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|target| target.strip_prefix('#'));
    match target.map(|pointer| root.pointer(pointer)) {
        Some(Some(found)) if found.get("$ref").is_none() => found,
        Some(_) => &Value::Null,
        None => schema,
    }
}

/// Returns whether an argument takes a question in words and not the value of a field.
fn takes_words(name: &str) -> bool {
    ["q", "query", "question", "search", "text", "keywords"].contains(&name.to_lowercase().as_str())
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|word| schema.get(word)?.as_array())
        .flatten()
}

fn field(root: &Value, name: &str, schema: &Value) -> FieldFacts {
    let scalar = scalar(root, schema);
    let kind = match type_of(scalar) {
        Some("number" | "integer") => FieldKind::Number,
        Some("boolean") => FieldKind::Boolean,
        _ => match scalar.get("format").and_then(Value::as_str) {
            Some("date" | "date-time") => FieldKind::Date,
            _ => FieldKind::Text,
        },
    };
    let outer = resolved(root, schema);
    let number = |name: &str| outer.get(name).or_else(|| scalar.get(name))?.as_u64();
    let bound = |names: [&str; 2]| names.iter().find_map(|name| scalar.get(*name)).cloned();

    FieldFacts {
        name: name.to_owned(),
        kind,
        values: values(scalar),
        range: bound(["minimum", "formatMinimum"]).zip(bound(["maximum", "formatMaximum"])),
        distinct: number("x-distinct"),
        missing: number("x-missing"),
        records: root.get("x-records").and_then(Value::as_u64),
        operations: Vec::new(),
        can_lack: can_lack(outer),
    }
}

/// Returns the schema of one value: the first alternative that is neither a list, nor a range, nor
/// null.
fn scalar<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let schema = resolved(root, schema);
    let is_scalar = |schema: &&Value| !matches!(type_of(schema), Some("array" | "object" | "null"));
    alternatives(schema)
        .map(|schema| resolved(root, schema))
        .find(is_scalar)
        .unwrap_or(schema)
}

/// Returns the type of a schema; of a list of types the first that is not null.
fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| *name != "null"),
        _ => None,
    }
}

fn values(scalar: &Value) -> Vec<Value> {
    let listed = scalar
        .get("enum")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    listed
        .into_iter()
        .filter(|value| !value.is_null())
        .collect()
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
        let field = |scalar: Value, range: Value| {
            let (list, empty) = (json!({"type": "array"}), json!({"type": "null"}));
            json!({"anyOf": [scalar, list, range, empty]})
        };
        let range = json!({"type": "object", "properties": {"gte": {}, "lt": {}}});
        let tool = facts(json!({"type": "object", "properties": {
            "filters": {"type": "string", "contentMediaType": "application/json", "contentSchema": {
                "type": "object",
                "properties": {
                    "size": field(json!({"type": "string", "enum": ["Small", "Large"]}),
                        json!({"type": "null"})),
                    "speed": field(json!({"type": "number", "minimum": 0, "maximum": 400}),
                        range.clone()),
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
    fn computed_fields_and_denied_words_are_asked_of_tools_that_take_them() {
        let schema = |patterns: Value| {
            let text = json!({"anyOf": [{"type": "string"},
                {"type": "object", "properties": {"lacks": {"type": "string"}}}]});
            json!({"properties": {"filters": {"type": "string", "contentSchema": {
                "type": "object",
                "properties": {
                    "size": {"type": "number"},
                    "sizes": {"type": "number", "x-lists": true},
                    "name": text
                },
                "patternProperties": patterns
            }}}})
        };
        let tool = facts(schema(json!({" − ": {}, " \\+ ": {}})));
        let has = |field: &FieldFacts| (field.operations.clone(), field.can_lack);
        let found: Vec<_> = tool.fields.iter().map(has).collect();
        let both = || vec![Operation::Minus, Operation::Plus];
        assert_eq!(found, [(both(), false), (vec![], false), (both(), true)]);

        let plain = facts(schema(json!({"^x-": {}})));
        assert!(plain.fields.iter().all(|field| field.operations.is_empty()));
    }

    #[test]
    fn an_object_argument_and_a_nullable_text_argument_are_understood() {
        let inner = json!({"type": "object", "properties": {"size": {"type": "string"}}});
        assert_eq!(
            facts(json!({"properties": {"filters": inner}}))
                .fields
                .len(),
            1
        );
        let optional =
            json!({"anyOf": [{"type": "string", "contentSchema": inner}, {"type": "null"}]});
        assert_eq!(
            facts(json!({"properties": {"filters": optional}}))
                .fields
                .len(),
            1
        );
    }

    #[test]
    fn references_are_followed_and_arguments_are_fields_where_there_are_no_filters() {
        let where_ = json!({"anyOf": [{"$ref": "#/$defs/Where"}, {"type": "null"}]});
        let fields = json!({
            "name": {"type": "string"},
            "size": {"anyOf": [{"$ref": "#/$defs/Range"}, {"type": "number"}]}
        });
        let tool = facts(json!({"properties": {"where": where_}, "$defs": {
            "Where": {"type": "object", "properties": fields},
            "Range": {"type": "object", "properties": {"gte": {}}}
        }}));
        let kinds: Vec<_> = tool
            .fields
            .iter()
            .map(|field| (field.name.as_str(), field.kind))
            .collect();
        assert_eq!(
            kinds,
            [("name", FieldKind::Text), ("size", FieldKind::Number)]
        );
        assert_eq!(tool.arguments, ["where", "filters"]);

        let number = json!({"type": "integer"});
        let tool = facts(json!({"properties": {
            "state": {"type": "string", "enum": ["Ohio"]}, "query": {"type": "string"},
            "limit": number, "offset": number,
            "groupBy": {"type": "string", "enum": ["state", "phase"]}
        }}));
        assert_eq!(
            tool.fields
                .iter()
                .map(|field| field.name.as_str())
                .collect::<Vec<_>>(),
            ["state", "phase"]
        );
        assert_eq!(tool.fields[0].values, [json!("Ohio")]);
        assert!(tool.arguments.contains(&"group_by".to_owned()));
    }

    #[test]
    fn a_tool_that_describes_nothing_has_no_fields() {
        assert!(
            facts(json!({"properties": {"filters": {"type": "string"}}}))
                .fields
                .is_empty()
        );
        assert_eq!(
            facts(json!({})),
            ToolFacts {
                name: "t".into(),
                ..ToolFacts::default()
            }
        );
    }
}
