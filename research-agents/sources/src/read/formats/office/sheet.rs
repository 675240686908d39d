//! Reads workbooks of Excel: each row of a sheet is a block.

use quick_xml::events::BytesStart;

use crate::read::builder::{Builder, Built};
use crate::read::document::BlockKind;
use crate::read::error::ReadError;
use crate::read::format::Format;
use crate::read::formats::office::core_properties;
use crate::read::formats::xml::{Archive, Visitor, attribute, visit};
use crate::read::limits::ReadLimits;

pub(crate) fn read(archive: &mut Archive<'_>, limits: &ReadLimits) -> Result<Built, ReadError> {
    let mut shared = Shared::default();
    if let Some(content) = archive.entry("xl/sharedStrings.xml")? {
        visit(&content, Format::Xlsx, limits, &mut shared)?;
    }
    let mut names = Sheets::default();
    let workbook = archive.required("xl/workbook.xml")?;
    visit(&workbook, Format::Xlsx, limits, &mut names)?;
    if let Some(content) = archive.entry("xl/_rels/workbook.xml.rels")? {
        visit(&content, Format::Xlsx, limits, &mut names)?;
    }

    let mut out = Builder::new(limits.text);
    core_properties::read(
        archive,
        "docProps/core.xml",
        Format::Xlsx,
        limits,
        out.about(),
    )?;
    for sheet in &names.sheets {
        if sheet.is_hidden {
            out.about().hidden += 1;
            continue;
        }
        let Some((_, target)) = names.targets.iter().find(|(id, _)| *id == sheet.id) else {
            continue;
        };
        let target = target.trim_start_matches("/xl/").trim_start_matches('/');
        let Some(content) = archive.entry(&format!("xl/{target}"))? else {
            continue;
        };

        out.begin_heading(1);
        out.flow(&sheet.name);
        out.end();
        let mut rows = Rows::new(out, &shared.strings);
        visit(&content, Format::Xlsx, limits, &mut rows)?;
        out = rows.out;
    }
    out.finish()
}

/// The strings that cells refer to.
#[derive(Default)]
struct Shared {
    strings: Vec<String>,
    is_text: bool,
    phonetic: usize,
}

impl Visitor for Shared {
    fn start(&mut self, name: &str, _: &BytesStart<'_>) {
        match name {
            "si" => self.strings.push(String::new()),
            "t" => self.is_text = true,
            "rPh" => self.phonetic += 1,
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "t" => self.is_text = false,
            "rPh" => self.phonetic = self.phonetic.saturating_sub(1),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_text
            && self.phonetic == 0
            && let Some(last) = self.strings.last_mut()
        {
            last.push_str(text);
        }
    }
}

struct Sheet {
    name: String,
    id: String,
    is_hidden: bool,
}

/// The sheets of a workbook, and the entries that contain them.
#[derive(Default)]
struct Sheets {
    sheets: Vec<Sheet>,
    targets: Vec<(String, String)>,
}

impl Visitor for Sheets {
    fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        let value = |name: &str| attribute(element, name).unwrap_or_default();
        match name {
            "sheet" => {
                // `r:id` and `sheetId` differ in their names only by the prefix.
                let state = value("state");
                self.sheets.push(Sheet {
                    name: value("name"),
                    id: value("id"),
                    is_hidden: state == "hidden" || state == "veryHidden",
                });
            }
            "Relationship" => self.targets.push((value("Id"), value("Target"))),
            _ => {}
        }
    }

    fn end(&mut self, _: &str) {}

    fn text(&mut self, _: &str) {}
}

/// The rows of a sheet.
struct Rows<'s> {
    out: Builder,
    shared: &'s [String],
    kind: String,
    value: String,
    is_value: bool,
    is_hidden: bool,
}

impl<'s> Rows<'s> {
    fn new(out: Builder, shared: &'s [String]) -> Self {
        Self {
            out,
            shared,
            kind: String::new(),
            value: String::new(),
            is_value: false,
            is_hidden: false,
        }
    }
}

impl Visitor for Rows<'_> {
    fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        match name {
            "row" => {
                self.is_hidden = attribute(element, "hidden").is_some_and(|hidden| hidden == "1");
                self.out.about().hidden += usize::from(self.is_hidden);
                self.out.begin(BlockKind::TableRow);
            }

            "c" => {
                self.kind = attribute(element, "t").unwrap_or_default();
                self.value.clear();
            }

            "v" | "t" => self.is_value = true,
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "v" | "t" => self.is_value = false,
            "c" => {
                let index = self.value.trim().parse::<usize>();
                let value = match (self.kind.as_str(), index) {
                    ("s", Ok(index)) => self.shared.get(index).map_or("", String::as_str),
                    ("b", Ok(1)) => "TRUE",
                    ("b", Ok(_)) => "FALSE",
                    _ => self.value.as_str(),
                };

                if !self.is_hidden {
                    self.out.flow(value);
                    self.out.cell();
                }
            }
            "row" => self.out.end(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_value {
            self.value.push_str(text);
        }
    }

    fn check(&self) -> Result<(), ReadError> {
        self.out.check()
    }
}
