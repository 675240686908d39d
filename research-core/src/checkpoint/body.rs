//! The wire form of a state's changes: a list of chunks, each an operation on one field.
//!
//! A chunk is one byte of operation, the length of the field's name (u16, little endian), the length of the data (u32,
//! little endian), the name, the data. The data of [`Op::Set`] and [`Op::Concat`] are one `MessagePack` value
//! (<https://github.com/msgpack/msgpack/blob/master/spec.md>) with [packed](super::packed) arrays of bytes, so that chunks
//! fold without knowing the type of a field.

use std::convert::Infallible;

use super::error::{StoreError, StoreErrorKind};
use super::packed::{PACKED, pack, unpack};

/// What a chunk does to its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// The whole value.
    Set,
    /// More elements of an array, entries of a map, or characters of a text.
    Concat,
    /// A list of changes that only the field's reducer can apply.
    Changes,
}

/// One operation on one field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chunk<'a> {
    pub(crate) op: Op,
    pub(crate) field: &'a str,
    pub(crate) data: &'a [u8],
}

const HEAD: usize = 7;

/// Writes chunks one after the other.
#[derive(Debug, Default)]
pub(crate) struct BodyWriter {
    pub(crate) bytes: Vec<u8>,
}

impl BodyWriter {
    /// Writes a chunk whose data `fill` appends; takes it back when `fill` fails. Gives the length of the data.
    pub(crate) fn chunk<E>(
        &mut self,
        op: Op,
        field: &str,
        fill: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<usize, E> {
        let start = self.bytes.len();
        // The identifiers of Rust that fields are named by are shorter than this.
        let name = u16::try_from(field.len()).unwrap_or(u16::MAX);
        self.bytes.push(match op {
            Op::Set => 0,
            Op::Concat => 1,
            Op::Changes => 2,
        });
        self.bytes.extend_from_slice(&name.to_le_bytes());
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.extend_from_slice(&field.as_bytes()[..usize::from(name)]);
        let data = self.bytes.len();
        if let Err(error) = fill(&mut self.bytes) {
            self.bytes.truncate(start);
            return Err(error);
        }
        let len = self.bytes.len() - data;
        let written = u32::try_from(len).unwrap_or(u32::MAX);
        self.bytes[start + 3..start + HEAD].copy_from_slice(&written.to_le_bytes());
        Ok(len)
    }

    /// Writes a chunk of data that is at hand.
    pub(crate) fn raw(&mut self, op: Op, field: &str, data: &[u8]) {
        let Ok(_) = self.chunk(op, field, |bytes| {
            bytes.extend_from_slice(data);
            Ok::<(), Infallible>(())
        });
    }
}

/// The chunks of a body, in order; an error and nothing more where it is damaged.
pub(crate) fn chunks(body: &[u8]) -> impl Iterator<Item = Result<Chunk<'_>, StoreError>> {
    let mut rest = body;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let chunk = first(rest);
        match &chunk {
            Some((_, more)) => rest = more,
            None => rest = &[],
        }
        Some(chunk.map(|(chunk, _)| chunk).ok_or_else(damaged))
    })
}

fn first(body: &[u8]) -> Option<(Chunk<'_>, &[u8])> {
    let (head, rest) = body.split_first_chunk::<HEAD>()?;
    let [op, n0, n1, d0, d1, d2, d3] = *head;
    let op = match op {
        0 => Op::Set,
        1 => Op::Concat,
        2 => Op::Changes,
        _ => return None,
    };
    let name = usize::from(u16::from_le_bytes([n0, n1]));
    let data = usize::try_from(u32::from_le_bytes([d0, d1, d2, d3])).ok()?;
    let (field, rest) = rest.split_at_checked(name)?;
    let (data, rest) = rest.split_at_checked(data)?;
    Some((Chunk { op, field: std::str::from_utf8(field).ok()?, data }, rest))
}

#[cold]
fn damaged() -> StoreError {
    StoreError::new(
        StoreErrorKind::Corrupt,
        "the stored state of a checkpoint is damaged; restore the store from a backup",
    )
}

#[cold]
fn too_large(field: &str) -> StoreError {
    StoreError::new(
        StoreErrorKind::Other,
        format!("`{field}` would take more than 4 GiB in one checkpoint; keep the checkpoints that it is spread over"),
    )
}

