//! Texts, numbers, truth values and nulls in a strict dialect.

use serde_json::{Map, Value};

use super::{Place, Walk};
use crate::schema::dialect::Dialect;
use crate::schema::merge::is_annotation;
use crate::schema::note::Notes;

/// Formats that both providers check.
const FORMATS: [&str; 9] = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Formats of numbers, which say nothing that the type and its range do not.
const NUMBER_FORMATS: [&str; 15] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64", "uint128", "uint",
    "float", "double", "decimal",
];

impl Walk<'_> {
    pub(super) fn scalar(
        &mut self,
        schema: &Map<String, Value>,
        kind: Value,
        place: &Place<'_>,
    ) -> Result<Value, String> {
        if kind.is_array() {
            self.limits.unions += 1;
        }
        let mut adapted = Map::from_iter([("type".to_owned(), kind)]);
        let mut notes = Notes::default();
        // In the order of the alphabet, whatever order the map keeps: the same schema makes the same words.
        let mut keywords: Vec<_> = schema.iter().collect();
        keywords.sort_by_key(|(keyword, _)| keyword.as_str());
        for (keyword, value) in keywords {
            match keyword.as_str() {
                "type" => {}
                "description" => {
                    adapted.insert(keyword.clone(), value.clone());
                }
                "enum" | "const" => {
                    let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                    if values.iter().any(|value| value.is_object() || value.is_array()) {
                        return Err(place.problem("a fixed value is no text, number or truth value"));
                    }
                    self.limits.names(values);
                    adapted.insert(keyword.clone(), value.clone());
                }
                "format" if value.as_str().is_some_and(|name| NUMBER_FORMATS.contains(&name)) => {}
                keyword if self.takes(keyword, value) => {
                    adapted.insert(keyword.to_owned(), value.clone());
                }
                keyword if is_annotation(keyword) => {}
                "format" | "pattern" | "minLength" | "maxLength" | "minimum" | "maximum" | "exclusiveMinimum"
                | "exclusiveMaximum" | "multipleOf" | "contentMediaType" | "contentEncoding" | "not" => {
                    notes.add(keyword, value);
                }
                _ => {}
            }
        }
        self.annotate(schema, notes).write(&mut adapted);
        Ok(Value::Object(adapted))
    }

    /// Whether the provider holds answers to a limit of a scalar.
    fn takes(&self, keyword: &str, value: &Value) -> bool {
        let openai = self.dialect == Dialect::OpenAiStrict;
        match keyword {
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => openai,
            "format" => value.as_str().is_some_and(|name| FORMATS.contains(&name) || (name == "uri" && !openai)),
            // Neither one takes look-around or references back.
            "pattern" => value.as_str().is_some_and(is_simple_pattern),
            _ => false,
        }
    }
}

fn is_simple_pattern(pattern: &str) -> bool {
    let groups = pattern.split("(?").skip(1).all(|rest| rest.starts_with(':'));
    let escapes =
        pattern.split('\\').skip(1).all(|rest| !rest.starts_with(|c: char| c.is_ascii_digit() || "bBpPk".contains(c)));
    groups && escapes
}
