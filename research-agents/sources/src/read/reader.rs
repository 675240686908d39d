//! Recognises the format of a file and reads it within limits.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use research_agents_report::text::Untrusted;
use sha2::{Digest, Sha256};

use crate::read::builder::Built;
use crate::read::document::{ReadDocument, ReadNote, ReaderId};
use crate::read::encoding::{Decoded, decode, stated_in_page};
use crate::read::error::ReadError;
use crate::read::format::Format;
use crate::read::formats::{html, man, markdown, office, pdf, plain, rest};
use crate::read::isolate::isolated;
use crate::read::limits::ReadLimits;

/// How many characters the language is detected from.
const SAMPLE: usize = 2_000;
/// Characters below which a language is not detected.
const TOO_SHORT: usize = 40;

/// Reads a file. The format is the given one, else the one that the bytes show. Files that are
/// compressed with gzip are unpacked first.
///
/// The reader runs on a separate thread: a panic and an endless loop become errors.
///
/// # Errors
///
/// The reason why the file was not read.
pub fn read(
    bytes: &[u8],
    format: Option<Format>,
    limits: &ReadLimits,
) -> Result<ReadDocument, ReadError> {
    read_as(bytes.to_vec(), format, None, limits)
}

/// Reads a file whose encoding may be stated outside of it, as in the header of an HTTP response.
///
/// # Errors
///
/// The reason why the file was not read.
pub fn read_as(
    bytes: Vec<u8>,
    format: Option<Format>,
    charset: Option<&str>,
    limits: &ReadLimits,
) -> Result<ReadDocument, ReadError> {
    if bytes.len() as u64 > limits.file {
        return Err(ReadError::TooLarge { limit: limits.file });
    }

    let charset = charset.map(str::to_owned);
    let inner = limits.clone();
    isolated(limits.time, move || {
        unpack_and_read(&bytes, format, charset.as_deref(), &inner)
    })
}

/// Returns the reader of a format and its version. A cached document of another version is read
/// again.
pub fn reader_of(format: Format) -> ReaderId {
    let (name, version) = match format {
        Format::Text => ("text", 1),
        Format::Markdown => ("markdown", 1),
        Format::Rest => ("rest", 1),
        Format::Man => ("man", 1),
        Format::Html => ("html", 3),
        Format::Pdf => ("pdf_oxide-0.3.78", 1),
        Format::Docx => ("docx", 1),
        Format::Xlsx => ("xlsx", 1),
        Format::Pptx => ("pptx", 1),
        Format::OpenDocument => ("opendocument", 1),
        Format::Epub => ("epub", 1),
    };
    ReaderId {
        name: name.to_owned(),
        version,
    }
}

fn unpack_and_read(
    bytes: &[u8],
    format: Option<Format>,
    charset: Option<&str>,
    limits: &ReadLimits,
) -> Result<ReadDocument, ReadError> {
    let unpacked;
    let content = if bytes.starts_with(&[0x1f, 0x8b]) {
        unpacked = gunzip(bytes, limits)?;
        &unpacked
    } else {
        bytes
    };
    let format = settle(format, content)?;

    let (built, encoding, mut notes) = match format {
        Format::Pdf => (pdf::read(content, limits)?, "PDF".to_owned(), Vec::new()),
        archive if archive.is_archive() => (
            office::read(content, archive, limits)?,
            "UTF-8".to_owned(),
            Vec::new(),
        ),
        textual => {
            let stated = match (charset, textual) {
                (Some(charset), _) => Some(charset.to_owned()),
                (None, Format::Html) => stated_in_page(content),
                _ => None,
            };
            let Decoded {
                text,
                encoding,
                notes,
            } = decode(content, stated.as_deref());
            (read_text(&text, textual, limits)?, encoding, notes)
        }
    };
    if built.text.trim().is_empty() {
        return Err(ReadError::NoText);
    }

    if built.hidden > 0 {
        notes.push(ReadNote::Hidden {
            elements: built.hidden,
        });
    }
    if !built.unread_pages.is_empty() {
        notes.push(ReadNote::Pages {
            pages: built.unread_pages.clone(),
        });
    }
    Ok(document(built, format, encoding, notes, bytes))
}

/// Returns the format of the content. The bytes decide whether something is an archive, a PDF or
/// text; the name decides which kind of text.
fn settle(stated: Option<Format>, content: &[u8]) -> Result<Format, ReadError> {
    let seen = Format::from_bytes(content);
    match (stated, seen) {
        (Some(stated), Some(seen)) if stated.is_textual() && seen.is_textual() => Ok(stated),
        (Some(stated), None) if !stated.is_textual() => Ok(stated),
        (_, Some(seen)) => Ok(seen),
        (Some(Format::Html), None) | (None, None) => Err(ReadError::UnknownFormat),
        (Some(format), None) => Err(ReadError::malformed(
            format,
            "it contains bytes that are not text",
        )),
    }
}

fn read_text(text: &str, format: Format, limits: &ReadLimits) -> Result<Built, ReadError> {
    match format {
        Format::Html => html::read(text, limits),
        Format::Markdown => markdown::read(text, limits),
        Format::Rest => rest::read(text, limits),
        Format::Man => man::read(text, limits),
        _ => plain::read(text, limits),
    }
}

fn gunzip(bytes: &[u8], limits: &ReadLimits) -> Result<Vec<u8>, ReadError> {
    let mut unpacked = Vec::new();
    let mut decoder = MultiGzDecoder::new(bytes).take(limits.unpacked + 1);
    decoder
        .read_to_end(&mut unpacked)
        .map_err(|error| ReadError::malformed(Format::Text, format!("gzip: {error}")))?;
    if unpacked.len() as u64 > limits.unpacked {
        return Err(ReadError::Unpacked {
            limit: limits.unpacked,
        });
    }
    Ok(unpacked)
}

fn document(
    built: Built,
    format: Format,
    encoding: String,
    notes: Vec<ReadNote>,
    bytes: &[u8],
) -> ReadDocument {
    let language = built.language.or_else(|| detect_language(&built.text));

    ReadDocument {
        text: Untrusted::new(built.text),
        title: Untrusted::new(built.title),
        date: built.date,
        language,
        blocks: built.blocks,
        sections: built.sections,
        format,
        encoding,
        file_hash: sha256(bytes),
        reader: reader_of(format),
        notes,
    }
}

/// Returns the language as a code of ISO 639-1, as far as the detector knows it.
fn detect_language(text: &str) -> Option<String> {
    let sample: String = text.chars().take(SAMPLE).collect();
    if sample.chars().filter(|c| c.is_alphabetic()).count() < TOO_SHORT {
        return None;
    }

    let code = match whichlang::detect_language(&sample) {
        whichlang::Lang::Ara => "ar",
        whichlang::Lang::Cmn => "zh",
        whichlang::Lang::Deu => "de",
        whichlang::Lang::Eng => "en",
        whichlang::Lang::Fra => "fr",
        whichlang::Lang::Hin => "hi",
        whichlang::Lang::Ita => "it",
        whichlang::Lang::Jpn => "ja",
        whichlang::Lang::Kor => "ko",
        whichlang::Lang::Nld => "nl",
        whichlang::Lang::Por => "pt",
        whichlang::Lang::Rus => "ru",
        whichlang::Lang::Spa => "es",
        whichlang::Lang::Swe => "sv",
        whichlang::Lang::Tur => "tr",
        whichlang::Lang::Vie => "vi",
    };
    Some(code.to_owned())
}

/// Returns the SHA-256 of bytes in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    research_agents_report::evidence::hex(&Sha256::digest(bytes))
}
