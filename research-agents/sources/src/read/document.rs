//! A document: its text, and what is known about it.

use std::fmt;
use std::ops::Range;

use research_agents_report::passage::{Document, Origin};
use research_agents_report::text::Untrusted;
use serde::{Deserialize, Serialize};

use crate::read::format::Format;

/// A file that was read.
///
/// The text is what readers see, without markup and hidden text. All ranges are byte ranges of it.
/// The same bytes give the same document for the same reader and version, so that a report can be
/// verified against the file later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReadDocument {
    /// Text without markup.
    pub text: Untrusted<String>,
    /// Title; empty if the document has none.
    pub title: Untrusted<String>,
    /// Date that the document states, as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Language, stated or detected, as a code of ISO 639 such as `en`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Blocks in the order of the text. They do not overlap.
    pub blocks: Vec<Block>,
    /// Headings in the order of the text.
    pub sections: Vec<Section>,
    /// Format of the file.
    pub format: Format,
    /// Encoding that the bytes were decoded from, such as `UTF-8`.
    pub encoding: String,
    /// SHA-256 of the bytes of the file, in hexadecimal digits.
    pub file_hash: String,
    /// Reader that made the text.
    pub reader: ReaderId,
    /// What was lost or left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<ReadNote>,
}

/// A paragraph, heading, list item, table row or other unit of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Block {
    /// Kind of the block.
    pub kind: BlockKind,
    /// Bytes of the text.
    pub range: Range<usize>,
    /// Index of the innermost section that contains the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<usize>,
    /// Number of the page, from 1, in formats with pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BlockKind {
    /// A heading.
    Heading,
    /// A paragraph.
    Paragraph,
    /// An item of a list.
    ListItem,
    /// A term of a list of definitions.
    Term,
    /// A definition of a term.
    Definition,
    /// A row of a table, with a tab between cells.
    TableRow,
    /// Code, or other text whose line ends count.
    Code,
    /// A quotation.
    Quote,
}

/// A heading, and what it is below.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Section {
    /// Level of the heading, from 1.
    pub level: u8,
    /// Bytes of the heading in the text.
    pub heading: Range<usize>,
    /// Index of the section that contains this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
}

/// A reader and its version. Two readers with the same name and version make the same text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReaderId {
    /// Name of the reader.
    pub name: String,
    /// Version, which increases whenever the reader makes another text of the same file.
    pub version: u32,
}

impl fmt::Display for ReaderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.name, self.version)
    }
}

/// What a reader lost or left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "note")]
#[non_exhaustive]
pub enum ReadNote {
    /// Bytes that are not valid in the encoding were replaced.
    Replaced {
        /// Number of replacement characters.
        characters: usize,
    },
    /// The encoding was guessed, because the file does not state one.
    GuessedEncoding,
    /// Parts were left out that a person does not see.
    Hidden {
        /// Number of elements.
        elements: usize,
    },
    /// Pages that could not be read.
    Pages {
        /// Numbers of the pages, from 1.
        pages: Vec<u32>,
    },
}

impl ReadDocument {
    /// Returns the document for the passages of a report. The date of the origin is that of the
    /// document, unless it has one.
    pub fn to_evidence(&self, mut origin: Origin) -> Document {
        origin.date = origin.date.or_else(|| self.date.clone());
        let language = self.language.as_deref().and_then(|code| code.parse().ok());
        Document {
            origin,
            title: self.title.clone(),
            language: language.unwrap_or_default(),
            text: self.text.clone(),
            file_hash: self.file_hash.clone(),
            reader: self.reader.to_string(),
            ..Document::default()
        }
    }

    /// Returns a part of the text; empty if the range is not one of this text.
    pub fn slice(&self, range: &Range<usize>) -> &str {
        self.text.for_code().get(range.clone()).unwrap_or_default()
    }

    /// Returns the headings above a block, outermost first. A heading is not above itself.
    pub fn heading_path(&self, block: &Block) -> Vec<&str> {
        let mut section = block.section;
        if block.kind == BlockKind::Heading {
            section = section.and_then(|index| self.sections.get(index)?.parent);
        }
        self.section_path(section)
    }

    /// Returns the headings from the outermost one to a section.
    pub fn section_path(&self, mut section: Option<usize>) -> Vec<&str> {
        let mut path = Vec::new();
        while let Some(found) = section.and_then(|index| self.sections.get(index)) {
            path.push(self.slice(&found.heading));
            section = found.parent;
        }
        path.reverse();
        path
    }
}
