//! A bundle as text: one line for each thing in it, so that people can read it and tools can compare it.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value};

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

impl Bundle {
    /// Reads a bundle.
    ///
    /// # Errors
    ///
    /// [`BundleError`]: the text is something else, a bundle of another form, or one that is damaged.
    pub fn from_json(text: &str) -> Result<Self, BundleError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let looks_like_one = text.trim_start().starts_with('{') && text.contains("\"replays\"");
        let value: Value = serde_json::from_str(text).map_err(|error| {
            if looks_like_one {
                BundleError::Damaged { problem: error.to_string() }
            } else {
                BundleError::NotABundle { problem: format!("it is no JSON ({error})") }
            }
        })?;
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
        let mut reader = serde_json::Deserializer::from_str(text);
        serde_path_to_error::deserialize(&mut reader).map_err(|error| {
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
