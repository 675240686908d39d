//! Reads plain text, whose blocks are its paragraphs.

use crate::read::builder::{Built, one_line};
use crate::read::error::ReadError;
use crate::read::limits::ReadLimits;

/// Maximum length of a first line that is a title, in characters.
const TITLE: usize = 120;

pub(crate) fn read(text: &str, limits: &ReadLimits) -> Result<Built, ReadError> {
    let mut built = Built::plain(text, limits.text)?;

    // A short first line with a blank line after it is a title.
    if let Some(first) = built.blocks.first() {
        let first = &built.text[first.range.clone()];
        if !first.contains('\n') && first.chars().count() <= TITLE {
            built.title = one_line(first);
        }
    }
    Ok(built)
}
