//! A bundle as text: one line for each thing in it, so that people can read it and tools can compare it.

use std::fmt::Write;
use std::io::Read;

use serde::{Deserialize, Serialize};
use serde_json::de::StrRead;
use serde_json::{Deserializer, Map, Value};

use super::{Bundle, VERSION};

/// Why a text is no bundle that this program reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// It is something else.
    #[error("this is no bundle of a run: {problem}; a bundle is what `--export` writes")]
    NotABundle {
        /// What it is instead.
        problem: String,
    },
    /// It is a bundle of another form.
    #[error(
        "the bundle has form {found}, and this program reads form {VERSION}; use the program that wrote it{}",
        by(.program.as_deref())
    )]
    OtherVersion {
        /// Its form.
        found: String,
        /// Name and version of the program that wrote it, when it says so.
        program: Option<String>,
    },
    /// It is larger than any bundle that is read.
    #[error("the bundle is larger than {} MiB, which is the most that is read; export a run that reads fewer records", .most >> 20)]
    TooLarge {
        /// The most that is read, in bytes.
        most: usize,
    },
    /// The file or pipe could not be read.
    #[error("the bundle cannot be read: {problem}")]
    Unreadable {
        /// What the system says.
        problem: String,
    },
    /// It was a bundle and is damaged.
    #[error("the bundle is damaged: {problem}; get it again from where it came from")]
    Damaged {
        /// What is wrong with it, with the line.
        problem: String,
    },
}

fn by(program: Option<&str>) -> String {
    program.map(|program| format!(", {program}")).unwrap_or_default()
}

/// Lists and objects of a bundle may stand in each other this deep. A message of a tool may have 128 levels, and a record of it
/// stands up to 12 levels deeper in a bundle than in the message.
const MOST_LEVELS: usize = 160;

impl Bundle {
    /// Bytes of the largest bundle that is read: 512 MiB.
    pub const MOST_BYTES: usize = 512 << 20;

    /// Reads a bundle from a file or pipe. Of one that is too large it takes no more than [`MOST_BYTES`](Self::MOST_BYTES).
    ///
    /// # Errors
    ///
    /// [`BundleError`]: nothing can be read, it is too large, or as [`from_json`](Self::from_json).
    pub fn read(reader: impl Read) -> Result<Self, BundleError> {
        Self::from_json(&text(reader, Self::MOST_BYTES)?)
    }

    /// Reads a bundle.
    ///
    /// # Errors
    ///
    /// [`BundleError`]: the text is something else, a bundle of another form, too large, or one that is damaged.
    pub fn from_json(text: &str) -> Result<Self, BundleError> {
        if text.len() > Self::MOST_BYTES {
            return Err(BundleError::TooLarge { most: Self::MOST_BYTES });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let looks_like_one = text.trim_start().starts_with('{') && text.contains("\"replays\"");
        let unreadable = |problem: String| {
            if looks_like_one {
                BundleError::Damaged { problem }
            } else {
                BundleError::NotABundle { problem: format!("it is no JSON ({problem})") }
            }
        };
        if levels(text) > MOST_LEVELS {
            return Err(unreadable(format!(
                "lists and objects stand in each other more than {MOST_LEVELS} levels deep"
            )));
        }
        let mut reader = unlimited(text);
        let value = Value::deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
        let value = value.map_err(|error| unreadable(error.to_string()))?;
        let Value::Object(fields) = &value else {
            return Err(BundleError::NotABundle { problem: "it is JSON of another kind".to_owned() });
        };
        let known = ["version", "program", "system", "effects", "evidence"];
        if let Some(missing) = known.iter().find(|name| !fields.contains_key(**name)) {
            return Err(BundleError::NotABundle { problem: format!("it has no `{missing}`") });
        }
        let version = fields.get("version").cloned().unwrap_or_default();
        if version.as_u64() != Some(u64::from(VERSION)) {
            return Err(BundleError::OtherVersion { found: version.to_string(), program: program(fields) });
        }
        // Read from the text a second time, for the place in messages.
        serde_path_to_error::deserialize(&mut unlimited(text)).map_err(|error| {
            let place = error.path().to_string();
            BundleError::Damaged { problem: format!("{} in `{place}`", error.into_inner()) }
        })
    }

    /// Writes the bundle as JSON with a line end: each field on a line, and of lists each item. The same bundle is the same
    /// bytes. The digest is computed as it is written.
    ///
    /// # Errors
    ///
    /// When something in it has no form in JSON, which a bundle of a run never has.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let Value::Object(mut fields) = serde_json::to_value(self)? else { return Ok(String::new()) };
        fields.insert("digest".to_owned(), self.computed_digest()?.into());
        let mut out = String::from("{\n");
        write_fields(&mut out, &fields, 1)?;
        out.push_str("}\n");
        Ok(out)
    }
}

