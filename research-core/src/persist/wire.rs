//! `MessagePack` as checkpoints use it: serde values in and out, and a look at the bytes before any type sees them.
//!
//! Arrays of bytes are [packed](crate::checkpoint::packed).

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{CodecError, CodecErrorKind, MAX_DEPTH};
use crate::checkpoint::packed::{Head, PACKED, head, pack, unpack};
use crate::panics::panic_message;
use crate::reduce::Tail;

/// Writes a value.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let start = out.len();
    checked(out, |out| value.serialize(&mut serializer(out)))?;
    pack(out, start);
    Ok(())
}

/// Writes what was appended to a value since a mark.
pub(crate) fn encode_tail<T: Tail>(value: &T, mark: usize, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let start = out.len();
    checked(out, |out| value.serialize_tail(mark, &mut serializer(out)))?;
    pack(out, start);
    Ok(())
}

/// A value as bytes.
pub(crate) fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::new();
    encode(value, &mut out)?;
    Ok(out)
}

/// A value as bytes to compare others with: without packed arrays, as earlier versions of this library wrote them.
pub(crate) fn to_key<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::new();
    checked(&mut out, |out| value.serialize(&mut serializer(out)))?;
    Ok(out)
}

/// Reads a value.
pub(crate) fn decode<T: DeserializeOwned>(value: &[u8]) -> Result<T, CodecError> {
    check(value)?;
    // What is half read is dropped with the panic.
    match catch_unwind(AssertUnwindSafe(|| rmp_serde::from_slice(&unpack(value)))) {
        Ok(read) => read.map_err(|source| CodecError::new(CodecErrorKind::Decode).with_source(source)),
        Err(payload) => Err(panicked(CodecErrorKind::Decode, payload)),
    }
}

type Encoder<'a> =
    rmp_serde::Serializer<&'a mut Vec<u8>, rmp_serde::config::StructMapConfig<rmp_serde::config::DefaultConfig>>;

/// Structs as maps by name: a struct that grows can then still be read.
fn serializer(out: &mut Vec<u8>) -> Encoder<'_> {
    rmp_serde::Serializer::new(out).with_struct_map()
}

fn checked(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), rmp_serde::encode::Error>,
) -> Result<(), CodecError> {
    let start = out.len();
    // Whoever called takes back what was half written, as after any other error.
    match catch_unwind(AssertUnwindSafe(|| write(out))) {
        Ok(written) => written.map_err(|source| CodecError::new(CodecErrorKind::Encode).with_source(source))?,
        Err(payload) => return Err(panicked(CodecErrorKind::Encode, payload)),
    }
    let len = out.len() - start;
    if u32::try_from(len).is_err() {
        return Err(CodecError::new(CodecErrorKind::TooLarge));
    }
    // A level takes at least one byte.
    if len > MAX_DEPTH { check(&out[start..]) } else { Ok(()) }
}

/// A panic in the user's `Serialize` or `Deserialize`.
#[cold]
fn panicked(kind: CodecErrorKind, payload: Box<dyn std::any::Any + Send>) -> CodecError {
    CodecError::new(kind).with_source(format!("it panicked: {}", panic_message(payload)))
}

/// Refuses what is not exactly one value of at most [`MAX_DEPTH`] levels, without recursion.
pub(crate) fn check(value: &[u8]) -> Result<(), CodecError> {
    let damaged = || CodecError::new(CodecErrorKind::Damaged);
    let (mut open, mut depth) = ([0_u32; MAX_DEPTH], 0);
    let mut rest = value;
    loop {
        let Head { len, data, children, .. } = head(rest).ok_or_else(damaged)?;
        rest = rest[len..].get(data..).ok_or_else(damaged)?;
        if children > 0 {
            // Each takes at least one byte, so the number fits.
            let children = u32::try_from(children).ok().filter(|n| *n as usize <= rest.len()).ok_or_else(damaged)?;
            *open.get_mut(depth).ok_or_else(|| CodecError::new(CodecErrorKind::TooDeep))? = children;
            depth += 1;
            continue;
        }
        while depth > 0 {
            open[depth - 1] -= 1;
            if open[depth - 1] > 0 {
                break;
            }
            depth -= 1;
        }
        if depth == 0 {
            return if rest.is_empty() { Ok(()) } else { Err(damaged()) };
        }
    }
}

