//! Whether a value has the shape of a schema: types, fields, alternatives and fixed values; no ranges and no lengths.

use std::fmt;

use serde_json::{Map, Value};

use super::merge::{members, type_of};
use super::refs::resolve;

/// References and compositions are followed so far; what is deeper is taken as fitting.
const DEPTH: usize = 256;

/// Where and why a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    path: Vec<String>,
    problem: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(&self.problem);
        }
        f.write_str("at `")?;
        for (index, step) in self.path.iter().enumerate() {
            match step.parse::<usize>() {
                Ok(item) => write!(f, "[{item}]")?,
                Err(_) if index == 0 => f.write_str(step)?,
                Err(_) => write!(f, ".{step}")?,
            }
        }
        write!(f, "`: {}", self.problem)
    }
}

/// The first place where a value has not the shape of a schema. With the feature `validate` the whole check tells it.
#[cfg(any(test, not(feature = "validate")))]
pub(crate) fn mismatch(root: &Value, value: &Value) -> Option<Mismatch> {
    Check { root }.at(root, value, DEPTH)
}

/// Whether a value has the shape of a part of a document.
pub(super) fn fits(root: &Value, schema: &Value, value: &Value) -> bool {
    Check { root }.at(schema, value, DEPTH).is_none()
}

struct Check<'a> {
    root: &'a Value,
}

fn here(problem: impl Into<String>) -> Option<Mismatch> {
    Some(Mismatch { path: Vec::new(), problem: problem.into() })
}

fn below(step: impl ToString, found: Option<Mismatch>) -> Option<Mismatch> {
    found.map(|mut mismatch| {
        mismatch.path.insert(0, step.to_string());
        mismatch
    })
}

impl Check<'_> {
    fn at(&self, schema: &Value, value: &Value, depth: usize) -> Option<Mismatch> {
        let depth = depth.checked_sub(1)?;
        let schema = match schema {
            Value::Bool(false) => return here("nothing is allowed here"),
            Value::Object(schema) => schema,
            _ => return None,
        };
        self.fixed(schema, value).or_else(|| self.composed(schema, value, depth)).or_else(|| match value {
            Value::Object(fields) => self.object(schema, fields, depth),
            Value::Array(items) => self.array(schema, items, depth),
            _ => None,
        })
    }

    fn fixed(&self, schema: &Map<String, Value>, value: &Value) -> Option<Mismatch> {
        let fits = |name: &str| match (name, type_of(value)) {
            ("number", "integer") => true,
            ("integer", "number") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            (name, found) => name == found,
        };
        let types = match schema.get("type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !types.is_empty() && !types.iter().any(|&name| fits(name)) {
            return here(format!("expected {}, found {}", types.join(" or "), type_of(value)));
        }
        if schema.get("const").is_some_and(|only| only != value) {
            return here(format!("expected {}", schema["const"]));
        }
        let allowed = members(schema, "enum");
        if schema.contains_key("enum") && !allowed.contains(value) {
            let names: Vec<_> = allowed.iter().map(Value::to_string).collect();
            return here(format!("expected one of {}", names.join(", ")));
        }
        None
    }

    fn composed(&self, schema: &Map<String, Value>, value: &Value, depth: usize) -> Option<Mismatch> {
        let referred = schema.get("$ref").and_then(Value::as_str).and_then(|name| resolve(self.root, name));
        let found = referred.and_then(|target| self.at(target, value, depth));
        let found = found.or_else(|| members(schema, "allOf").iter().find_map(|part| self.at(part, value, depth)));
        if found.is_some() {
            return found;
        }
        for keyword in ["anyOf", "oneOf"].into_iter().filter(|&keyword| schema.contains_key(keyword)) {
            let mut nearest: Option<Mismatch> = None;
            let mut any = false;
            for choice in members(schema, keyword) {
                match self.at(choice, value, depth) {
                    None => {
                        any = true;
                        break;
                    }
                    // The alternative that goes on for longest before it fails is the one that was meant.
                    Some(found) if nearest.as_ref().is_none_or(|near| near.path.len() < found.path.len()) => {
                        nearest = Some(found);
                    }
                    Some(_) => {}
                }
            }
            if !any {
                return match nearest {
                    Some(near) if !near.path.is_empty() => Some(near),
                    _ => here("it fits none of the alternatives"),
                };
            }
        }
        None
    }

    fn object(&self, schema: &Map<String, Value>, fields: &Map<String, Value>, depth: usize) -> Option<Mismatch> {
        let missing =
            members(schema, "required").iter().filter_map(Value::as_str).find(|&name| !fields.contains_key(name));
        if let Some(name) = missing {
            return here(format!("missing field `{name}`"));
        }
        let known = schema.get("properties").and_then(Value::as_object);
        let has_patterns = schema.contains_key("patternProperties");
        for (name, value) in fields {
            let found = match (known.and_then(|known| known.get(name)), schema.get("additionalProperties")) {
                (Some(property), _) => self.at(property, value, depth),
                (None, Some(Value::Bool(false))) if !has_patterns => here("this field is not known"),
                (None, Some(others)) if !has_patterns => self.at(others, value, depth),
                (None, _) => None,
            };
            if found.is_some() {
                return below(name, found);
            }
        }
        None
    }

    fn array(&self, schema: &Map<String, Value>, items: &[Value], depth: usize) -> Option<Mismatch> {
        let first = members(schema, "prefixItems");
        if !first.is_empty() && schema.get("minItems").and_then(Value::as_u64).is_some_and(|n| (items.len() as u64) < n)
        {
            return here(format!("expected {} items, found {}", first.len(), items.len()));
        }
        items.iter().enumerate().find_map(|(index, item)| {
            let schema = first.get(index).or_else(|| schema.get("items"))?;
            below(index, self.at(schema, item, depth))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn problem(schema: &Value, value: &Value) -> String {
        mismatch(schema, value).map(|mismatch| mismatch.to_string()).unwrap_or_default()
    }

    #[test]
    fn the_place_of_a_mismatch_is_named() {
        let schema = json!({
            "type": "object",
            "properties": {"a": {"type": "array", "items": {"$ref": "#/$defs/B"}}},
            "required": ["a"],
            "$defs": {"B": {"type": "object", "properties": {"c": {"type": "integer"}}, "required": ["c"]}},
        });
        assert_eq!(
            problem(&schema, &json!({"a": [{"c": 1}, {"c": "x"}]})),
            "at `a[1].c`: expected integer, found string"
        );
        assert_eq!(problem(&schema, &json!({"a": [{}]})), "at `a[0]`: missing field `c`");
        assert_eq!(problem(&schema, &json!([])), "expected object, found array");
        assert_eq!(problem(&schema, &json!({"a": [{"c": 2.0}]})), "");
    }

    #[test]
    fn of_alternatives_the_nearest_one_is_told() {
        let schema =
            json!({"anyOf": [{"type": "null"}, {"type": "object", "properties": {"x": {"enum": ["a", "b"]}}}]});
        assert_eq!(problem(&schema, &json!({"x": "c"})), "at `x`: expected one of \"a\", \"b\"");
        assert_eq!(problem(&schema, &json!(1)), "it fits none of the alternatives");
    }
}
