//! The text form of a bundle: JSON with one line per item, so that people can read it and tools can
//! compare it.

use std::cell::RefCell;
use std::fmt::Write;
use std::io::Read;

use serde::Serialize;
use serde::de::DeserializeSeed;
use serde_json::de::StrRead;
use serde_json::{Deserializer, Map, Value};

use crate::bundle::model::{Bundle, VERSION};
use crate::bundle::strict::{Lost, Unique, first_lost};

/// Why a string cannot be read as a bundle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The text is not a bundle.
    #[error("this is no bundle of a run: {problem}; a bundle is what `--export` writes")]
    NotABundle {
        /// Why it is not a bundle.
        problem: String,
    },
    /// The bundle has another version of the form.
    #[error(
        "the bundle has form {found}, and this program reads form {VERSION}; use the program that \
         wrote it{}",
        by(.program.as_deref())
    )]
    OtherVersion {
        /// Version of its form.
        found: String,
        /// Name and version of the program that wrote it, if it names one.
        program: Option<String>,
    },
    /// The bundle has a field that its form does not have, so that no check would cover it.
    #[error(
        "the bundle has a field that no bundle has: `{field}`; export the run again instead of \
         editing its bundle"
    )]
    UnknownField {
        /// Path of the field.
        field: String,
    },
    /// The bundle has a field twice, so that readers could see different values.
    #[error(
        "the bundle gives the field `{field}` twice; export the run again instead of editing its \
         bundle"
    )]
    DoubleField {
        /// Path of the field.
        field: String,
    },
    /// The bundle is larger than the limit.
    #[error(
        "the bundle is larger than {} MiB, which is the most that is read; export a run that \
         reads fewer records",
        .most >> 20
    )]
    TooLarge {
        /// The limit in bytes.
        most: usize,
    },
    /// The file or pipe could not be read.
    #[error("the bundle cannot be read: {problem}")]
    Unreadable {
        /// Message of the operating system.
        problem: String,
    },
    /// The bundle is damaged.
    #[error("the bundle is damaged: {problem}; get it again from where it came from")]
    Damaged {
        /// The problem, with its line.
        problem: String,
    },
}

fn by(program: Option<&str>) -> String {
    program
        .map(|program| format!(", {program}"))
        .unwrap_or_default()
}

/// Characters of a bundle's own words that an error repeats from their beginning and their end.
const REPEATED: (usize, usize) = (200, 120);

/// Shortens what an error repeats of a bundle. A parser names a wrong value as a whole, and its
/// place after it.
fn shortened(text: String) -> String {
    let (first, last) = REPEATED;
    let length = text.chars().count();
    if length <= first + last {
        return text;
    }

    let beginning: String = text.chars().take(first).collect();
    let end: String = text.chars().skip(length - last).collect();
    format!("{beginning} … {end}")
}

/// Maximum nesting depth of lists and objects in a bundle. A message of a tool may have 128 levels,
/// and a bundle nests it in up to 12 more.
const MAX_LEVELS: usize = 160;

impl Bundle {
    /// Maximum size of a bundle in bytes: 512 MiB.
    pub const MOST_BYTES: usize = 512 << 20;

    /// Reads a bundle from a file or pipe, at most [`MOST_BYTES`](Self::MOST_BYTES) of it.
    ///
    /// # Errors
    ///
    /// When it cannot be read or is too large, and as for [`from_json`](Self::from_json).
    pub fn read(reader: impl Read) -> Result<Self, BundleError> {
        Self::from_json(&text(reader, Self::MOST_BYTES)?)
    }