/// All that comes, as long as it is no more than this.
fn text(reader: impl Read, most: usize) -> Result<String, BundleError> {
    let mut bytes = Vec::new();
    let read = reader.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| BundleError::Unreadable { problem: error.to_string() })?;
    if bytes.len() > most {
        return Err(BundleError::TooLarge { most });
    }
    String::from_utf8(bytes).map_err(|_| BundleError::NotABundle { problem: "it is no text".to_owned() })
}

/// Reads JSON whose [levels] were counted: the library's own limit is that of a message of a tool.
///
/// [levels]: levels
fn unlimited(text: &str) -> Deserializer<StrRead<'_>> {
    let mut reader = Deserializer::from_str(text);
    reader.disable_recursion_limit();
    reader
}

/// How deep lists and objects stand in each other.
fn levels(text: &str) -> usize {
    let (mut level, mut most) = (0_usize, 0);
    let mut bytes = text.bytes();
    let mut is_quoted = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if is_quoted => {
                bytes.next();
            }
            b'"' => is_quoted = !is_quoted,
            b'[' | b'{' if !is_quoted => {
                level += 1;
                most = most.max(level);
            }
            b']' | b'}' if !is_quoted => level = level.saturating_sub(1),
            _ => {}
        }
    }
    most
}

fn program(fields: &Map<String, Value>) -> Option<String> {
    let part = |name| fields.get("program")?.get(name)?.as_str();
    Some(format!("{} {}", part("name")?, part("version")?))
}

/// Lists of these fields have a line for each item; the others stand on one line.
const LISTS: [&str; 6] = ["context", "sources", "tables", "journal", "effects", "sections"];
/// Objects of these fields are opened likewise.
const OPENED: [&str; 2] = ["evidence", "report"];

fn write_fields(out: &mut String, fields: &Map<String, Value>, depth: usize) -> Result<(), serde_json::Error> {
    let indent = " ".repeat(depth);
    for (at, (name, value)) in fields.iter().enumerate() {
        let comma = if at + 1 < fields.len() { "," } else { "" };
        // Writing to a string does not fail.
        let _ = write!(out, "{indent}{}: ", line(name)?);
        match value {
            Value::Array(items) if LISTS.contains(&name.as_str()) && !items.is_empty() => {
                out.push_str("[\n");
                for (at, item) in items.iter().enumerate() {
                    let comma = if at + 1 < items.len() { "," } else { "" };
                    let _ = writeln!(out, "{indent} {}{comma}", line(item)?);
                }
                let _ = write!(out, "{indent}]");
            }
            Value::Object(inner) if OPENED.contains(&name.as_str()) => {
                out.push_str("{\n");
                write_fields(out, inner, depth + 1)?;
                let _ = write!(out, "{indent}}}");
            }
            other => out.push_str(&line(other)?),
        }
        out.push_str(comma);
        out.push('\n');
    }
    Ok(())
}

fn line(value: &impl Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_not_read_to_its_end() {
        let mut endless = std::io::repeat(b' ');
        assert_eq!(text(&mut endless, 100), Err(BundleError::TooLarge { most: 100 }));
        assert_eq!(text("{}".as_bytes(), 2).as_deref(), Ok("{}"));
        assert!(matches!(text(&b"\xff"[..], 2), Err(BundleError::NotABundle { .. })));
    }

    #[test]
    fn levels_are_counted_outside_texts() {
        for (text, deep) in [("1", 0), ("[[],{}]", 2), (r#"["[[\"[", {"a": [1]}]"#, 3), ("]]}[", 1), ("\"\\", 0)] {
            assert_eq!(levels(text), deep, "{text}");
        }
    }

    #[test]
    fn what_nests_too_deep_is_refused_before_it_is_read() {
        let deep = format!("{{\"replays\": {}{}}}", "[".repeat(MOST_LEVELS), "]".repeat(MOST_LEVELS));
        let Err(BundleError::Damaged { problem }) = Bundle::from_json(&deep) else { panic!("it was read") };
        assert!(problem.contains("more than 160 levels"), "{problem}");
        assert!(Bundle::from_json(&"[".repeat(1_000_000)).is_err());
    }
}
