//! Formats of files, and how they are recognised.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A format of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Format {
    /// Plain text, source code, tables as text.
    Text,
    /// Markdown.
    Markdown,
    /// reStructuredText.
    Rest,
    /// A manual page.
    Man,
    /// HTML or XHTML.
    Html,
    /// PDF.
    Pdf,
    /// A document of Word.
    Docx,
    /// A workbook of Excel.
    Xlsx,
    /// A presentation of PowerPoint.
    Pptx,
    /// A text, sheet or presentation of OpenDocument.
    OpenDocument,
    /// A book.
    Epub,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Markdown => "Markdown",
            Self::Rest => "reStructuredText",
            Self::Man => "manual page",
            Self::Html => "HTML",
            Self::Pdf => "PDF",
            Self::Docx => "Word",
            Self::Xlsx => "Excel",
            Self::Pptx => "PowerPoint",
            Self::OpenDocument => "OpenDocument",
            Self::Epub => "EPUB",
        })
    }
}

/// Endings of the names of files that are read as text.
const TEXT_ENDINGS: &[&str] = &[
    "adoc", "asc", "bib", "c", "cfg", "changes", "conf", "cpp", "csv", "diff", "go", "h", "hpp",
    "ini", "java", "js", "json", "jsonl", "log", "ndjson", "org", "patch", "pl", "po", "py", "rb",
    "rs", "sh", "sql", "srt", "tex", "text", "toml", "ts", "tsv", "txt", "vtt", "xml", "yaml",
    "yml",
];

impl Format {
    /// Returns the format that the name of a file states. The ending `.gz` is skipped.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let ending = name.rsplit_once('.')?.1;

        Some(match ending {
            "md" | "markdown" | "mdown" | "mkd" => Self::Markdown,
            "rst" | "rest" => Self::Rest,
            "htm" | "html" | "xhtml" | "shtml" => Self::Html,
            "pdf" => Self::Pdf,
            "docx" | "docm" | "dotx" => Self::Docx,
            "xlsx" | "xlsm" => Self::Xlsx,
            "pptx" | "pptm" => Self::Pptx,
            "odt" | "ods" | "odp" => Self::OpenDocument,
            "epub" => Self::Epub,
            "man" | "mdoc" | "roff" => Self::Man,
            section if is_section(section) => Self::Man,
            text if TEXT_ENDINGS.contains(&text) => Self::Text,
            _ => return None,
        })
    }

    /// Returns the format that a media type states, such as `text/html; charset=utf-8`.
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        let essence = media_type.split(';').next()?.trim().to_ascii_lowercase();
        Some(match essence.as_str() {
            "text/html" | "application/xhtml+xml" => Self::Html,
            "text/markdown" | "text/x-markdown" => Self::Markdown,
            "text/x-rst" | "text/prs.fallenstein.rst" => Self::Rest,
            "text/troff" | "application/x-troff-man" => Self::Man,
            "application/pdf" => Self::Pdf,

            "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => Self::Docx,
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => Self::Xlsx,
            "application/vnd.openxmlformats-officedocument.presentationml.presentation" => {
                Self::Pptx
            }
            "application/vnd.oasis.opendocument.text"
            | "application/vnd.oasis.opendocument.spreadsheet"
            | "application/vnd.oasis.opendocument.presentation" => Self::OpenDocument,
            "application/epub+zip" => Self::Epub,
            "application/json" | "application/xml" | "application/x-ndjson" => Self::Text,

            text if text.starts_with("text/") => Self::Text,
            _ => return None,
        })
    }

    /// Returns the format that the bytes show; `None` for bytes that are neither text nor of a
    /// known format.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let head = &bytes[..bytes.len().min(4_096)];
        let trimmed = head.trim_ascii_start();
        if head
            .windows(5)
            .take(1_024)
            .any(|window| window == b"%PDF-".as_slice())
        {
            return Some(Self::Pdf);
        }
        if head.starts_with(b"PK\x03\x04") {
            return zipped(bytes);
        }

        let lower = trimmed.to_ascii_lowercase();
        let is_page = [
            b"<!doctype html".as_slice(),
            b"<html".as_slice(),
            b"<?xml".as_slice(),
        ];
        if is_page.iter().any(|start| lower.starts_with(start)) {
            let is_html = lower.windows(5).any(|window| window == b"<html".as_slice());
            return Some(if is_html || lower.starts_with(b"<!doctype html") {
                Self::Html
            } else {
                Self::Text
            });
        }

        let is_manual = [
            b".TH ".as_slice(),
            b".Dd ".as_slice(),
            b".\\\"".as_slice(),
            b"'\\\"".as_slice(),
        ];
        if is_manual.iter().any(|start| trimmed.starts_with(start)) {
            return Some(Self::Man);
        }
        is_text(bytes).then_some(Self::Text)
    }

    /// Returns whether the format is a compressed archive.
    pub(crate) fn is_archive(self) -> bool {
        matches!(
            self,
            Self::Docx | Self::Xlsx | Self::Pptx | Self::OpenDocument | Self::Epub
        )
    }

    /// Returns whether the bytes are characters.
    pub(crate) fn is_textual(self) -> bool {
        !self.is_archive() && self != Self::Pdf
    }
}

/// Returns whether an ending is a section of the manual: `1`, `3pm`, `8`.
fn is_section(ending: &str) -> bool {
    let mut characters = ending.chars();
    characters
        .next()
        .is_some_and(|first| ('1'..='9').contains(&first))
        && ending.len() <= 6
        && characters.all(|c| c.is_ascii_alphanumeric())
}

/// Returns the format of a ZIP archive by the names of its entries.
fn zipped(bytes: &[u8]) -> Option<Format> {
    let contains = |name: &[u8]| bytes.windows(name.len()).any(|window| window == name);
    let mimetype = &bytes[..bytes.len().min(200)];
    let states = |name: &[u8]| mimetype.windows(name.len()).any(|window| window == name);

    if states(b"application/epub+zip") {
        Some(Format::Epub)
    } else if states(b"application/vnd.oasis.opendocument") {
        Some(Format::OpenDocument)
    } else if contains(b"word/document.xml") {
        Some(Format::Docx)
    } else if contains(b"xl/workbook.xml") {
        Some(Format::Xlsx)
    } else if contains(b"ppt/presentation.xml") {
        Some(Format::Pptx)
    } else if contains(b"META-INF/container.xml") {
        Some(Format::Epub)
    } else if contains(b"content.xml") {
        Some(Format::OpenDocument)
    } else {
        None
    }
}

/// Returns whether bytes look like text: of UTF-16 with a byte order mark, or without NUL and with
/// few other controls.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return true;
    }
    let head = &bytes[..bytes.len().min(8_192)];
    let controls = head
        .iter()
        .filter(|byte| matches!(byte, 0x01..=0x08 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f))
        .count();
    !head.contains(&0) && controls * 50 <= head.len()
}