/// Whether two values are sequences of one kind; nil is one of any kind.
pub(crate) fn joins(value: &[u8], more: &[u8]) -> bool {
    let kind = |value: &[u8]| match value.first() {
        Some(0x80..=0x8f | 0xde | 0xdf) => 'm',
        Some(0x90..=0x9f | 0xdc | 0xdd | &PACKED) => 'a',
        Some(0xa0..=0xbf | 0xd9..=0xdb) => 't',
        Some(0xc4..=0xc6) => 'b',
        Some(0xc0) => 'n',
        _ => 'x',
    };
    match (kind(value), kind(more)) {
        ('x', _) | (_, 'x') => false,
        ('n', _) | (_, 'n') => true,
        (value, more) => value == more,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};
    use serde_json::Value;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Unit,
        Newtype(f64),
        Tuple(u8, Option<String>),
        Struct { width: u128, inner: Box<Shape> },
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Values {
        floats: Vec<f64>,
        small: Vec<f32>,
        keys: BTreeMap<(u8, bool), Option<i64>>,
        numbers: BTreeMap<i32, u64>,
        wide: (i128, u128),
        text: char,
        bytes: Vec<u8>,
        fixed: [u8; 4],
        unit: (),
        shapes: Vec<Shape>,
        json: Value,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,40}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
                proptest::collection::btree_map(".{0,5}", inner, 0..20).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    fn shape() -> impl Strategy<Value = Shape> {
        let leaf = prop_oneof![
            Just(Shape::Unit),
            any::<f64>().prop_map(Shape::Newtype),
            (any::<u8>(), any::<Option<String>>()).prop_map(|(a, b)| Shape::Tuple(a, b)),
        ];
        leaf.prop_recursive(4, 8, 1, |inner| {
            (any::<u128>(), inner).prop_map(|(width, inner)| Shape::Struct { width, inner: Box::new(inner) })
        })
    }

    prop_compose! {
        fn values()(
            floats in any::<Vec<f64>>(), small in any::<Vec<f32>>(), keys in any::<BTreeMap<(u8, bool), Option<i64>>>(),
            numbers in any::<BTreeMap<i32, u64>>(), wide in any::<(i128, u128)>(), text in any::<char>(),
            bytes in any::<Vec<u8>>(), fixed in any::<[u8; 4]>(), shapes in proptest::collection::vec(shape(), 0..4),
            json in json(), rest in proptest::collection::btree_map("x.{0,3}", json(), 0..3),
        ) -> Values {
            Values { floats, small, keys, numbers, wide, text, bytes, fixed, unit: (), shapes, json, rest }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn values_of_every_kind_survive(value in values()) {
            let bytes = to_bytes(&value).unwrap();
            check(&bytes).unwrap();
            prop_assert_eq!(decode::<Values>(&bytes).unwrap(), value);
        }

        #[test]
        fn what_is_cut_off_or_too_long_is_damaged(value in values(), place in any::<prop::sample::Index>()) {
            let mut bytes = to_bytes(&value).unwrap();
            let cut = &bytes[..place.index(bytes.len())];
            prop_assert_eq!(check(cut).unwrap_err().kind(), CodecErrorKind::Damaged);
            bytes.push(0);
            prop_assert_eq!(check(&bytes).unwrap_err().kind(), CodecErrorKind::Damaged);
        }

        #[test]
        fn any_bytes_are_refused_or_read_but_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            drop((decode::<Values>(&bytes), decode::<Value>(&bytes)));
        }
    }

    #[test]
    fn extremes_keep_their_bits() {
        let floats = [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MIN_POSITIVE];
        let read: Vec<f64> = decode(&to_bytes(&floats[..]).unwrap()).unwrap();
        assert!(read.iter().zip(floats).all(|(read, float)| read.to_bits() == float.to_bits()));
        let wide = (u64::MAX, i64::MIN, u128::MAX, i128::MIN);
        assert_eq!(decode::<(u64, i64, u128, i128)>(&to_bytes(&wide).unwrap()).unwrap(), wide);
    }

    #[test]
    fn a_struct_that_has_grown_reads_what_was_written_before() {
        #[derive(Serialize)]
        struct Old {
            text: &'static str,
        }
        #[derive(Debug, PartialEq, Deserialize)]
        struct New {
            #[serde(default)]
            pages: Vec<u8>,
            text: String,
        }
        let read: New = decode(&to_bytes(&[Old { text: "a" }][..]).unwrap()).map(|[new]: [New; 1]| new).unwrap();
        assert_eq!(read, New { pages: Vec::new(), text: "a".into() });
    }

    /// Nests so many levels.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Nest {
        End,
        Level(Box<Nest>),
    }

    fn nest(levels: usize) -> Nest {
        (0..levels).fold(Nest::End, |inner, _| Nest::Level(Box::new(inner)))
    }

    #[test]
    fn nesting_has_a_limit_that_is_the_same_for_writing_and_reading() {
        let deepest = to_bytes(&nest(MAX_DEPTH)).unwrap();
        assert_eq!(decode::<Nest>(&deepest).unwrap(), nest(MAX_DEPTH));
        assert_eq!(to_bytes(&nest(MAX_DEPTH + 1)).unwrap_err().kind(), CodecErrorKind::TooDeep);
        let deeper = [&b"\x91".repeat(MAX_DEPTH + 1), &b"\xc0"[..]].concat();
        assert_eq!(decode::<Value>(&deeper).unwrap_err().kind(), CodecErrorKind::TooDeep);
        let far_deeper = b"\x91".repeat(10_000_000);
        assert_eq!(decode::<Value>(&far_deeper).unwrap_err().kind(), CodecErrorKind::TooDeep);
    }
}
