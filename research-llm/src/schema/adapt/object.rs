//! Objects, maps and arrays in a strict dialect.

use serde_json::{Map, Value, json};

use super::{Place, Walk};
use crate::schema::check::fits;
use crate::schema::dialect::Dialect;
use crate::schema::merge::{map_of, members};
use crate::schema::note::Notes;

/// Keywords of objects and arrays that no strict dialect takes.
const SPOKEN: [&str; 11] = [
    "minProperties",
    "maxProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "then",
    "else",
    "not",
    "contains",
    "uniqueItems",
];

impl Walk<'_> {
    pub(super) fn object(&mut self, schema: &Map<String, Value>, place: &Place<'_>) -> Result<Value, String> {
        if let Some((key, values)) = map_of(schema) {
            return self.map(schema, &key, values, place);
        }
        let no_properties = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&no_properties);
        let has_others = schema.get("additionalProperties").is_some_and(|others| others != &Value::Bool(false));
        if has_others || schema.get("patternProperties").is_some() {
            return Err(place.problem("fields are allowed whose names are not known"));
        }
        let required: Vec<_> = members(schema, "required").iter().filter_map(Value::as_str).collect();
        if let Some(name) = required.iter().find(|&&name| !properties.contains_key(name)) {
            return Err(place.problem(format!("the field `{name}` is required and not described")));
        }
        let mut adapted = Map::new();
        let mut names = Vec::new();
        for (name, property) in properties {
            let is_required = required.contains(&name.as_str());
            let mut value = self.schema(property, &place.then(name))?;
            match (is_required, self.dialect) {
                (true, _) => names.push(json!(name)),
                (false, Dialect::Anthropic) => value = self.without_null(value),
                (false, _) => {
                    if !fits(self.root, property, &Value::Null) {
                        value = nullable(value);
                    }
                    names.push(json!(name));
                }
            }
            self.limits.property(name, !is_required);
            adapted.insert(name.clone(), value);
        }
        let mut object = Map::from_iter([
            ("type".to_owned(), json!("object")),
            ("properties".to_owned(), Value::Object(adapted)),
            ("required".to_owned(), Value::Array(names)),
            ("additionalProperties".to_owned(), json!(false)),
        ]);
        self.describe(schema, Notes::default(), &mut object);
        Ok(Value::Object(object))
    }

    /// An array of entries, for an object whose keys are not known.
    fn map(
        &mut self,
        schema: &Map<String, Value>,
        key: &Value,
        values: &Value,
        place: &Place<'_>,
    ) -> Result<Value, String> {
        let key = self.schema(key, &place.then("key"))?;
        let values = self.schema(values, &place.then("value"))?;
        self.limits.property("key", false);
        self.limits.property("value", false);
        let mut array = Map::from_iter([
            ("type".to_owned(), json!("array")),
            (
                "items".to_owned(),
                json!({
                    "type": "object",
                    "properties": {"key": key, "value": values},
                    "required": ["key", "value"],
                    "additionalProperties": false,
                }),
            ),
        ]);
        let mut notes = Notes::default();
        notes.say("Entries of a map, each key once.");
        let mut schema = schema.clone();
        schema.remove("propertyNames");
        self.describe(&schema, notes, &mut array);
        Ok(Value::Object(array))
    }

    pub(super) fn array(&mut self, schema: &Map<String, Value>, place: &Place<'_>) -> Result<Value, String> {
        let first = members(schema, "prefixItems");
        let mut notes = Notes::default();
        let items = if first.is_empty() {
            match schema.get("items") {
                Some(items) => self.schema(items, &place.then("[]"))?,
                None => return Err(place.problem("any items at all are allowed")),
            }
        } else {
            let others = schema.get("items").filter(|items| items.is_object());
            let kinds: Vec<_> = first.iter().chain(others).cloned().collect();
            if let Some(Value::Bool(true)) = schema.get("items") {
                return Err(place.problem("any further items at all are allowed"));
            }
            let items = self.choice(&Map::new(), &kinds, &place.then("[]"))?;
            if items.get("anyOf").is_some() {
                let spoken: Vec<_> = kinds.iter().map(Value::to_string).collect();
                notes.say(format!("The items are, in this order: {}.", spoken.join(", ")));
            }
            items
        };
        let mut array = Map::from_iter([("type".to_owned(), json!("array")), ("items".to_owned(), items)]);
        for keyword in ["minItems", "maxItems"] {
            let Some(value) = schema.get(keyword) else { continue };
            let is_taken = match self.dialect {
                Dialect::Anthropic => keyword == "minItems" && value.as_u64().is_some_and(|items| items <= 1),
                _ => true,
            };
            if is_taken {
                array.insert(keyword.to_owned(), value.clone());
            } else {
                notes.add(keyword, value);
            }
        }
        self.describe(schema, notes, &mut array);
        Ok(Value::Object(array))
    }

    fn describe(&self, schema: &Map<String, Value>, mut notes: Notes, adapted: &mut Map<String, Value>) {
        if let Some(text) = schema.get("description") {
            adapted.insert("description".to_owned(), text.clone());
        }
        for keyword in SPOKEN {
            if let Some(value) = schema.get(keyword) {
                notes.add(keyword, value);
            }
        }
        self.annotate(schema, notes).write(adapted);
    }

    /// The schema without its null, which an optional field says by not being there.
    fn without_null(&mut self, mut schema: Value) -> Value {
        let Some(fields) = schema.as_object_mut() else { return schema };
        if fields.get("type").is_some_and(Value::is_array) {
            let others: Vec<_> = members(fields, "type").iter().filter(|&name| name != "null").cloned().collect();
            if let ([only], false) = (others.as_slice(), fields.contains_key("enum")) {
                fields.insert("type".to_owned(), only.clone());
                self.limits.unions = self.limits.unions.saturating_sub(1);
            }
            return schema;
        }
        let Some(Value::Array(choices)) = fields.get_mut("anyOf") else { return schema };
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        let [only] = choices.as_slice() else { return schema };
        let mut only = only.clone();
        self.limits.unions = self.limits.unions.saturating_sub(1);
        let text = fields.remove("description");
        if let (Some(only), Some(text)) = (only.as_object_mut(), text)
            && !only.contains_key("$ref")
        {
            only.entry("description").or_insert(text);
        }
        only
    }
}

/// The schema or null.
fn nullable(mut schema: Value) -> Value {
    let nothing = json!({"type": "null"});
    let Some(fields) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        if !choices.contains(&nothing) {
            choices.push(nothing);
        }
        return schema;
    }
    let is_free = !fields.contains_key("enum") && !fields.contains_key("const");
    match fields.get("type").and_then(Value::as_str) {
        Some("string" | "number" | "integer" | "boolean") if is_free => {
            let kind = fields["type"].take();
            fields["type"] = json!([kind, "null"]);
            schema
        }
        _ => {
            let text = fields.remove("description");
            let mut choice = Map::from_iter([("anyOf".to_owned(), Value::Array(vec![schema, nothing]))]);
            if let Some(text) = text {
                choice.insert("description".to_owned(), text);
            }
            Value::Object(choice)
        }
    }
}