/// Folds bodies that follow each other into one that stands for all of them.
///
/// # Errors
///
/// When one of them is damaged, or a field would take more than 4 GiB.
pub fn squash<'a>(bodies: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>, StoreError> {
    let mut out = BodyWriter::default();
    for (field, history) in fields(bodies)? {
        history.write(field, &mut out)?;
    }
    Ok(out.bytes)
}

/// By field, in the order of their first chunk, what bodies that follow each other leave of it.
pub(crate) fn fields<'a>(
    bodies: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Vec<(&'a str, History<'a>)>, StoreError> {
    let mut fields: Vec<(&'a str, History<'a>)> = Vec::new();
    for body in bodies {
        for chunk in chunks(body) {
            let chunk = chunk?;
            let place = match fields.iter().position(|(field, _)| *field == chunk.field) {
                Some(place) => place,
                None => {
                    fields.push((chunk.field, History::default()));
                    fields.len() - 1
                }
            };
            fields[place].1.add(chunk.op, chunk.data)?;
        }
    }
    Ok(fields)
}

/// What is left of one field: a value, if one was set, what was added to it, and changes since.
#[derive(Debug, Default)]
pub(crate) struct History<'a> {
    /// A value was set, so that nothing before it counts.
    pub(crate) is_set: bool,
    value: Value<'a>,
    /// Lists of changes, in order.
    pub(crate) changes: Vec<&'a [u8]>,
}

#[derive(Debug, Default)]
enum Value<'a> {
    #[default]
    None,
    One(&'a [u8]),
    Many(Sequence),
}

impl<'a> History<'a> {
    fn add(&mut self, op: Op, data: &'a [u8]) -> Result<(), StoreError> {
        match op {
            Op::Set => *self = Self { is_set: true, value: Value::One(data), changes: Vec::new() },
            // Whoever writes changes of a field writes nothing else of it until it is set again.
            Op::Concat if !self.changes.is_empty() => return Err(damaged()),
            Op::Concat => match &mut self.value {
                Value::None => self.value = Value::One(data),
                Value::One(first) => {
                    let mut sequence = Sequence::default();
                    sequence.extend(first)?;
                    sequence.extend(data)?;
                    self.value = Value::Many(sequence);
                }
                Value::Many(sequence) => sequence.extend(data)?,
            },
            Op::Changes => self.changes.push(data),
        }
        Ok(())
    }

    /// The value as one `MessagePack` value.
    pub(crate) fn value(&self) -> Option<std::borrow::Cow<'_, [u8]>> {
        match &self.value {
            Value::None => None,
            Value::One(data) => Some((*data).into()),
            Value::Many(sequence) => Some(sequence.encode().into()),
        }
    }

    fn write(&self, field: &str, out: &mut BodyWriter) -> Result<(), StoreError> {
        if let Some(value) = self.value() {
            let mut value = value.into_owned();
            pack(&mut value, 0);
            if u32::try_from(value.len()).is_err() {
                return Err(too_large(field));
            }
            out.raw(if self.is_set { Op::Set } else { Op::Concat }, field, &value);
        }
        self.changes.iter().for_each(|changes| out.raw(Op::Changes, field, changes));
        Ok(())
    }
}

/// Elements of several `MessagePack` sequences, gathered.
#[derive(Debug, Default)]
struct Sequence {
    kind: Option<Kind>,
    count: u64,
    payload: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Array,
    Map,
    Text,
    Binary,
}

