//! Measures a schema before it is compiled: its nodes, its patterns, and its size once all references are followed.
//!
//! References can double a schema at each level, so that two kilobytes of JSON make 2^30 steps. The size counts each part as often
//! as it is referred to, and takes linear time because each part is measured once. A reference back to a part that contains it is
//! legitimate and counts once: how often it is followed depends on the result, which is [counted](super::steps) when there is one.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::reference::References;

/// Maximum number of JSON values in a schema.
const NODES: usize = 20_000;

/// Maximum number of subschemas, each counted as often as it is referred to.
const EXPANDED: usize = 20_000;

/// Maximum number of subschemas inside each other, along references.
const DEPTH: usize = 200;

/// Maximum number of patterns.
const PATTERNS: usize = 64;

/// Maximum length of a pattern in bytes.
const PATTERN_BYTES: usize = 1_000;

/// Keywords whose value is a schema.
const SINGLE: [&str; 13] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "extends",
];

/// Keywords whose value is a list of schemas.
const LISTS: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];

/// Keywords whose value has a schema for each name.
const MAPS: [&str; 4] = ["dependencies", "dependentSchemas", "patternProperties", "properties"];

/// The measures of a schema that is within the limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measures {
    /// JSON values.
    pub(super) nodes: usize,
    /// Patterns.
    pub(super) patterns: usize,
}

/// Measures a schema.
///
/// # Errors
///
/// Which limit it exceeds, or what it refers to that is not in it.
pub(super) fn measured(schema: &Value) -> Result<Measures, String> {
    let measures = counted(schema)?;
    let mut sizes = Sizes { references: References::read(schema)?, known: HashMap::new() };
    sizes.extent(schema, 0)?;
    Ok(measures)
}

/// Counts the values and the patterns, wherever they are.
fn counted(schema: &Value) -> Result<Measures, String> {
    let mut measures = Measures { nodes: 0, patterns: 0 };
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        measures.nodes += 1;
        if measures.nodes > NODES {
            return Err(format!("it has more than {NODES} values"));
        }

        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                for pattern in patterns(members) {
                    measures.patterns += 1;
                    if measures.patterns > PATTERNS {
                        return Err(format!("it has more than {PATTERNS} patterns"));
                    }
                    if pattern.len() > PATTERN_BYTES {
                        return Err(format!("it has a pattern of more than {PATTERN_BYTES} bytes"));
                    }
                }
                open.extend(members.values());
            }
            _ => {}
        }
    }

    Ok(measures)
}

fn patterns(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let names = schema.get("patternProperties").and_then(Value::as_object);
    let names = names.into_iter().flat_map(|names| names.keys().map(String::as_str));
    schema.get("pattern").and_then(Value::as_str).into_iter().chain(names)
}

/// The size of a schema along its references.
#[derive(Clone, Copy)]
struct Extent {
    size: usize,
    height: usize,
}

const LEAF: Extent = Extent { size: 1, height: 1 };

/// Measures each part of a schema once.
struct Sizes<'a> {
    references: References<'a>,
    /// The parts by their addresses; nothing for one that is being measured.
    known: HashMap<*const Value, Option<Extent>>,
}

impl<'a> Sizes<'a> {
    fn extent(&mut self, schema: &'a Value, depth: usize) -> Result<Extent, String> {
        let Value::Object(members) = schema else { return Ok(LEAF) };
        match self.known.get(&std::ptr::from_ref(schema)) {
            Some(Some(extent)) => return Ok(*extent),
            // It refers to itself.
            Some(None) => return Ok(LEAF),
            None => {}
        }
        if depth >= DEPTH {
            return Err(too_deep());
        }
        self.known.insert(schema, None);

        let mut extent = LEAF;
        let referred = self.references.of(members)?;
        for part in parts(members).chain(referred) {
            let part = self.extent(part, depth + 1)?;
            extent.size = extent.size.saturating_add(part.size);
            extent.height = extent.height.max(part.height + 1);
        }
        if extent.size > EXPANDED {
            return Err(format!("with its references followed it has more than {EXPANDED} subschemas"));
        }
        if extent.height > DEPTH {
            return Err(too_deep());
        }

        self.known.insert(schema, Some(extent));
        Ok(extent)
    }
}

