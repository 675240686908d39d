//! Random values, and random changes of bytes and of JSON.

use fastrand::Rng;
use serde_json::{Map, Number, Value, json};

/// Texts that readers have stumbled over.
const AWKWARD: [&str; 24] = [
    "",
    " ",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "\u{85}",
    "\u{2028}",
    "\r",
    "\n\n",
    "\"",
    "\\",
    "\\u0000",
    "'",
    "]}",
    "{\"",
    "null",
    "-0",
    "1e999",
    "NaN",
    "18446744073709551616",
    "%00",
    "../../x",
    "é\u{301}",
    "\u{10ffff}",
];

/// A text of words, digits and what is awkward.
pub fn text(rng: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..rng.usize(0..5) {
        match rng.u8(0..4) {
            0 => text.push_str(AWKWARD[rng.usize(0..AWKWARD.len())]),
            1 => text.push_str(&rng.i32(-1_000..100_000).to_string()),
            2 => text.push(rng.char(..)),
            _ => text.push_str(&word(rng)),
        }
        if rng.bool() {
            text.push(' ');
        }
    }
    text
}

/// A word of one to three syllables.
pub fn word(rng: &mut Rng) -> String {
    const SYLLABLES: [&str; 16] =
        ["ba", "ro", "mi", "lus", "ten", "gra", "or", "vel", "kin", "du", "ash", "pe", "zo", "ny", "fal", "ri"];
    (0..rng.usize(1..4)).map(|_| SYLLABLES[rng.usize(0..SYLLABLES.len())]).collect()
}

/// A number of any size and sign.
pub fn number(rng: &mut Rng) -> Value {
    match rng.u8(0..6) {
        0 => json!(rng.u64(..)),
        1 => json!(rng.i64(..)),
        2 => json!(rng.f64() * 1e6),
        3 => [json!(f64::MAX), json!(f64::MIN_POSITIVE), json!(-1e308), json!(u64::MAX), json!(i64::MIN)]
            [rng.usize(0..5)]
        .clone(),
        _ => json!(rng.i32(-5..200)),
    }
}

/// Any value, nested at most so deep.
pub fn value(rng: &mut Rng, depth: usize) -> Value {
    match rng.u8(0..if depth == 0 { 5 } else { 8 }) {
        0 => Value::Null,
        1 => json!(rng.bool()),
        2 | 3 => text(rng).into(),
        4 => number(rng),
        5 => (0..rng.usize(0..4)).map(|_| value(rng, depth - 1)).collect::<Vec<_>>().into(),
        _ => (0..rng.usize(0..4)).map(|_| (text(rng), value(rng, depth - 1))).collect::<Map<_, _>>().into(),
    }
}

/// A value that nests so deep.
pub fn deep(levels: usize) -> String {
    format!("{}1{}", "[".repeat(levels), "]".repeat(levels))
}

/// Changes bytes at random places.
pub fn bytes(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.usize(1..6) {
        let at = rng.usize(0..bytes.len() + 1);
        let to = (at + rng.usize(0..40)).min(bytes.len());
        match rng.u8(0..7) {
            0 if at < bytes.len() => bytes[at] = rng.u8(..),
            1 if at < bytes.len() => bytes[at] ^= 1 << rng.u8(0..8),
            2 => bytes.insert(at, rng.u8(..)),
            3 => drop(bytes.drain(at..to)),
            4 => {
                let again = bytes[at..to].to_vec();
                let place = rng.usize(0..bytes.len() + 1);
                bytes.splice(place..place, again);
            }
            5 => drop(bytes.splice(at..at, AWKWARD[rng.usize(0..AWKWARD.len())].bytes())),
            _ if rng.u8(0..8) == 0 => bytes.truncate(at),
            _ => {}
        }
    }
}

/// Changes values of a JSON document at random places.
pub fn json(rng: &mut Rng, whole: &mut Value) {
    for _ in 0..rng.usize(1..5) {
        // Now and then a part of the document is put in another place.
        let part = any_part(rng, whole).clone();
        let place = any_part(rng, whole);
        match (rng.u8(0..8), &mut *place) {
            (0, _) => *place = part,
            (1, _) => *place = value(rng, 3),
            (2, Value::Object(fields)) => {
                fields.insert(text(rng), part);
            }
            (3, Value::Object(fields)) if !fields.is_empty() => {
                let name = fields.keys().nth(rng.usize(0..fields.len())).cloned().unwrap_or_default();
                fields.remove(&name);
            }
            (4, Value::Array(items)) if !items.is_empty() => {
                let again = items[rng.usize(0..items.len())].clone();
                items.insert(rng.usize(0..items.len() + 1), again);
            }
            (5, Value::Array(items)) if !items.is_empty() => drop(items.remove(rng.usize(0..items.len()))),
            (_, Value::String(string)) => {
                let mut changed = std::mem::take(string).into_bytes();
                bytes(rng, &mut changed);
                *string = String::from_utf8_lossy(&changed).into_owned();
            }
            (_, Value::Number(number)) => *number = near(rng, number),
            (_, Value::Bool(flag)) => *flag = !*flag,
            (_, Value::Null) => *place = value(rng, 1),
            _ => {}
        }
    }
}

fn near(rng: &mut Rng, number: &Number) -> Number {
    let changed = match (rng.u8(0..3), number.as_i64()) {
        (0, Some(number)) => json!(number.wrapping_add(1)),
        (1, Some(number)) => json!(number.wrapping_neg()),
        _ => self::number(rng),
    };
    changed.as_number().cloned().unwrap_or_else(|| number.clone())
}

/// A value somewhere in the document, every depth as likely as the way down allows.
fn any_part<'a>(rng: &mut Rng, mut value: &'a mut Value) -> &'a mut Value {
    loop {
        let inner = match value {
            Value::Array(items) => items.len(),
            Value::Object(fields) => fields.len(),
            _ => 0,
        };
        if inner == 0 || rng.u8(0..6) == 0 {
            return value;
        }
        let at = rng.usize(0..inner);
        value = match value {
            Value::Array(items) => &mut items[at],
            Value::Object(fields) => fields.values_mut().nth(at).expect("counted above"),
            _ => unreachable!("it has values inside"),
        };
    }
}