impl Sequence {
    fn extend(&mut self, value: &[u8]) -> Result<(), StoreError> {
        // Elements are gathered as they are without being packed. What is inside of them may stay packed.
        let value = if value.first() == Some(&PACKED) { unpack(value) } else { value.into() };
        let (kind, count, payload) = split(&value).ok_or_else(damaged)?;
        match (self.kind, kind) {
            // Nil stands for a sequence that is not there.
            (_, None) => return Ok(()),
            (Some(known), Some(kind)) if known != kind => return Err(damaged()),
            (_, Some(kind)) => self.kind = Some(kind),
        }
        let counts_bytes = matches!(kind, Some(Kind::Text | Kind::Binary));
        if counts_bytes && usize::try_from(count) != Ok(payload.len()) {
            return Err(damaged());
        }
        self.count += count;
        if self.count > u64::from(u32::MAX) {
            return Err(damaged());
        }
        self.payload.extend_from_slice(payload);
        Ok(())
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.payload.len() + 5);
        let (fix, fixed, sizes): (u8, u64, [u8; 3]) = match self.kind {
            None => return vec![0xc0],
            Some(Kind::Array) => (0x90, 16, [0, 0xdc, 0xdd]),
            Some(Kind::Map) => (0x80, 16, [0, 0xde, 0xdf]),
            Some(Kind::Text) => (0xa0, 32, [0xd9, 0xda, 0xdb]),
            Some(Kind::Binary) => (0, 0, [0xc4, 0xc5, 0xc6]),
        };
        let bytes = self.count.to_be_bytes();
        if self.count < fixed {
            out.push(fix | bytes[7]);
        } else if sizes[0] != 0 && self.count < 1 << 8 {
            out.extend([sizes[0], bytes[7]]);
        } else if self.count < 1 << 16 {
            out.push(sizes[1]);
            out.extend(&bytes[6..]);
        } else {
            out.push(sizes[2]);
            out.extend(&bytes[4..]);
        }
        out.extend_from_slice(&self.payload);
        out
    }
}

