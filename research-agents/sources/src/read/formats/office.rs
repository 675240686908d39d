//! Reads files of office programs, and books.

#[cfg(feature = "office")]
pub(crate) mod word;
#[cfg(feature = "office")]
pub(crate) mod sheet;
#[cfg(feature = "office")]
pub(crate) mod slides;
#[cfg(feature = "office")]
pub(crate) mod open_document;
#[cfg(feature = "office")]
pub(crate) mod book;
#[cfg(feature = "office")]
pub(crate) mod core_properties;

use crate::read::builder::Built;
use crate::read::error::ReadError;
use crate::read::format::Format;
use crate::read::limits::ReadLimits;

/// Reads an archive of one of the formats.
#[cfg(feature = "office")]
pub(crate) fn read(bytes: &[u8], format: Format, limits: &ReadLimits) -> Result<Built, ReadError> {
    // The container of an encrypted document is not an archive.
    if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
        return Err(ReadError::Encrypted);
    }
    let mut archive = crate::read::formats::xml::Archive::open(bytes, format, limits)?;
    match format {
        Format::Docx => word::read(&mut archive, limits),
        Format::Xlsx => sheet::read(&mut archive, limits),
        Format::Pptx => slides::read(&mut archive, limits),
        Format::Epub => book::read(&mut archive, limits),
        _ => open_document::read(&mut archive, limits),
    }
}

/// Refuses an archive, because the readers were not built.
#[cfg(not(feature = "office"))]
pub(crate) fn read(_: &[u8], format: Format, _: &ReadLimits) -> Result<Built, ReadError> {
    Err(ReadError::NotBuilt { format })
}
