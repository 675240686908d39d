//! Schemas of argument types in a form that every client takes.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The JSON schema of a type, in the part of JSON Schema that strict clients take too: no `$ref` (unless the type holds itself), no list
/// of types, no `null`, no formats of numbers, choices as `enum`. An `Option` is an argument that need not be there.
///
/// ```
/// use research_mcp::server::portable_schema;
/// use schemars::JsonSchema;
/// use serde_json::json;
///
/// #[derive(JsonSchema)]
/// struct Page {
///     /// Records on it.
///     size: Option<u32>,
/// }
///
/// let expected = json!({
///     "type": "object",
///     "properties": {"size": {"type": "integer", "minimum": 0, "description": "Records on it."}},
/// });
/// assert_eq!(portable_schema::<Page>(), expected);
/// ```
#[must_use]
pub fn portable_schema<T: JsonSchema>() -> Value {
    let mut schema = Value::Object(inlined::<T>(SchemaSettings::draft2020_12().for_deserialize()));
    simplify(&mut schema);
    if let Value::Object(root) = &mut schema
        && root.get("type").is_some_and(|kind| kind == "object")
    {
        root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

/// The JSON schema of a type as it is written, with the nulls that an `Option` is written as.
pub(super) fn result_schema<T: JsonSchema>() -> Map<String, Value> {
    inlined::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn inlined<T: JsonSchema>(mut settings: SchemaSettings) -> Map<String, Value> {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    match settings.into_generator().into_root_schema_for::<T>().to_value() {
        Value::Object(mut root) => {
            root.remove("title");
            root
        }
        // Of a type that may be anything, or nothing.
        _ => Map::new(),
    }
}

fn simplify(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    without_null(object);
    choices(object);
    let is_number = matches!(object.get("type").and_then(Value::as_str), Some("integer" | "number"));
    if is_number {
        object.remove("format");
    }
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "$defs" | "patternProperties", Value::Object(schemas)) => {
                schemas.values_mut().for_each(simplify);
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                schemas.iter_mut().for_each(simplify);
            }
            ("items" | "additionalProperties" | "not", value) => simplify(value),
            _ => {}
        }
    }
}

/// An `Option` without its null.
fn without_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(schemas)) = object.get_mut(key) else { continue };
        schemas.retain(|schema| schema.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(_)] = schemas.as_slice()
            && let Some(Value::Object(only)) = schemas.pop()
        {
            object.remove(key);
            // What is said at the place of use goes before what is said of the type.
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
            return without_null(object);
        }
    }
}

/// Choices that are described one by one, as one `enum`; the descriptions move into that of the whole.
fn choices(object: &mut Map<String, Value>) {
    let Some(Value::Array(schemas)) = object.get("oneOf") else { return };
    let mut values = Vec::new();
    let mut words = Vec::new();
    for schema in schemas {
        let described = match (schema.get("const"), schema.get("enum")) {
            (Some(value @ Value::String(_)), _) => vec![value.clone()],
            (None, Some(Value::Array(several))) if several.iter().all(Value::is_string) => several.clone(),
            _ => return,
        };
        if let (Some(description), [Value::String(value)]) =
            (schema.get("description").and_then(Value::as_str), described.as_slice())
        {
            words.push(format!("{value}: {description}"));
        }
        values.extend(described);
    }
    object.remove("oneOf");
    object.insert("type".to_owned(), "string".into());
    object.insert("enum".to_owned(), values.into());
    if !words.is_empty() {
        let before = object.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = format!("{before}\n{}", words.join("\n"));
        object.insert("description".to_owned(), description.trim_start().into());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use schemars::JsonSchema;
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[serde(rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum Order {
        /// Oldest first.
        Oldest,
        /// Newest first.
        Newest,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    enum Plain {
        A,
        B,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    struct Range {
        /// The lower end.
        from: Option<f64>,
        to: Option<i64>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    struct Search {
        words: Vec<String>,
        #[serde(default)]
        limit: Option<u16>,
        /// How to sort.
        order: Option<Order>,
        plain: Option<Plain>,
        range: Option<Range>,
        ranges: BTreeMap<String, Range>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    struct Tree {
        children: Vec<Tree>,
    }

    #[derive(JsonSchema)]
    struct Nothing {}

    #[test]
    fn a_schema_has_no_references_and_no_null() {
        let range = json!({"type": "object", "properties":
            {"from": {"type": "number", "description": "The lower end."}, "to": {"type": "integer"}}});
        let schema = portable_schema::<Search>();
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "required": ["words", "ranges"],
                "properties": {
                    "words": {"type": "array", "items": {"type": "string"}},
                    "limit": {"type": "integer", "minimum": 0, "maximum": 65_535},
                    "order": {"type": "string", "enum": ["oldest", "newest"],
                        "description": "How to sort.\noldest: Oldest first.\nnewest: Newest first."},
                    "plain": {"type": "string", "enum": ["A", "B"]},
                    "range": range,
                    "ranges": {"type": "object", "additionalProperties": range},
                },
            })
        );
        let text = schema.to_string();
        assert!(!text.contains("$ref") && !text.contains("$defs") && !text.contains("null"), "{text}");
    }

    #[test]
    fn an_empty_type_is_an_object_too() {
        assert_eq!(portable_schema::<Nothing>(), json!({"type": "object", "properties": {}}));
    }

    #[test]
    fn a_type_that_holds_itself_keeps_its_reference() {
        let schema = portable_schema::<Tree>();
        assert_eq!(schema["type"], "object", "{schema}");
        assert!(crate::schema::compile(&schema).is_ok(), "{schema}");
        assert!(schema.to_string().contains("$ref"), "{schema}");
    }
}
