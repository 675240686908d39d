//! Values from answers that are still being written.

use serde_json::{Map, Number, Value};

use super::extract::{opens_json, without_reasoning};
use crate::schema::restore_partial;

/// Values inside one another are followed so far.
const DEPTH: usize = 128;

/// A new value is made when the text has grown by this part of its length, so that a long answer is not read over and
/// over for every few letters: all readings together take 64 times as long as one.
const STEP: usize = 64;

/// The JSON that has been written so far, closed as it stands; `None` if nothing of it has come yet.
///
/// A string ends where the text ends. A key without a value, a number and a literal that may go on, and half an escape
/// are left out. So every value that comes later holds the earlier one: objects and arrays only get more, strings only
/// longer.
///
/// ```
/// use research_llm::structured::complete_json;
/// use serde_json::json;
///
/// assert_eq!(complete_json(r#"{"title": "A sho"#), Some(json!({"title": "A sho"})));
/// assert_eq!(complete_json(r#"Here it is: [{"n": 1, "m": 12"#), Some(json!([{"n": 1}])));
/// assert_eq!(complete_json("I think"), None);
/// ```
#[must_use]
pub fn complete_json(text: &str) -> Option<Value> {
    let answer = without_reasoning_so_far(text)?;
    let start = if answer.starts_with('"') {
        0
    } else {
        answer.char_indices().filter(|(_, c)| matches!(c, '{' | '[')).find_map(|(at, _)| {
            // A bracket that is the last letter may be prose.
            match opens_json(&answer[at..]) {
                Some(true) => Some(Some(at)),
                Some(false) => None,
                None => Some(None),
            }
        })??
    };
    Reading { text: answer, at: start }.value(DEPTH).map(|(value, _)| value)
}

/// The text without its reasoning; `None` while it may still be reasoning.
fn without_reasoning_so_far(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let is_reasoning = "<think>".starts_with(text.get(..7).unwrap_or(text)) && !text.contains("</think>");
    (!is_reasoning).then(|| without_reasoning(text))
}

/// Makes a value whenever enough has come.
pub(super) struct Growth {
    read: usize,
    last: Option<Value>,
}

impl Growth {
    pub(super) fn new() -> Self {
        Self { read: 0, last: None }
    }

    /// The value of the text so far, in terms of the schema that was asked with, if it is a new one.
    pub(super) fn value(&mut self, text: &str, schema: &Value) -> Option<Value> {
        if text.len() <= self.read + self.read / STEP {
            return None;
        }
        self.read = text.len();
        let value = restore_partial(schema, complete_json(text)?);
        if self.last.as_ref() == Some(&value) {
            return None;
        }
        self.last = Some(value.clone());
        Some(value)
    }
}

struct Reading<'a> {
    text: &'a str,
    at: usize,
}

impl Reading<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&mut self) -> Option<u8> {
        self.at += self.rest().len() - self.rest().trim_start().len();
        self.text.as_bytes().get(self.at).copied()
    }

    /// A value, and whether it is whole; `None` if nothing of it can be told yet.
    fn value(&mut self, depth: usize) -> Option<(Value, bool)> {
        let depth = depth.checked_sub(1)?;
        match self.next()? {
            b'{' => Some(self.object(depth)),
            b'[' => Some(self.array(depth)),
            b'"' => {
                let (text, whole) = self.string();
                Some((Value::String(text), whole))
            }
            b't' => self.literal("true", Value::Bool(true)),
            b'f' => self.literal("false", Value::Bool(false)),
            b'n' => self.literal("null", Value::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> (Value, bool) {
        self.at += 1;
        let mut fields = Map::new();
        loop {
            match self.next() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return (Value::Object(fields), true);
                }
                Some(b'"') => {
                    let (key, true) = self.string() else { break };
                    if self.next() != Some(b':') {
                        break;
                    }
                    self.at += 1;
                    let Some((value, whole)) = self.value(depth) else { break };
                    fields.insert(key, value);
                    if !whole {
                        break;
                    }
                }
                _ => break,
            }
        }
        (Value::Object(fields), false)
    }

    fn array(&mut self, depth: usize) -> (Value, bool) {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            match self.next() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return (Value::Array(items), true);
                }
                Some(_) => {
                    let Some((value, whole)) = self.value(depth) else { break };
                    items.push(value);
                    if !whole {
                        break;
                    }
                }
                None => break,
            }
        }
        (Value::Array(items), false)
    }

    fn literal(&mut self, word: &str, value: Value) -> Option<(Value, bool)> {
        self.rest().starts_with(word).then(|| {
            self.at += word.len();
            (value, true)
        })
    }

    fn number(&mut self) -> Option<(Value, bool)> {
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E')))?;
        let number: Number = serde_json::from_str(rest.get(..length)?).ok()?;
        self.at += length;
        Some((Value::Number(number), true))
    }

    /// A string from its opening quote on, as far as it can be told.
    fn string(&mut self) -> (String, bool) {
        let start = self.at + 1;
        let mut end = start;
        let mut bytes = self.text.as_bytes().get(start..).unwrap_or_default().iter().copied();
        loop {
            match bytes.next() {
                None => break,
                Some(b'"') => {
                    self.at = end + 1;
                    return (unescaped(&self.text[start..end]), true);
                }
                Some(b'\\') => {
                    if bytes.next().is_none() {
                        break;
                    }
                    end += 2;
                }
                Some(_) => end += 1,
            }
        }
        self.at = self.text.len();
        (unescaped(&self.text[start..end]), false)
    }
}

/// The inside of a string up to the first escape that is not whole.
fn unescaped(inside: &str) -> String {
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let c = match escape.as_bytes().first() {
            Some(b'u') => match code(escape) {
                Some((c, length)) => {
                    text.push(c);
                    rest = &escape[length..];
                    continue;
                }
                None => return text,
            },
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(&c @ (b'"' | b'\\' | b'/')) => char::from(c),
            _ => return text,
        };
        text.push(c);
        rest = &escape[1..];
    }
    text.push_str(rest);
    text
}

/// The character of an escape, `u` and four hexadecimal digits, or of two that belong together, and the length of its text.
fn code(escape: &str) -> Option<(char, usize)> {
    let unit = |at: usize| u16::from_str_radix(escape.get(at..at + 4)?, 16).ok();
    let first = unit(1)?;
    if !(0xd800..0xdc00).contains(&first) {
        return Some((char::from_u32(u32::from(first))?, 5));
    }
    let second = escape.get(5..7).filter(|&between| between == "\\u").and_then(|_| unit(7))?;
    let c = char::decode_utf16([first, second]).next()?.ok()?;
    Some((c, 11))
}
