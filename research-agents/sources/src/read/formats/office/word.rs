//! Reads documents of Word.

use quick_xml::events::BytesStart;

use crate::read::builder::{Builder, Built};
use crate::read::document::BlockKind;
use crate::read::error::ReadError;
use crate::read::format::Format;
use crate::read::formats::office::core_properties;
use crate::read::formats::xml::{Archive, Visitor, attribute, visit};
use crate::read::limits::ReadLimits;

pub(crate) fn read(archive: &mut Archive<'_>, limits: &ReadLimits) -> Result<Built, ReadError> {
    let mut word = Word {
        out: Builder::new(limits.text),
        is_text: false,
        is_hidden: false,
        deleted: 0,
        rows: 0,
    };
    let about = word.out.about();
    core_properties::read(archive, "docProps/core.xml", Format::Docx, limits, about)?;

    let document = archive.required("word/document.xml")?;
    visit(&document, Format::Docx, limits, &mut word)?;
    for notes in ["word/footnotes.xml", "word/endnotes.xml"] {
        if let Some(content) = archive.entry(notes)? {
            visit(&content, Format::Docx, limits, &mut word)?;
        }
    }
    word.out.finish()
}

struct Word {
    out: Builder,
    is_text: bool,
    /// Whether the current run is hidden.
    is_hidden: bool,
    /// Number of open elements whose text was deleted or moved away.
    deleted: usize,
    rows: usize,
}

impl Visitor for Word {
    fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        match name {
            "p" if self.rows == 0 => self.out.begin(BlockKind::Paragraph),
            "p" => self.out.flow(" "),
            "pStyle" if self.rows == 0 => {
                self.style(&attribute(element, "val").unwrap_or_default())
            }
            "numPr" if self.out.current() == Some(BlockKind::Paragraph) && self.rows == 0 => {
                self.out.begin(BlockKind::ListItem);
            }
            "outlineLvl" if self.rows == 0 => {
                let level = attribute(element, "val").and_then(|level| level.parse().ok());
                if let Some(level @ 0..9) = level {
                    self.out.begin_heading(level + 1);
                }
            }

            "tr" => {
                self.rows += 1;
                if self.rows == 1 {
                    self.out.begin(BlockKind::TableRow);
                }
            }
            "r" => self.is_hidden = false,
            "vanish" | "webHidden" => {
                let is_off = matches!(attribute(element, "val").as_deref(), Some("0" | "false"));
                if !is_off && !self.is_hidden {
                    self.is_hidden = true;
                    self.out.about().hidden += 1;
                }
            }
            "del" | "moveFrom" => self.deleted += 1,

            "t" => self.is_text = true,
            "tab" | "br" | "cr" => self.out.flow(" "),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "p" if self.rows == 0 => self.out.end(),
            "tc" if self.rows == 1 => self.out.cell(),
            "tr" => {
                self.rows = self.rows.saturating_sub(1);
                if self.rows == 0 {
                    self.out.end();
                }
            }
            "del" | "moveFrom" => self.deleted = self.deleted.saturating_sub(1),
            "t" => self.is_text = false,
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_text && !self.is_hidden && self.deleted == 0 {
            self.out.flow(text);
        }
    }

    fn check(&self) -> Result<(), ReadError> {
        self.out.check()
    }
}

impl Word {
    /// Makes the paragraph what its style says.
    fn style(&mut self, style: &str) {
        let style = style.to_ascii_lowercase();
        let number = style.trim_start_matches(|c: char| !c.is_ascii_digit());
        if style == "title" {
            self.out.begin_heading(1);
        } else if style.starts_with("heading") || style.starts_with("berschrift") {
            self.out.begin_heading(number.parse().unwrap_or(1));
        } else if style.starts_with("list") {
            self.out.begin(BlockKind::ListItem);
        } else if style.contains("quote") {
            self.out.begin(BlockKind::Quote);
        }
    }
}
