//! The way back: an answer in a provider's dialect as a value of the original schema.

use serde_json::{Map, Value};

use super::check::fits;
use super::merge::{alternatives, is_object_root, map_of, members, types};

/// What an answer means in terms of the schema that was asked with, before any [dialect](super::Dialect).
///
/// A value that fits the schema stays as it is. Otherwise the object around a root that is no object is taken off, nulls
/// of optional fields that cannot be null are dropped, and arrays of `{"key", "value"}` become the maps they stand for,
/// at any depth. What fits nothing stays as it is, for the error that is told.
///
/// ```
/// use research_llm::schema::restore;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]});
/// assert_eq!(restore(&schema, json!({"a": "x", "b": null})), json!({"a": "x"}));
/// ```
#[must_use]
pub fn restore(original: &Value, answer: Value) -> Value {
    Restore { root: original, partial: false }.document(answer)
}

/// The same for an answer that is still growing: entries that are not whole yet are left out.
pub(crate) fn restore_partial(original: &Value, answer: Value) -> Value {
    Restore { root: original, partial: true }.document(answer)
}

struct Restore<'a> {
    root: &'a Value,
    partial: bool,
}

impl Restore<'_> {
    fn document(&self, answer: Value) -> Value {
        if fits(self.root, self.root, &answer) {
            return answer;
        }
        match answer {
            Value::Object(mut fields)
                if fields.len() == 1 && fields.contains_key("value") && !is_object_root(self.root) =>
            {
                self.at(self.root, fields.remove("value").unwrap_or_default())
            }
            answer => self.at(self.root, answer),
        }
    }

    fn at(&self, schema: &Value, value: Value) -> Value {
        if !(value.is_array() || value.is_object()) || fits(self.root, schema, &value) {
            return value;
        }
        let Ok(all) = alternatives(self.root, schema) else { return value };
        if let [only] = all.as_slice() {
            return self.shape(only, value);
        }
        let mut likely: Vec<_> = all.into_iter().filter(|choice| self.is_likely(choice, &value)).collect();
        if let (1, Some(only)) = (likely.len(), likely.first()) {
            return self.shape(only, value);
        }
        for choice in likely.drain(..) {
            let shaped = self.shape(&choice, value.clone());
            if fits(self.root, &Value::Object(choice), &shaped) {
                return shaped;
            }
        }
        value
    }

    /// Whether an alternative can be meant, by its type, its fixed fields and the fields it demands.
    fn is_likely(&self, choice: &Map<String, Value>, value: &Value) -> bool {
        let types = types(choice);
        let known = choice.get("properties").and_then(Value::as_object);
        match value {
            Value::Array(_) => types.is_empty() || types.contains(&"array") || map_of(choice).is_some(),
            Value::Object(fields) => {
                (types.is_empty() || types.contains(&"object"))
                    && (self.partial
                        || members(choice, "required").iter().filter_map(Value::as_str).all(|n| fields.contains_key(n)))
                    && known.into_iter().flatten().all(|(name, property)| match (property, fields.get(name)) {
                        (Value::Object(property), Some(field)) if !field.is_null() => {
                            property.get("const").is_none_or(|only| only == field)
                                && (!property.contains_key("enum") || members(property, "enum").contains(field))
                        }
                        _ => true,
                    })
            }
            _ => true,
        }
    }

    fn shape(&self, schema: &Map<String, Value>, value: Value) -> Value {
        match value {
            Value::Array(items) if !types(schema).contains(&"array") => match map_of(schema) {
                Some((_, values)) => self.map(values, items),
                None => Value::Array(items),
            },
            Value::Array(items) => {
                let first = members(schema, "prefixItems");
                let restored = items.into_iter().enumerate().map(|(index, item)| {
                    match first.get(index).or_else(|| schema.get("items")) {
                        Some(schema) => self.at(schema, item),
                        None => item,
                    }
                });
                Value::Array(restored.collect())
            }
            Value::Object(fields) => {
                let known = schema.get("properties").and_then(Value::as_object);
                let is_required = |name: &str| members(schema, "required").iter().any(|required| required == name);
                let mut restored = Map::new();
                for (name, field) in fields {
                    let property =
                        known.and_then(|known| known.get(&name)).or_else(|| schema.get("additionalProperties"));
                    match property {
                        Some(property)
                            if field.is_null() && !is_required(&name) && !fits(self.root, property, &Value::Null) => {}
                        Some(property) => {
                            let field = self.at(property, field);
                            restored.insert(name, field);
                        }
                        None => {
                            restored.insert(name, field);
                        }
                    }
                }
                Value::Object(restored)
            }
            value => value,
        }
    }

    /// A map from its entries. Entries of another form, and keys that come twice, leave the array as it is.
    fn map(&self, values: &Value, entries: Vec<Value>) -> Value {
        let mut map = Map::new();
        for entry in &entries {
            match (entry.get("key").and_then(Value::as_str), entry.get("value")) {
                (Some(key), Some(value)) if entry.as_object().is_some_and(|entry| entry.len() == 2) => {
                    if map.insert(key.to_owned(), self.at(values, value.clone())).is_some() {
                        return Value::Array(entries);
                    }
                }
                _ if self.partial => {}
                _ => return Value::Array(entries),
            }
        }
        Value::Object(map)
    }
}
