//! How much a provider takes in one schema.

use serde_json::{Map, Value};

use crate::schema::dialect::Dialect;

/// What a schema holds so far.
#[derive(Default)]
pub(super) struct Limits {
    properties: usize,
    optional: usize,
    values: usize,
    characters: usize,
    /// Choices between types.
    pub(super) unions: usize,
    longest_enum: Option<(usize, usize)>,
}

impl Limits {
    /// Counts a property.
    pub(super) fn property(&mut self, name: &str, is_optional: bool) {
        self.properties += 1;
        self.optional += usize::from(is_optional);
        self.characters += name.chars().count();
    }

    /// Counts the fixed values of an enum or a constant.
    pub(super) fn names(&mut self, values: &[Value]) {
        let characters: usize = values.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
        self.values += values.len();
        self.characters += characters;
        if self.longest_enum.is_none_or(|(length, _)| length < values.len()) {
            self.longest_enum = Some((values.len(), characters));
        }
    }

    /// Says which limit of the provider a schema exceeds.
    pub(super) fn check(&self, dialect: Dialect, root: &Value, definitions: &Map<String, Value>) -> Result<(), String> {
        let names: usize = definitions.keys().map(|name| name.chars().count()).sum();
        let depth = definitions.values().map(depth).chain([depth(root)]).max().unwrap_or_default();
        let bounds: &[(&str, usize, usize)] = match dialect {
            Dialect::Plain => &[],
            Dialect::OpenAiStrict => &[
                ("properties", self.properties, 5_000),
                ("levels of objects", depth, 10),
                ("fixed values", self.values, 1_000),
                ("characters of names and fixed values", self.characters + names, 120_000),
            ],
            Dialect::Anthropic => {
                &[("optional properties", self.optional, 24), ("choices between types", self.unions, 16)]
            }
        };
        for (what, count, limit) in bounds {
            if count > limit {
                return Err(format!("it has {count} {what}, and the provider takes {limit}"));
            }
        }
        match self.longest_enum {
            Some((values, characters)) if dialect == Dialect::OpenAiStrict && values > 250 && characters > 15_000 => {
                Err(format!("an enum of {values} values has {characters} characters, and the provider takes 15000"))
            }
            _ => Ok(()),
        }
    }
}

/// How many objects are inside one another.
fn depth(schema: &Value) -> usize {
    match schema {
        Value::Object(fields) => {
            let own = usize::from(fields.get("type").is_some_and(|kind| kind == "object"));
            own + fields.values().map(depth).max().unwrap_or_default()
        }
        Value::Array(items) => items.iter().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}
