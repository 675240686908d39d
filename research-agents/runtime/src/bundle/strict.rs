//! Reads JSON without losing anything silently: a field that is given twice and a field that the
//! form does not have are errors.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

/// Reads a value in which no object has a field twice. The path of the first such field is left in
/// `twice`.
pub(crate) struct Unique<'a> {
    path: String,
    twice: &'a RefCell<Option<String>>,
}

impl<'a> Unique<'a> {
    /// Creates the reader of a whole text.
    pub(crate) fn new(twice: &'a RefCell<Option<String>>) -> Self {
        Self {
            path: String::new(),
            twice,
        }
    }

    fn at(&self, path: String) -> Self {
        Self {
            path,
            twice: self.twice,
        }
    }

    fn field(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }
}

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) =
            items.next_element_seed(self.at(format!("{}[{}]", self.path, list.len())))?
        {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let path = self.field(&name);
            if object.contains_key(&name) {
                self.twice.borrow_mut().get_or_insert(path);
                return Err(A::Error::custom("a field is given twice"));
            }
            let value = fields.next_value_seed(self.at(path))?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

/// Returns the path of the first part of a stated value that its reading lost or changed: a field
/// that the form does not have, or a value that was read as another one.
pub(crate) fn first_lost<T>(stated: &Value, read: &T) -> Option<Lost>
where
    T: serde::Serialize,
{
    let read = serde_json::to_value(read).ok()?;
    lost(stated, &read, String::new())
}

/// Reads a value of a form whose fields are all known.
///
/// # Errors
///
/// Why it cannot be read: the problem of its reader, or the path of a field that the form does not
/// have.
pub fn read_strictly<'de, T>(stated: &'de Value) -> Result<T, String>
where
    T: Deserialize<'de> + serde::Serialize,
{
    let read: T = serde_path_to_error::deserialize(stated).map_err(|error| error.to_string())?;
    match first_lost(stated, &read) {
        Some(Lost::Field(path)) => Err(format!("the form has no field `{path}`")),
        Some(Lost::Value(path)) => Err(format!("`{path}` is not written as a run writes it")),
        None => Ok(read),
    }
}

/// A part of a stated value that its reading lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// A field that the form does not have.
    Field(String),
    /// A value that was read as another one.
    Value(String),
}

fn lost(stated: &Value, read: &Value, path: String) -> Option<Lost> {
    match (stated, read) {
        (Value::Object(stated), Value::Object(read)) => stated.iter().find_map(|(name, value)| {
            let path = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };

            match read.get(name) {
                Some(known) => lost(value, known, path),
                None => Some(Lost::Field(path)),
            }
        }),
        (Value::Array(stated), Value::Array(read)) if stated.len() == read.len() => {
            let mut items = stated.iter().zip(read).enumerate();
            items.find_map(|(at, (value, known))| lost(value, known, format!("{path}[{at}]")))
        }
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => None,
        _ => (stated != read).then_some(Lost::Value(path)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn unique(text: &str) -> Result<Value, Option<String>> {
        let twice = RefCell::new(None);
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = Unique::new(&twice).deserialize(&mut reader);
        read.map_err(|_| twice.into_inner())
    }

    #[test]
    fn a_field_that_is_given_twice_is_named() {
        assert_eq!(
            unique(r#"{"a": [{"b": 1, "c": -2, "d": 1.5e3}, null, true, "a"]}"#),
            Ok(json!({"a": [{"b": 1, "c": -2, "d": 1.5e3}, null, true, "a"]}))
        );

        for (text, field) in [
            (r#"{"a": 1, "a": 1}"#, "a"),
            (r#"{"x": {"a": [1, {"b": 1, "\u0062": 2}]}}"#, "x.a[1].b"),
        ] {
            assert_eq!(unique(text), Err(Some(field.to_owned())), "{text}");
        }

        assert_eq!(unique("{"), Err(None));
    }

    #[test]
    fn what_a_reading_lost_is_named() {
        let read = json!({"a": 1, "list": [{"b": 2.0}], "more": null});

        for (stated, expected) in [
            (json!({"a": 1.0, "list": [{"b": 2}]}), None),
            (
                json!({"a": 1, "list": [{"b": 2, "c": null}]}),
                Some(Lost::Field("list[0].c".to_owned())),
            ),
            (json!({"a": 2}), Some(Lost::Value("a".to_owned()))),
            (json!({"list": []}), Some(Lost::Value("list".to_owned()))),
        ] {
            assert_eq!(first_lost(&stated, &read), expected, "{stated}");
        }
    }
}