/// The kind of a sequence (none for nil), its count, and its elements.
fn split(value: &[u8]) -> Option<(Option<Kind>, u64, &[u8])> {
    let (first, rest) = value.split_first()?;
    let sized = |kind, bytes: usize| {
        let (count, payload) = rest.split_at_checked(bytes)?;
        let count = count.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        Some((Some(kind), count, payload))
    };
    match *first {
        0xc0 => Some((None, 0, rest)),
        0x80..=0x8f => Some((Some(Kind::Map), u64::from(first & 0x0f), rest)),
        0x90..=0x9f => Some((Some(Kind::Array), u64::from(first & 0x0f), rest)),
        0xa0..=0xbf => Some((Some(Kind::Text), u64::from(first & 0x1f), rest)),
        0xc4 => sized(Kind::Binary, 1),
        0xc5 => sized(Kind::Binary, 2),
        0xc6 => sized(Kind::Binary, 4),
        0xd9 => sized(Kind::Text, 1),
        0xda => sized(Kind::Text, 2),
        0xdb => sized(Kind::Text, 4),
        0xdc => sized(Kind::Array, 2),
        0xdd => sized(Kind::Array, 4),
        0xde => sized(Kind::Map, 2),
        0xdf => sized(Kind::Map, 4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};

    use super::*;

    /// A value of a field, and what can be done to it.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(untagged)]
    enum Plain {
        Text(String),
        List(Vec<u64>),
        Map(BTreeMap<u64, u64>),
    }

    /// The stored form of a value.
    fn packed(value: &impl Serialize) -> Vec<u8> {
        let mut packed = rmp_serde::to_vec(value).unwrap();
        pack(&mut packed, 0);
        packed
    }

    fn body<'a>(chunks: impl IntoIterator<Item = &'a (Op, &'static str, Vec<u8>)>) -> Vec<u8> {
        let mut body = BodyWriter::default();
        chunks.into_iter().for_each(|(op, field, data)| body.raw(*op, field, data));
        body.bytes
    }

    fn squashed(bodies: &[Vec<u8>]) -> Result<Vec<u8>, StoreError> {
        squash(bodies.iter().map(Vec::as_slice))
    }

    /// Applies one chunk after the other, as the definition of each operation says.
    fn applied(bodies: &[Vec<u8>]) -> BTreeMap<String, (Option<Plain>, Vec<Vec<u8>>)> {
        let mut state: BTreeMap<String, (Option<Plain>, Vec<Vec<u8>>)> = BTreeMap::new();
        for chunk in bodies.iter().flat_map(|body| chunks(body)) {
            let Chunk { op, field, data } = chunk.unwrap();
            let (value, changes) = state.entry(field.to_owned()).or_default();
            let more = || rmp_serde::from_slice::<Plain>(&unpack(data)).unwrap();
            match op {
                Op::Set => (*value, *changes) = (Some(more()), Vec::new()),
                Op::Changes => changes.push(data.to_vec()),
                Op::Concat => match (value, more()) {
                    (Some(Plain::Text(text)), Plain::Text(more)) => text.push_str(&more),
                    (Some(Plain::List(list)), Plain::List(more)) => list.extend(more),
                    (Some(Plain::Map(map)), Plain::Map(more)) => map.extend(more),
                    (value @ None, more) => *value = Some(more),
                    (value, more) => panic!("{value:?} and {more:?}"),
                },
            }
        }
        state
    }

    /// One chunk of one of four fields, each of which has its own kind.
    fn chunk() -> impl Strategy<Value = (Op, &'static str, Vec<u8>)> {
        let op = || prop::sample::select(vec![Op::Set, Op::Concat, Op::Concat, Op::Concat]);
        let text = (op(), "[a-zä]{0,40}").prop_map(|(op, text)| (op, "text", packed(&text)));
        let number = prop_oneof![1 => Just(300_u64), 9 => 0..256_u64];
        let list = prop::collection::vec(number, 0..20);
        // Earlier versions of this library did not pack.
        let list = (op(), list, any::<bool>()).prop_map(|(op, list, earlier)| {
            (op, "list", if earlier { rmp_serde::to_vec(&list).unwrap() } else { packed(&list) })
        });
        let map = prop::collection::btree_map(0..100_u64, any::<u64>(), 0..20);
        let map = (op(), map).prop_map(|(op, map)| (op, "map", packed(&map)));
        let changes = (any::<bool>(), prop::collection::vec(any::<u8>(), 0..9)).prop_map(|(set, data)| {
            if set { (Op::Set, "changed", packed(&vec![1, 2])) } else { (Op::Changes, "changed", data) }
        });
        prop_oneof![text, list, map, changes]
    }

    proptest! {
        #[test]
        fn a_squash_stands_for_the_bodies_in_order(
            bodies in prop::collection::vec(prop::collection::vec(chunk(), 0..6), 0..12),
            cut in any::<prop::sample::Index>(),
        ) {
            let bodies: Vec<Vec<u8>> = bodies.iter().map(body).collect();
            let whole = squashed(&bodies).unwrap();
            prop_assert_eq!(applied(std::slice::from_ref(&whole)), applied(&bodies));
            // What was squashed before can be squashed with what came after.
            let cut = cut.index(bodies.len() + 1);
            let mut halves = vec![squashed(&bodies[..cut]).unwrap()];
            halves.extend_from_slice(&bodies[cut..]);
            prop_assert_eq!(squashed(&halves).unwrap(), whole);
        }

        #[test]
        fn damage_is_an_error_and_never_a_panic(
            bodies in prop::collection::vec(prop::collection::vec(chunk(), 0..6), 1..4),
            places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bodies: Vec<Vec<u8>> = bodies.iter().map(body).collect();
            for damaged in &mut bodies {
                for (place, byte) in &places {
                    if !damaged.is_empty() {
                        let place = place.index(damaged.len());
                        damaged[place] = *byte;
                    }
                }
                damaged.truncate(cut.index(damaged.len() + 1));
            }
            if let Err(error) = squashed(&bodies) {
                prop_assert_eq!(error.kind(), StoreErrorKind::Corrupt);
            }
        }

        #[test]
        fn any_bytes_can_be_looked_at(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let damaged = chunks(&bytes).position(|chunk| chunk.is_err());
            prop_assert!(damaged.is_none_or(|place| place + 1 == chunks(&bytes).count()), "nothing follows an error");
            prop_assert!(damaged.is_none() || squash([bytes.as_slice()]).is_err());
        }
    }

    #[test]
    fn sequences_of_every_length_are_joined() {
        for len in [0, 1, 14, 15, 16, 31, 32, 127, 128, 255, 256, 65_534, 65_535, 65_536, 70_000_usize] {
            let numbers: Vec<u64> = (0..len as u64).collect();
            let joined = squashed(&[numbers.clone(), vec![7]].map(|list| body(&[(Op::Concat, "f", packed(&list))])));
            let joined = joined.unwrap();
            let expected: Vec<u64> = numbers.iter().copied().chain([7]).collect();
            assert_eq!(joined, body(&[(Op::Concat, "f", packed(&expected))]), "a list of {len}");

            let text = "x".repeat(len);
            let joined = squashed(&[&*text, "y"].map(|text| body(&[(Op::Set, "f", packed(&text))]))).unwrap();
            assert_eq!(joined, body(&[(Op::Set, "f", packed(&"y"))]), "a text that is set again");
            let first = body(&[(Op::Set, "f", packed(&text))]);
            let joined = squashed(&[first, body(&[(Op::Concat, "f", packed(&"y"))])]).unwrap();
            assert_eq!(joined, body(&[(Op::Set, "f", packed(&format!("{text}y")))]), "a text of {len}");

            let map = |range: std::ops::Range<u64>| range.map(|key| (key, key)).collect::<BTreeMap<_, _>>();
            let len = len as u64;
            let parts = [map(0..len), map(len..len + 2)];
            let joined = squashed(&parts.map(|map| body(&[(Op::Concat, "f", packed(&map))]))).unwrap();
            assert_eq!(joined, body(&[(Op::Concat, "f", packed(&map(0..len + 2)))]), "a map of {len}");
        }
    }

    #[test]
    fn binary_sequences_of_every_length_are_joined() {
        let binary = |len: usize| {
            let head = match len {
                0..256 => vec![0xc4, len as u8],
                256..65_536 => [vec![0xc5], (len as u16).to_be_bytes().to_vec()].concat(),
                _ => [vec![0xc6], (len as u32).to_be_bytes().to_vec()].concat(),
            };
            body(&[(Op::Concat, "f", [head, vec![9; len]].concat())])
        };
        for len in [0, 1, 254, 255, 256, 65_534, 65_535, 70_000] {
            assert_eq!(squashed(&[binary(len), binary(1)]).unwrap(), binary(len + 1), "{len} bytes");
        }
    }

    #[test]
    fn nil_stands_for_a_sequence_that_is_not_there() {
        let nil = || packed(&Option::<u64>::None);
        let list = |list: &[u64]| packed(&list);
        let bodies = [
            (Op::Set, "f", nil()),
            (Op::Concat, "f", list(&[1])),
            (Op::Concat, "f", nil()),
            (Op::Concat, "f", list(&[2])),
        ];
        let joined = squashed(&bodies.map(|chunk| body(&[chunk]))).unwrap();
        assert_eq!(joined, body(&[(Op::Set, "f", list(&[1, 2]))]));
        let nothing = squashed(&[body(&[(Op::Set, "f", nil()), (Op::Concat, "f", nil())])]).unwrap();
        assert_eq!(nothing, body(&[(Op::Set, "f", nil())]));
    }

    #[test]
    fn what_cannot_follow_is_refused() {
        let cases = [
            // A list after a map.
            vec![(Op::Set, "f", vec![0x80]), (Op::Concat, "f", vec![0x90])],
            // More elements after a number.
            vec![(Op::Set, "f", vec![7]), (Op::Concat, "f", vec![0x90])],
            // More elements after changes, which would come before them.
            vec![(Op::Changes, "f", vec![1]), (Op::Concat, "f", vec![0x90])],
            // A text that is shorter than it says.
            vec![(Op::Set, "f", vec![0xa0]), (Op::Concat, "f", vec![0xa5, b'x'])],
            // More elements than can be counted.
            vec![(Op::Set, "f", vec![0xdd, 0xff, 0xff, 0xff, 0xff]), (Op::Concat, "f", vec![0x91, 1])],
        ];
        for case in cases {
            let error = squashed(&[body(&case)]).unwrap_err();
            assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{case:?}");
        }
    }

    #[test]
    fn a_chunk_that_fails_is_taken_back() {
        let mut writer = BodyWriter::default();
        writer.raw(Op::Set, "a", b"x");
        let before = writer.bytes.clone();
        let failed = writer.chunk(Op::Set, "b", |bytes| {
            bytes.extend_from_slice(b"half");
            Err("no")
        });
        assert_eq!(failed, Err("no"));
        assert_eq!(writer.bytes, before);
    }
}
