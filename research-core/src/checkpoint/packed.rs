//! Arrays of bytes in the stored form of values.
//!
//! serde writes a `Vec<u8>` as an array of numbers, and `MessagePack` takes two bytes for each number from 128 to 255. Where it
//! is shorter, an array of numbers below 256 is stored packed: the byte 0xc1, which no `MessagePack` value begins with, and
//! the numbers as one binary. What is unpacked is what was packed, byte by byte, so that no type can tell the difference, and
//! values that earlier versions of this library wrote are read as they are.

use std::borrow::Cow;

/// What a packed array begins with.
pub(crate) const PACKED: u8 = 0xc1;

/// What a number from 128 to 255 begins with.
const WIDE: u8 = 0xcc;

/// What the first of some values is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Length of its marker with the length that it gives.
    pub(crate) len: usize,
    /// Bytes of its own data.
    pub(crate) data: usize,
    /// Number of values in it.
    pub(crate) children: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Array,
    Packed,
    Other,
}

/// Looks at the first value; `None` where there is none, or only the beginning of its head.
pub(crate) fn head(bytes: &[u8]) -> Option<Head> {
    let (marker, rest) = bytes.split_first()?;
    let number = |width: usize| {
        let number = rest.get(..width)?;
        Some(number.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)))
    };
    let of = |len, data, children, kind| Some(Head { len, data, children, kind });
    let data = |width: usize, extra: usize| {
        let data = usize::try_from(number(width)?).ok()?.checked_add(extra)?;
        of(1 + width, data, 0, Kind::Other)
    };
    let array = |width: usize| of(1 + width, 0, number(width)?, Kind::Array);
    let map = |width: usize| of(1 + width, 0, number(width)? * 2, Kind::Other);
    let fixed = |len| of(1, len, 0, Kind::Other);
    let low = u64::from(marker & 0x0f);
    match *marker {
        0x80..=0x8f => of(1, 0, low * 2, Kind::Other),
        0x90..=0x9f => of(1, 0, low, Kind::Array),
        0xa0..=0xbf => fixed(usize::from(marker & 0x1f)),
        0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => fixed(0),
        PACKED => match rest.first()? {
            0xc4..=0xc6 => head(rest).map(|binary| Head { len: binary.len + 1, kind: Kind::Packed, ..binary }),
            _ => None,
        },
        0xc4 | 0xd9 => data(1, 0),
        0xc5 | 0xda => data(2, 0),
        0xc6 | 0xdb => data(4, 0),
        0xc7 => data(1, 1),
        0xc8 => data(2, 1),
        0xc9 => data(4, 1),
        WIDE | 0xd0 => fixed(1),
        0xcd | 0xd1 => fixed(2),
        0xca | 0xce | 0xd2 => fixed(4),
        0xcb | 0xcf | 0xd3 => fixed(8),
        0xd4 => fixed(2),
        0xd5 => fixed(3),
        0xd6 => fixed(5),
        0xd7 => fixed(9),
        0xd8 => fixed(17),
        0xdc => array(2),
        0xdd => array(4),
        0xde => map(2),
        0xdf => map(4),
    }
}

/// Packs the arrays of bytes in the values from `start` on. Values that are not whole are left as they are.
pub(crate) fn pack(out: &mut Vec<u8>, start: usize) {
    // Texts and small numbers hold none, so that most values are passed over quickly.
    if !out[start..].contains(&WIDE) {
        return;
    }
    if let Some(packed) = rewrite(&out[start..], packed_array) {
        out.truncate(start);
        out.extend_from_slice(&packed);
    }
}

/// Unpacks what is packed in values. What is not whole is left as it is.
pub(crate) fn unpack(values: &[u8]) -> Cow<'_, [u8]> {
    if !values.contains(&PACKED) {
        return Cow::Borrowed(values);
    }
    rewrite(values, unpacked_array).map_or(Cow::Borrowed(values), Cow::Owned)
}

/// What stands in place of a value.
struct Replacement {
    bytes: Vec<u8>,
    /// Length of the value.
    len: usize,
}

