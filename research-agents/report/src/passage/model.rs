//! Documents, and passages of them.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::language::Language;
use crate::text::untrusted::Untrusted;

/// The kind of thing that a document is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OriginKind {
    /// A record of a data source.
    Record,
    /// A page of the web.
    Page,
    /// A scientific paper.
    Paper,
    /// A file of a folder.
    #[default]
    File,
    /// What an earlier run remembers.
    Memory,
    /// A finding of another run or system.
    Finding,
}

/// Where a document is from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The kind of thing that it is.
    pub kind: OriginKind,
    /// Its address: a URL, a path within its corpus, or the id of a record.
    pub address: String,
    /// Who publishes it: the registrable domain of a page, or the name of a corpus. Documents of
    /// one site are not independent of each other.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub site: String,
    /// The date that it states, as ISO 8601: `2024`, `2024-05` or `2024-05-17`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The version that it is about or has: `17.2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// A document with its stored text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// Id in this run, which citations name. The registry sets it.
    #[serde(default)]
    pub id: String,
    /// Where it is from.
    pub origin: Origin,
    /// Title; empty if it has none.
    #[serde(default)]
    pub title: Untrusted<String>,
    /// Language of the text.
    #[serde(default)]
    pub language: Language,
    /// The text that the reader made, to which spans refer.
    pub text: Untrusted<String>,
    /// SHA-256 of the text, in hexadecimal digits. The registry sets it.
    #[serde(default)]
    pub hash: String,
    /// SHA-256 of what was read, such as the bytes of a file. Empty if it was not kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file_hash: String,
    /// Name and version of the reader that made the text: `html/1`. Empty if the text is as given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reader: String,
}

impl Document {
    /// Creates a file with an address and a string. Its site is empty.
    pub fn new(address: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            origin: Origin {
                address: address.into(),
                ..Origin::default()
            },
            text: Untrusted::new(text.into()),
            ..Self::default()
        }
    }

    /// Sets where it is from.
    #[must_use]
    pub fn with_origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// Sets the title.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Untrusted::new(title.into());
        self
    }
}

/// A range of bytes in the text of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self {
            start: range.start,
            end: range.end,
        }
    }
}

impl From<Span> for Range<usize> {
    fn from(span: Span) -> Self {
        span.start..span.end
    }
}

/// Lines of a string, both included. The first line of a string is 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lines {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

impl Lines {
    /// Returns the lines of a range of bytes. A line ends with `\n`, `\r\n` or `\r`.
    pub fn from_bytes(text: &str, bytes: Range<usize>) -> Self {
        let ends = |part: &str| {
            let bytes = part.as_bytes();
            let is_end = |at: &usize| {
                bytes[*at] == b'\n' || (bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
            };
            u32::try_from((0..bytes.len()).filter(is_end).count()).unwrap_or(u32::MAX)
        };

        let before = text.get(..bytes.start).unwrap_or_default();
        let own = text.get(bytes).unwrap_or_default();
        let first = ends(before).saturating_add(1);
        let last = first.saturating_add(ends(own.trim_end_matches(['\n', '\r'])));
        Self { first, last }
    }
}

/// How a passage was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The way: `bm25`, `vector`, `hybrid`, `manual` or another word.
    pub provenance: String,
    /// The score that the way gave it, in its own scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// Why it was kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The headings above it, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub section: Vec<String>,
}

impl Found {
    /// Creates a way of finding without score, reason and section.
    pub fn by(provenance: impl Into<String>) -> Self {
        Self {
            provenance: provenance.into(),
            ..Self::default()
        }
    }

    /// Sets the score.
    #[must_use]
    pub fn with_score(mut self, score: f32) -> Self {
        self.score = Some(score);
        self
    }

    /// Sets the headings above the passage, the outermost first.
    #[must_use]
    pub fn with_section(mut self, section: Vec<String>) -> Self {
        self.section = section;
        self
    }
}

/// A part of the text of a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// Id in this run.
    pub id: String,
    /// Id of its document.
    pub source: String,
    /// Its place in the text of the document.
    pub bytes: Span,
    /// The lines of that place.
    pub lines: Lines,
    /// SHA-256 of its text, in hexadecimal digits.
    pub hash: String,
    /// Its text.
    pub text: Untrusted<String>,
    /// How it was found.
    pub found: Found,
}

/// Returns the SHA-256 of a string in hexadecimal digits.
pub(crate) fn hash_of(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_in_every_style() {
        let text = "a\r\nbü\rc\nd";
        let at = |part: &str| {
            let start = text.find(part).unwrap();
            Lines::from_bytes(text, start..start + part.len())
        };
        assert_eq!(at("a"), Lines { first: 1, last: 1 });
        assert_eq!(at("bü\rc\n"), Lines { first: 2, last: 3 });
        assert_eq!(at("d"), Lines { first: 4, last: 4 });
    }
}
