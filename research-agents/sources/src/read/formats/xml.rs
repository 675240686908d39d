//! Helpers for formats that are XML in a ZIP archive.

#![cfg(feature = "office")]

use std::io::{Cursor, Read};

use quick_xml::events::{BytesRef, BytesStart, Event};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::read::error::ReadError;
use crate::read::format::Format;
use crate::read::limits::ReadLimits;

/// Maximum number of entries of an archive.
const MOST_ENTRIES: usize = 20_000;

/// An archive that unpacks no more than a limit.
pub(crate) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    format: Format,
    left: u64,
    limit: u64,
}

impl<'b> Archive<'b> {
    pub(crate) fn open(
        bytes: &'b [u8],
        format: Format,
        limits: &ReadLimits,
    ) -> Result<Self, ReadError> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| ReadError::malformed(format, error))?;
        if zip.len() > MOST_ENTRIES {
            return Err(ReadError::malformed(
                format,
                format!("it has {} entries", zip.len()),
            ));
        }

        Ok(Self {
            zip,
            format,
            left: limits.unpacked,
            limit: limits.unpacked,
        })
    }

    /// Returns the names of the entries.
    pub(crate) fn names(&self) -> Vec<String> {
        self.zip
            .file_names()
            .flatten()
            .map(|name| name.into_owned())
            .collect()
    }

    /// Returns an entry; `None` if no entry has the name.
    pub(crate) fn entry(&mut self, name: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let limit = self.limit;
        let entry = match self.zip.by_name(name) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(problem)) if problem.contains("assword") => {
                return Err(ReadError::Encrypted);
            }
            Err(error) => return Err(ReadError::malformed(self.format, error)),
        };

        // The size that the archive states may be wrong: what is unpacked counts.
        let mut content = Vec::new();
        entry
            .take(self.left + 1)
            .read_to_end(&mut content)
            .map_err(|error| ReadError::malformed(self.format, error))?;
        let size = content.len() as u64;
        if size > self.left {
            return Err(ReadError::Unpacked { limit });
        }
        self.left -= size;
        Ok(Some(content))
    }

    /// Returns an entry that must be there.
    pub(crate) fn required(&mut self, name: &str) -> Result<Vec<u8>, ReadError> {
        let format = self.format;
        self.entry(name)?
            .ok_or_else(|| ReadError::malformed(format, format!("`{name}` is missing")))
    }
}

/// Something that reads the events of an XML file.
pub(crate) trait Visitor {
    /// An element begins.
    fn start(&mut self, name: &str, element: &BytesStart<'_>);
    /// An element ends.
    fn end(&mut self, name: &str);
    /// Text, with its entities resolved.
    fn text(&mut self, text: &str);
    /// Returns an error when reading must stop.
    fn check(&self) -> Result<(), ReadError> {
        Ok(())
    }
}

/// Reads an XML file. Names are given without their prefix.
pub(crate) fn visit(
    content: &[u8],
    format: Format,
    limits: &ReadLimits,
    visitor: &mut impl Visitor,
) -> Result<(), ReadError> {
    let text = String::from_utf8_lossy(content);
    let mut reader = quick_xml::Reader::from_str(&text);
    reader.config_mut().check_end_names = false;
    let mut depth = 0;

    loop {
        let event = reader
            .read_event()
            .map_err(|error| ReadError::malformed(format, error))?;
        match event {
            Event::Start(element) => {
                depth += 1;
                if depth > limits.depth {
                    return Err(ReadError::TooDeep {
                        limit: limits.depth,
                    });
                }
                visitor.start(element.local_name().as_ref(), &element);
            }
            Event::Empty(element) => {
                let name = element.local_name().as_ref().to_owned();
                visitor.start(&name, &element);
                visitor.end(&name);
            }
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                visitor.end(element.local_name().as_ref());
                visitor.check()?;
            }
            Event::Text(part) => visitor.text(part.as_ref()),
            Event::CData(part) => visitor.text(part.as_ref()),
            Event::GeneralRef(reference) => visitor.text(&resolved(&reference)),
            Event::Eof if depth > 0 => {
                return Err(ReadError::malformed(format, "it ends within an element"));
            }
            Event::Eof => return Ok(()),
            // Declarations, comments, instructions, and document types, whose entities are not
            // expanded.
            _ => {}
        }
    }
}

/// Returns an attribute by its name without prefix.
pub(crate) fn attribute(element: &BytesStart<'_>, wanted: &str) -> Option<String> {
    let found = element
        .attributes()
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == wanted)?;
    let raw = found.value.into_owned();
    Some(match quick_xml::escape::unescape(&raw) {
        Ok(value) => value.into_owned(),
        Err(_) => raw,
    })
}

fn resolved(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    quick_xml::escape::resolve_predefined_entity(reference.as_ref())
        .map(str::to_owned)
        .unwrap_or_default()
}
