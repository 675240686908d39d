//! Composition resolved: the alternatives of a schema as plain schemas without `$ref`, `allOf`, `anyOf` and `oneOf`.

use serde_json::{Map, Value, json};

use super::refs::resolve;

/// References that lead to references, and compositions in compositions, are followed so far.
const DEPTH: usize = 32;

/// More alternatives than this are not worked out.
const ALTERNATIVES: usize = 256;

/// Keywords that say something about a schema and nothing about the value.
const ANNOTATIONS: [&str; 14] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$schema",
    "$id",
    "$anchor",
    "$defs",
    "definitions",
    "unevaluatedProperties",
];

/// Whether a keyword leaves the value alone. `unevaluatedProperties` is here because every object is closed anyway.
pub(super) fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword)
}

/// Whether a keyword builds a schema from other schemas.
pub(super) fn is_composition(keyword: &str) -> bool {
    matches!(keyword, "$ref" | "allOf" | "anyOf" | "oneOf")
}

/// The plain schemas of which a value has to fit one; none if nothing can fit.
pub(super) fn alternatives(root: &Value, schema: &Value) -> Result<Vec<Map<String, Value>>, String> {
    expand(root, schema, DEPTH)
}

fn expand(root: &Value, schema: &Value, depth: usize) -> Result<Vec<Map<String, Value>>, String> {
    let map = match schema {
        Value::Bool(true) => return Ok(vec![Map::new()]),
        Value::Bool(false) => return Ok(Vec::new()),
        Value::Object(map) => map,
        _ => return Err("it is no schema".to_owned()),
    };
    let Some(depth) = depth.checked_sub(1) else { return Err("it is nested without an end".to_owned()) };
    let base = map.iter().filter(|(key, _)| !is_composition(key)).map(|(k, v)| (k.clone(), v.clone())).collect();
    let mut all = vec![base];
    if let Some(reference) = map.get("$ref") {
        all = product(all, expand(root, target(root, reference)?, depth)?)?;
    }
    for member in members(map, "allOf") {
        all = product(all, expand(root, member, depth)?)?;
    }
    for keyword in ["anyOf", "oneOf"].into_iter().filter(|&keyword| map.contains_key(keyword)) {
        let mut choice = Vec::new();
        for member in members(map, keyword) {
            choice.extend(expand(root, member, depth)?);
        }
        all = product(all, choice)?;
    }
    Ok(all)
}

/// What a `$ref` means.
pub(super) fn target<'a>(root: &'a Value, reference: &Value) -> Result<&'a Value, String> {
    let name = reference.as_str().unwrap_or_default();
    resolve(root, name).ok_or_else(|| format!("the reference `{name}` leads nowhere"))
}

/// The schemas of a composition.
pub(super) fn members<'a>(schema: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn product(left: Vec<Map<String, Value>>, right: Vec<Map<String, Value>>) -> Result<Vec<Map<String, Value>>, String> {
    if left.len().saturating_mul(right.len()) > ALTERNATIVES {
        return Err(format!("it has more than {ALTERNATIVES} alternatives"));
    }
    let mut all = Vec::with_capacity(left.len() * right.len());
    for one in &left {
        for other in &right {
            all.extend(merge(one, other)?);
        }
    }
    Ok(all)
}

/// The schema of values that fit both; `None` if there are no such values.
fn merge(one: &Map<String, Value>, other: &Map<String, Value>) -> Result<Option<Map<String, Value>>, String> {
    let mut merged = one.clone();
    for (key, value) in other {
        let Some(before) = merged.get(key).filter(|&before| before != value) else {
            merged.insert(key.clone(), value.clone());
            continue;
        };
        let both = match key.as_str() {
            "type" => match common_types(before, value) {
                Some(types) => types,
                None => return Ok(None),
            },
            "properties" => joined_properties(before, value),
            "required" => joined_names(before, value),
            "enum" => {
                let kept: Vec<_> = list(before).iter().filter(|item| list(value).contains(item)).cloned().collect();
                if kept.is_empty() {
                    return Ok(None);
                }
                Value::Array(kept)
            }
            "const" => return Ok(None),
            // Each part closes itself against what the other one brings; together they mean the union.
            "additionalProperties" if before == &Value::Bool(false) => value.clone(),
            "additionalProperties" if value == &Value::Bool(false) => before.clone(),
            "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => larger(before, value),
            "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => smaller(before, value),
            // The outer word is about this place, the inner one about the type.
            key if is_annotation(key) => before.clone(),
            key => return Err(format!("two parts of it disagree about `{key}`")),
        };
        merged.insert(key.clone(), both);
    }
    Ok(Some(merged))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice)
}

fn common_types(one: &Value, other: &Value) -> Option<Value> {
    let mut kept = Vec::new();
    for name in list(one) {
        for against in list(other) {
            let both = match (name.as_str()?, against.as_str()?) {
                (a, b) if a == b => a,
                ("integer", "number") | ("number", "integer") => "integer",
                _ => continue,
            };
            if !kept.contains(&json!(both)) {
                kept.push(json!(both));
            }
        }
    }
    match kept.len() {
        0 => None,
        1 => kept.pop(),
        _ => Some(Value::Array(kept)),
    }
}

