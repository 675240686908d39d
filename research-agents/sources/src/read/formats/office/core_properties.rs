//! Title and date of a document of Word, Excel or PowerPoint.

use quick_xml::events::BytesStart;

use crate::read::builder::Built;
use crate::read::error::ReadError;
use crate::read::format::Format;
use crate::read::formats::about::{date_in, language_code};
use crate::read::formats::xml::{Archive, Visitor, visit};
use crate::read::limits::ReadLimits;

/// Takes title, date and language from the properties of an archive.
pub(crate) fn read(
    archive: &mut Archive<'_>,
    entry: &str,
    format: Format,
    limits: &ReadLimits,
    built: &mut Built,
) -> Result<(), ReadError> {
    let Some(content) = archive.entry(entry)? else {
        return Ok(());
    };
    let mut properties = Properties::default();
    visit(&content, format, limits, &mut properties)?;

    built.title = properties.title;
    built.date = date_in(&properties.modified).or_else(|| date_in(&properties.created));
    built.language = language_code(&properties.language);
    Ok(())
}

#[derive(Default)]
struct Properties {
    current: String,
    title: String,
    created: String,
    modified: String,
    language: String,
}

impl Visitor for Properties {
    fn start(&mut self, name: &str, _: &BytesStart<'_>) {
        name.clone_into(&mut self.current);
    }

    fn end(&mut self, _: &str) {
        self.current.clear();
    }

    fn text(&mut self, text: &str) {
        match self.current.as_str() {
            "title" => self.title.push_str(text),
            "created" | "creation-date" => self.created.push_str(text),
            "modified" | "date" => self.modified.push_str(text),
            "language" => self.language.push_str(text),
            _ => {}
        }
    }
}