/// Values with replacements; `None` where nothing is replaced. `replace` looks at what begins with a value, and at its head.
fn rewrite(values: &[u8], replace: fn(&[u8], Head) -> Option<Replacement>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(head) = values.get(at..).and_then(head) {
        match replace(&values[at..], head) {
            Some(Replacement { bytes, len }) => {
                out.extend_from_slice(&values[copied..at]);
                out.extend_from_slice(&bytes);
                at += len;
                copied = at;
            }
            // What is in an array or a map follows as values of their own.
            None => at = at.saturating_add(head.len).saturating_add(head.data),
        }
    }
    if copied == 0 {
        return None;
    }
    out.extend_from_slice(&values[copied..]);
    Some(out)
}

/// The packed form of an array that `values` begins with, if it holds numbers below 256 alone and is longer.
fn packed_array(values: &[u8], head: Head) -> Option<Replacement> {
    if head.kind != Kind::Array {
        return None;
    }
    let count = u32::try_from(head.children).ok()?;
    let mut bytes = Vec::new();
    let mut len = head.len;
    for _ in 0..count {
        let number = match *values.get(len..)? {
            [small @ 0..=0x7f, ..] => small,
            [WIDE, wide @ 0x80..=0xff, ..] => wide,
            _ => return None,
        };
        bytes.push(number);
        len += if number < 0x80 { 1 } else { 2 };
    }

    let mut packed = vec![PACKED];
    let width = count.to_be_bytes();
    match count {
        0..=0xff => packed.extend_from_slice(&[0xc4, width[3]]),
        0x100..=0xffff => packed.extend_from_slice(&[0xc5, width[2], width[3]]),
        _ => {
            packed.push(0xc6);
            packed.extend_from_slice(&width);
        }
    }
    packed.append(&mut bytes);
    (packed.len() < len).then_some(Replacement { bytes: packed, len })
}

/// The array that `values` begin with in its packed form.
fn unpacked_array(values: &[u8], head: Head) -> Option<Replacement> {
    if head.kind != Kind::Packed {
        return None;
    }
    let len = head.len.checked_add(head.data)?;
    let bytes = values.get(head.len..len)?;

    let mut array = Vec::with_capacity(bytes.len() * 3 / 2 + 5);
    let width = u32::try_from(bytes.len()).ok()?.to_be_bytes();
    match bytes.len() {
        0..=0xf => array.push(0x90 | width[3]),
        0x10..=0xffff => array.extend_from_slice(&[0xdc, width[2], width[3]]),
        _ => {
            array.push(0xdd);
            array.extend_from_slice(&width);
        }
    }
    for byte in bytes {
        if *byte >= 0x80 {
            array.push(WIDE);
        }
        array.push(*byte);
    }
    Some(Replacement { bytes: array, len })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Serialize;
    use serde_json::{Value, json};

    use super::*;

    fn stored(value: &impl Serialize) -> Vec<u8> {
        rmp_serde::to_vec(value).unwrap()
    }

    fn packed(value: &impl Serialize) -> Vec<u8> {
        let mut packed = stored(value);
        pack(&mut packed, 0);
        packed
    }

    /// JSON with many lists of small numbers.
    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            ".{0,20}".prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            prop::collection::vec(any::<u8>(), 0..40).prop_map(Value::from),
            prop::collection::vec(prop_oneof![9 => 0..256_u32, 1 => any::<u32>()], 0..40).prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 30, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::btree_map(".{0,5}", inner, 0..8).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_packed_is_no_longer_and_comes_back_as_it_was(value in value()) {
            let (stored, packed) = (stored(&value), packed(&value));
            prop_assert!(packed.len() <= stored.len());
            prop_assert_eq!(unpack(&packed), stored);
        }

        #[test]
        fn any_bytes_can_be_packed_and_unpacked(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            drop(unpack(&bytes));
            let mut packed = bytes;
            pack(&mut packed, 0);
        }
    }

    #[test]
    fn bytes_take_one_byte_each_at_every_length() {
        for len in [5, 15, 16, 255, 256, 65_535, 65_536, 70_000_usize] {
            let bytes = vec![200_u8; len];

            let packed = packed(&bytes);

            let head = match len {
                0..256 => 3,
                256..65_536 => 4,
                _ => 6,
            };
            assert_eq!(packed.len(), len + head, "{len} bytes");
            assert_eq!(*unpack(&packed), *stored(&bytes), "{len} bytes");
        }
    }

    #[test]
    fn other_values_are_left_as_they_are() {
        for value in
            [json!([1, 2, 3]), json!([200, 201]), json!([200, 201, 202, 203, 204, -1]), json!("\u{301}\u{301}")]
        {
            assert_eq!(packed(&value), stored(&value), "{value}");
        }
    }
}
