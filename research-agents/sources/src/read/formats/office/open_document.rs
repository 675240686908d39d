//! Reads texts, sheets and presentations of OpenDocument.

use quick_xml::events::BytesStart;

use crate::read::builder::{Builder, Built};
use crate::read::document::BlockKind;
use crate::read::error::ReadError;
use crate::read::format::Format;
use crate::read::formats::office::core_properties;
use crate::read::formats::xml::{Archive, Visitor, attribute, visit};
use crate::read::limits::ReadLimits;

/// Elements whose text is not part of what a reader sees.
const NOT_SEEN: &[&str] = &[
    "tracked-changes",
    "annotation",
    "forms",
    "hidden-text",
    "notes",
];

pub(crate) fn read(archive: &mut Archive<'_>, limits: &ReadLimits) -> Result<Built, ReadError> {
    let format = Format::OpenDocument;
    if let Some(manifest) = archive.entry("META-INF/manifest.xml")?
        && String::from_utf8_lossy(&manifest).contains("encryption-data")
    {
        return Err(ReadError::Encrypted);
    }

    let mut text = Text {
        out: Builder::new(limits.text),
        items: 0,
        rows: 0,
        skipped: 0,
        flowing: 0,
    };
    core_properties::read(archive, "meta.xml", format, limits, text.out.about())?;
    let content = archive.required("content.xml")?;
    visit(&content, format, limits, &mut text)?;
    text.out.finish()
}

struct Text {
    out: Builder,
    items: usize,
    rows: usize,
    /// Number of open elements that are not seen.
    skipped: usize,
    /// Number of open paragraphs and headings.
    flowing: usize,
}

impl Visitor for Text {
    fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        if NOT_SEEN.contains(&name) {
            self.skipped += 1;
            self.out.about().hidden += usize::from(self.skipped == 1);
        }

        match name {
            "h" => {
                self.flowing += 1;
                let level =
                    attribute(element, "outline-level").and_then(|level| level.parse().ok());
                self.out.begin_heading(level.unwrap_or(1));
            }
            "p" => {
                self.flowing += 1;
                if self.rows > 0 {
                    self.out.flow(" ");
                } else if self.items > 0 {
                    self.out.begin(BlockKind::ListItem);
                } else {
                    self.out.begin(BlockKind::Paragraph);
                }
            }
            "list-item" => self.items += 1,

            "table-row" => {
                self.rows += 1;
                if self.rows == 1 {
                    self.out.begin(BlockKind::TableRow);
                }
            }
            "s" | "tab" | "line-break" => self.out.flow(" "),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        if NOT_SEEN.contains(&name) {
            self.skipped = self.skipped.saturating_sub(1);
        }

        match name {
            "h" | "p" => {
                self.flowing = self.flowing.saturating_sub(1);
                if self.rows == 0 {
                    self.out.end();
                }
            }
            "list-item" => self.items = self.items.saturating_sub(1),
            "table-cell" => self.out.cell(),
            "table-row" => {
                self.rows = self.rows.saturating_sub(1);
                if self.rows == 0 {
                    self.out.end();
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.flowing > 0 && self.skipped == 0 {
            self.out.flow(text);
        }
    }

    fn check(&self) -> Result<(), ReadError> {
        self.out.check()
    }
}