fn too_deep() -> String {
    format!("its subschemas are nested more than {DEPTH} deep along its references")
}

/// Returns the subschemas of a schema that a check may apply.
fn parts(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let single = SINGLE.iter().filter_map(|keyword| schema.get(*keyword)).filter(|part| !part.is_array());
    let lists = LISTS.iter().filter_map(|keyword| schema.get(*keyword)?.as_array()).flatten();
    let maps = MAPS.iter().filter_map(|keyword| schema.get(*keyword)?.as_object()).flat_map(Map::values);
    single.chain(lists).chain(maps)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns definitions `d0` to `dN`, each of which refers to the next one in this way.
    fn chain(levels: usize, link: impl Fn(Value) -> Value) -> Value {
        let mut definitions: Map<String, Value> = (0..levels)
            .map(|level| (format!("d{level}"), link(json!({"$ref": format!("#/$defs/d{}", level + 1)}))))
            .collect();
        definitions.insert(format!("d{levels}"), json!({"type": "object"}));
        json!({"$defs": definitions, "$ref": "#/$defs/d0"})
    }

    #[test]
    fn a_schema_that_doubles_at_each_level_is_refused() {
        for keyword in ["allOf", "anyOf", "oneOf", "prefixItems"] {
            let reason = measured(&chain(30, |next| json!({keyword: [next, next]}))).unwrap_err();
            assert!(reason.contains("subschemas"), "{keyword}: {reason}");
        }
        let reason = measured(&chain(30, |next| json!({"properties": {"a": next, "b": next}}))).unwrap_err();
        assert!(reason.contains("subschemas"), "{reason}");
        let reason = measured(&chain(30, |next| json!({"if": next, "then": next, "else": next}))).unwrap_err();
        assert!(reason.contains("subschemas"), "{reason}");

        assert!(measured(&chain(10, |next| json!({"allOf": [next, next]}))).is_ok());
    }

    #[test]
    fn a_schema_may_refer_to_itself() {
        for schema in [
            json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}),
            json!({"$defs": {"node": {"anyOf": [{"type": "string"}, {"items": {"$ref": "#/$defs/node"}}]}},
                "$ref": "#/$defs/node"}),
            json!({"$dynamicAnchor": "node", "properties": {"next": {"$dynamicRef": "#node"}}}),
        ] {
            assert!(measured(&schema).is_ok(), "{schema}");
        }
    }

    #[test]
    fn a_long_chain_of_references_is_refused() {
        assert!(measured(&chain(90, |next| next)).is_ok());
        for link in [|next: Value| next, |next: Value| json!({"not": next}), |next: Value| json!({"items": next})] {
            let reason = measured(&chain(5_000, link)).unwrap_err();
            assert!(reason.contains("deep"), "{reason}");
        }
    }

    #[test]
    fn a_schema_of_many_values_or_patterns_is_refused() {
        let many = |count: usize, key: &str, value: Value| {
            let named: Map<String, Value> = (0..count).map(|name| (format!("p{name}"), value.clone())).collect();
            measured(&json!({key: named}))
        };

        assert!(many(3_000, "properties", json!({"type": "string"})).is_ok());
        assert!(many(24_000, "properties", json!({"type": "string"})).unwrap_err().contains("values"));
        assert!(many(100, "properties", json!({"pattern": "a+"})).unwrap_err().contains("patterns"));
        assert!(many(100, "patternProperties", json!(true)).unwrap_err().contains("patterns"));
        assert!(measured(&json!({"pattern": "a".repeat(2_000)})).unwrap_err().contains("bytes"));
    }

    #[test]
    fn what_a_schema_refers_to_is_in_it() {
        for reference in ["#/$defs/none", "http://127.0.0.1:1/schema.json", "file:///etc/passwd", "#nowhere"] {
            let reason = measured(&json!({"$ref": reference})).unwrap_err();
            assert!(reason.contains("not in it"), "{reason}");
        }
        let reason = measured(&json!({"properties": {"a": {"$id": "http://a.example/", "$ref": "#"}}})).unwrap_err();
        assert!(reason.contains("identifier"), "{reason}");
    }
}
