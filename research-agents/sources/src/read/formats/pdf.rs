//! Reads PDF files, page by page.

#[cfg(feature = "pdf")]
pub(crate) use with_reader::read;
#[cfg(not(feature = "pdf"))]
pub(crate) use without_reader::read;

#[cfg(not(feature = "pdf"))]
mod without_reader {
    use crate::read::builder::Built;
    use crate::read::error::ReadError;
    use crate::read::format::Format;
    use crate::read::limits::ReadLimits;

    pub(crate) fn read(_: &[u8], _: &ReadLimits) -> Result<Built, ReadError> {
        Err(ReadError::NotBuilt {
            format: Format::Pdf,
        })
    }
}

#[cfg(feature = "pdf")]
mod with_reader {
    use pdf_oxide::PdfDocument;

    use crate::read::builder::{Builder, Built};
    use crate::read::document::BlockKind;
    use crate::read::error::ReadError;
    use crate::read::format::Format;
    use crate::read::limits::ReadLimits;

    /// Maximum number of pages.
    const MOST_PAGES: usize = 20_000;

    pub(crate) fn read(bytes: &[u8], limits: &ReadLimits) -> Result<Built, ReadError> {
        let broken = |error: &dyn std::fmt::Display| ReadError::malformed(Format::Pdf, error);
        let document =
            PdfDocument::from_bytes(bytes.to_vec()).map_err(|error| encrypted_or(&error))?;
        if document.is_encrypted() && !document.authenticate(b"").unwrap_or(false) {
            return Err(ReadError::Encrypted);
        }

        let pages = document
            .page_count()
            .map_err(|error| encrypted_or(&error))?;
        if pages == 0 || pages > MOST_PAGES {
            return Err(broken(&format!("it has {pages} pages")));
        }

        let mut out = Builder::new(limits.text);
        for index in 0..pages {
            let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
            match document.extract_text(index) {
                Ok(text) => page(&mut out, number, &text),
                Err(_) => out.about().unread_pages.push(number),
            }
            out.check()?;
        }
        if out.about().unread_pages.len() == pages {
            return Err(broken(&"none of its pages can be read"));
        }
        out.finish()
    }

    /// Adds a page, whose paragraphs are separated by blank lines.
    fn page(out: &mut Builder, number: u32, text: &str) {
        out.page(number);
        for line in text.lines() {
            let line = line.trim();
            if line.is_empty() {
                out.end();
                continue;
            }
            if out.current().is_none() {
                out.begin(BlockKind::Paragraph);
            }

            // A soft hyphen joins the parts of a word over the end of a line.
            match line.strip_suffix('\u{ad}') {
                Some(part) => out.flow(part),
                None => {
                    out.flow(line);
                    out.flow(" ");
                }
            }
        }
        out.end();
    }

    fn encrypted_or(error: &pdf_oxide::Error) -> ReadError {
        let text = error.to_string();
        let lower = text.to_lowercase();
        if lower.contains("encrypt") || lower.contains("password") {
            ReadError::Encrypted
        } else {
            ReadError::malformed(Format::Pdf, text)
        }
    }
}