    /// Parses a bundle.
    ///
    /// # Errors
    ///
    /// When the text is not a bundle, has another version of the form, is too large, or is damaged,
    /// and when it has an unknown field or a field twice.
    pub fn from_json(text: &str) -> Result<Self, BundleError> {
        if text.len() > Self::MOST_BYTES {
            return Err(BundleError::TooLarge {
                most: Self::MOST_BYTES,
            });
        }

        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let looks_like_one = text.trim_start().starts_with('{') && text.contains("\"replays\"");
        let unreadable = |problem: String| {
            let problem = shortened(problem);
            if looks_like_one {
                BundleError::Damaged { problem }
            } else {
                BundleError::NotABundle {
                    problem: format!("it is no JSON ({problem})"),
                }
            }
        };

        if levels(text) > MAX_LEVELS {
            return Err(unreadable(format!(
                "lists and objects stand in each other more than {MAX_LEVELS} levels deep"
            )));
        }

        let mut reader = unlimited(text);
        let twice = RefCell::new(None);
        let value = Unique::new(&twice).deserialize(&mut reader);
        if let Some(field) = twice.take() {
            return Err(BundleError::DoubleField {
                field: shortened(field),
            });
        }
        let value = value.and_then(|value| reader.end().map(|()| value));
        let value = value.map_err(|error| unreadable(error.to_string()))?;
        let Value::Object(fields) = &value else {
            return Err(BundleError::NotABundle {
                problem: "it is JSON of another kind".to_owned(),
            });
        };
        let known = ["version", "program", "system", "effects", "evidence"];

        if let Some(missing) = known.iter().find(|name| !fields.contains_key(**name)) {
            return Err(BundleError::NotABundle {
                problem: format!("it has no `{missing}`"),
            });
        }

        let version = fields.get("version").cloned().unwrap_or_default();
        if version.as_u64() != Some(u64::from(VERSION)) {
            return Err(BundleError::OtherVersion {
                found: shortened(version.to_string()),
                program: program(fields).map(shortened),
            });
        }

        // Parse the text again, because only a parser of text knows the line of a problem.
        let read = serde_path_to_error::deserialize(&mut unlimited(text)).map_err(|error| {
            let place = error.path().to_string();
            BundleError::Damaged {
                problem: shortened(format!("{} in `{place}`", error.into_inner())),
            }
        })?;

        // The digest covers what was read, so nothing of the text may have been left out.
        match first_lost(&value, &read) {
            Some(Lost::Field(field)) => Err(BundleError::UnknownField {
                field: shortened(field),
            }),
            Some(Lost::Value(field)) => Err(BundleError::Damaged {
                problem: shortened(format!("`{field}` is not written as a run writes it")),
            }),
            None => Ok(read),
        }
    }

    /// Returns the bundle as JSON with a final line end: each field and each item of a list is on
    /// one line. The same bundle gives the same bytes. The digest is computed again.
    ///
    /// # Errors
    ///
    /// When a part has no JSON form, which a bundle of a run never has.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let Value::Object(mut fields) = serde_json::to_value(self)? else {
            return Ok(String::new());
        };
        fields.insert("digest".to_owned(), self.computed_digest()?.into());

        let mut out = String::from("{\n");
        write_fields(&mut out, &fields, 1)?;
        out.push_str("}\n");
        Ok(out)
    }
}

/// Reads UTF-8 text to its end, if it has at most this many bytes.
fn text(reader: impl Read, most: usize) -> Result<String, BundleError> {
    let mut bytes = Vec::new();
    let read = reader.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| BundleError::Unreadable {
        problem: error.to_string(),
    })?;
    if bytes.len() > most {
        return Err(BundleError::TooLarge { most });
    }
    String::from_utf8(bytes).map_err(|_| BundleError::NotABundle {
        problem: "it is no text".to_owned(),
    })
}

/// Creates a parser without a limit of depth, for JSON whose [levels] were counted.
///
/// [levels]: levels
fn unlimited(text: &str) -> Deserializer<StrRead<'_>> {
    let mut reader = Deserializer::from_str(text);
    reader.disable_recursion_limit();
    reader
}

/// Returns the nesting depth of lists and objects.
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

/// Lists in these fields have a line for each item; other lists are on one line.
const LISTS: [&str; 6] = [
    "context", "sources", "tables", "journal", "effects", "sections",
];
/// Objects in these fields have a line for each field.
const OPENED: [&str; 2] = ["evidence", "report"];

fn write_fields(
    out: &mut String,
    fields: &Map<String, Value>,
    depth: usize,
) -> Result<(), serde_json::Error> {
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
    fn a_bundle_that_is_too_large_is_not_read_to_its_end() {
        let mut endless = std::io::repeat(b' ');
        assert_eq!(
            text(&mut endless, 100),
            Err(BundleError::TooLarge { most: 100 })
        );
        assert_eq!(text("{}".as_bytes(), 2).as_deref(), Ok("{}"));
        assert!(matches!(
            text(&b"\xff"[..], 2),
            Err(BundleError::NotABundle { .. })
        ));
    }

    #[test]
    fn levels_are_counted_outside_strings() {
        for (text, deep) in [
            ("1", 0),
            ("[[],{}]", 2),
            (r#"["[[\"[", {"a": [1]}]"#, 3),
            ("]]}[", 1),
            ("\"\\", 0),
        ] {
            assert_eq!(levels(text), deep, "{text}");
        }
    }

    #[test]
    fn a_bundle_that_nests_too_deep_is_refused_before_it_is_parsed() {
        let deep = format!(
            "{{\"replays\": {}{}}}",
            "[".repeat(MAX_LEVELS),
            "]".repeat(MAX_LEVELS)
        );
        let Err(BundleError::Damaged { problem }) = Bundle::from_json(&deep) else {
            panic!("it was read")
        };
        assert!(problem.contains("more than 160 levels"), "{problem}");
        assert!(Bundle::from_json(&"[".repeat(1_000_000)).is_err());
    }
}
