//! Reads a JSON text piece by piece: one record of it is in memory at a time.

use std::fmt;
use std::io::BufRead;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// What a JSON value is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// An array; whether it is a list of objects that is not empty.
    Array(bool),
    /// An object, with the names of its members that are lists of objects.
    Object(Vec<String>),
    /// A text, number, truth value or null.
    Scalar,
}

/// Takes the number and the text of an item, and says whether more are wanted.
pub(super) type Take<'f> = dyn FnMut(usize, &str) -> bool + 'f;

/// Reads the whole text to find out what it is.
pub(super) fn shape(reader: impl BufRead) -> serde_json::Result<Shape> {
    let mut deserializer = serde_json::Deserializer::from_reader(reader);
    let shape = Probe.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(shape)
}

/// Returns whether there was another value behind the first.
pub(super) fn is_trailing(error: &serde_json::Error) -> bool {
    error.is_syntax() && error.to_string().starts_with("trailing characters")
}

/// Hands on the items of the array that the text is, or that its member of this name is.
pub(super) fn items(reader: impl BufRead, member: Option<&str>, take: &mut Take<'_>) -> serde_json::Result<()> {
    let mut deserializer = serde_json::Deserializer::from_reader(reader);
    match member {
        None => Items(take).deserialize(&mut deserializer),
        Some(name) => deserializer.deserialize_map(Member { name, take }),
    }
}

/// Hands on the one value that the text is.
pub(super) fn single(reader: impl BufRead, take: &mut Take<'_>) -> serde_json::Result<()> {
    let text: Box<RawValue> = serde_json::from_reader(reader)?;
    take(0, text.get());
    Ok(())
}

/// Reads over a value, and tells what it is.
struct Probe;

impl<'de> DeserializeSeed<'de> for Probe {
    type Value = Shape;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Probe {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Shape, A::Error> {
        let (mut any, mut all) = (false, true);
        while let Some(shape) = items.next_element_seed(Self)? {
            any = true;
            all &= matches!(shape, Shape::Object(_));
        }
        Ok(Shape::Array(any && all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Shape, A::Error> {
        let mut lists = Vec::new();
        while let Some(name) = members.next_key::<String>()? {
            if members.next_value_seed(Self)? == Shape::Array(true) {
                lists.push(name);
            }
        }
        Ok(Shape::Object(lists))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }

    fn visit_str<E>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }
}

/// Hands on the items of an array.
struct Items<'f, 't>(&'f mut Take<'t>);

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut at = 0;
        while let Some(item) = items.next_element::<Box<RawValue>>()? {
            if !(self.0)(at, item.get()) {
                return Err(A::Error::custom("no more items are wanted"));
            }
            at += 1;
        }
        Ok(())
    }
}

/// Hands on the items of the array that is one member of an object.
struct Member<'f, 't> {
    name: &'f str,
    take: &'f mut Take<'t>,
}

impl<'de> Visitor<'de> for Member<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            if name == self.name {
                members.next_value_seed(Items(&mut *self.take))?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