fn joined_properties(one: &Value, other: &Value) -> Value {
    let mut all = one.as_object().cloned().unwrap_or_default();
    for (name, schema) in other.as_object().into_iter().flatten() {
        match all.get(name) {
            Some(before) if before != schema => {
                let both = json!({"allOf": [before, schema]});
                all.insert(name.clone(), both);
            }
            Some(_) => {}
            None => {
                all.insert(name.clone(), schema.clone());
            }
        }
    }
    Value::Object(all)
}

fn joined_names(one: &Value, other: &Value) -> Value {
    let mut all = list(one).to_vec();
    all.extend(list(other).iter().filter(|name| !list(one).contains(name)).cloned());
    Value::Array(all)
}

fn larger(one: &Value, other: &Value) -> Value {
    if one.as_f64() >= other.as_f64() { one.clone() } else { other.clone() }
}

fn smaller(one: &Value, other: &Value) -> Value {
    if one.as_f64() <= other.as_f64() { one.clone() } else { other.clone() }
}

/// The types that a plain schema allows, worked out from its other keywords where it names none.
pub(super) fn types(schema: &Map<String, Value>) -> Vec<&str> {
    let named: Vec<_> = schema.get("type").map(list).into_iter().flatten().filter_map(Value::as_str).collect();
    if !named.is_empty() {
        return named;
    }
    let values = schema.get("const").into_iter().chain(members(schema, "enum"));
    let mut types = Vec::new();
    for value in values {
        let name = type_of(value);
        if !types.contains(&name) {
            types.push(name);
        }
    }
    if !types.is_empty() {
        return types;
    }
    let has = |keywords: &[&str]| keywords.iter().any(|&keyword| schema.contains_key(keyword));
    if has(&["properties", "additionalProperties", "patternProperties", "required"]) {
        vec!["object"]
    } else if has(&["items", "prefixItems", "minItems", "maxItems"]) {
        vec!["array"]
    } else if has(&["minLength", "maxLength", "pattern"]) {
        vec!["string"]
    } else if has(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
        vec!["number"]
    } else {
        Vec::new()
    }
}

/// The narrowest type of a value.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The schemas of the keys and values of an object whose keys are not known; `None` for any other schema.
pub(super) fn map_of(schema: &Map<String, Value>) -> Option<(Value, &Value)> {
    if schema.get("properties").and_then(Value::as_object).is_some_and(|properties| !properties.is_empty()) {
        return None;
    }
    let mut key = Map::from_iter([("type".to_owned(), json!("string"))]);
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    match (schema.get("additionalProperties"), patterns.filter(|patterns| !patterns.is_empty())) {
        (Some(values), None) if values != &Value::Bool(false) => {
            if let Some(Value::Object(names)) = schema.get("propertyNames") {
                key.extend(names.clone());
            }
            Some((Value::Object(key), values))
        }
        (None | Some(Value::Bool(false)), Some(patterns)) if patterns.len() == 1 => {
            let (pattern, values) = patterns.iter().next()?;
            key.insert("pattern".to_owned(), json!(pattern));
            Some((Value::Object(key), values))
        }
        _ => None,
    }
}

/// Whether a document is one object whose fields are known, and so needs no wrapping.
pub(super) fn is_object_root(root: &Value) -> bool {
    match alternatives(root, root).as_deref() {
        Ok([only]) => types(only) == ["object"] && map_of(only).is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(schema: &Value) -> Vec<Value> {
        alternatives(schema, schema).unwrap().into_iter().map(Value::Object).collect()
    }

    #[test]
    fn a_tag_beside_a_reference_is_merged_into_it() {
        let schema = json!({
            "$defs": {"Inner": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}},
            "oneOf": [
                {"$ref": "#/$defs/Inner", "type": "object", "properties": {"kind": {"const": "x"}}, "required": ["kind"]},
                {"type": "object", "properties": {"kind": {"const": "y"}}, "required": ["kind"]},
            ],
        });
        let all = plain(&schema);
        assert_eq!(all.len(), 2);
        assert_eq!(all[0]["properties"], json!({"a": {"type": "string"}, "kind": {"const": "x"}}));
        assert_eq!(all[0]["required"], json!(["kind", "a"]));
    }

    #[test]
    fn impossible_combinations_fall_away_and_limits_meet() {
        assert!(plain(&json!({"allOf": [{"type": "string"}, {"type": "null"}]})).is_empty());
        let all =
            plain(&json!({"allOf": [{"type": "number", "minimum": 1}, {"type": ["integer", "null"], "minimum": 3}]}));
        assert_eq!(all, [json!({"type": "integer", "minimum": 3})]);
    }

    #[test]
    fn a_schema_that_only_refers_to_itself_is_an_error() {
        let schema = json!({"$ref": "#"});
        assert!(alternatives(&schema, &schema).is_err());
        let schema = json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]});
        assert!(alternatives(&schema, &schema).is_err());
    }
}
