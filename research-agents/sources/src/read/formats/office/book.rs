//! Reads books: EPUB, chapter by chapter in the order of reading.

use quick_xml::events::BytesStart;

use crate::read::builder::{Builder, Built};
use crate::read::error::ReadError;
use crate::read::format::Format;
use crate::read::formats::html;
use crate::read::formats::office::core_properties;
use crate::read::formats::xml::{Archive, Visitor, attribute, visit};
use crate::read::limits::ReadLimits;

pub(crate) fn read(archive: &mut Archive<'_>, limits: &ReadLimits) -> Result<Built, ReadError> {
    if archive
        .entry("META-INF/encryption.xml")?
        .is_some_and(|content| {
            // Fonts are often obfuscated; that is not encryption of the text.
            let content = String::from_utf8_lossy(&content).into_owned();
            content.contains(".xhtml") || content.contains(".html")
        })
    {
        return Err(ReadError::Encrypted);
    }

    let mut package = Package::default();
    let container = archive.required("META-INF/container.xml")?;
    visit(&container, Format::Epub, limits, &mut package)?;
    let path = package.path.clone();
    let opf = archive.required(&path)?;
    visit(&opf, Format::Epub, limits, &mut package)?;

    let mut out = Builder::new(limits.text);
    core_properties::read(archive, &path, Format::Epub, limits, out.about())?;
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    for id in &package.spine {
        let Some((_, target)) = package.items.iter().find(|(item, _)| item == id) else {
            continue;
        };
        let target = percent_decoded(target);
        let name = if folder.is_empty() {
            target
        } else {
            format!("{folder}/{target}")
        };
        if let Some(chapter) = archive.entry(&name)? {
            html::append(&String::from_utf8_lossy(&chapter), limits, &mut out)?;
            out.check()?;
        }
    }
    out.finish()
}

/// The order of reading of a book.
#[derive(Default)]
struct Package {
    path: String,
    items: Vec<(String, String)>,
    spine: Vec<String>,
}

impl Visitor for Package {
    fn start(&mut self, name: &str, element: &BytesStart<'_>) {
        let value = |name: &str| attribute(element, name).unwrap_or_default();
        match name {
            "rootfile" if self.path.is_empty() => self.path = value("full-path"),
            "item" => self.items.push((value("id"), value("href"))),
            "itemref" if value("linear") != "no" => self.spine.push(value("idref")),
            _ => {}
        }
    }

    fn end(&mut self, _: &str) {}

    fn text(&mut self, _: &str) {}
}

/// Returns a path with its percent-encoded bytes decoded.
fn percent_decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();

    while let Some((&first, after)) = rest.split_first() {
        let decoded = (first == b'%')
            .then(|| std::str::from_utf8(after.get(..2)?).ok())
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match decoded {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }

    String::from_utf8_lossy(&bytes).into_owned()
}
