//! The report as JSON that can be embedded in HTML safely.

use std::fmt::Write;

use crate::document::model::Report;
use crate::text::untrusted::visible;

/// Returns pretty-printed JSON with a final line end. Special characters of HTML and invisible
/// characters, which occur only in strings, are escaped.
///
/// # Errors
///
/// Returns an error if a value cannot be represented in JSON.
pub(crate) fn render(report: &Report) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string_pretty(report)?;

    let mut out = String::with_capacity(json.len() + 1);
    for character in json.chars() {
        if is_plain(character) {
            out.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a string does not fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out.push('\n');
    Ok(out)
}

/// Returns whether a character is written without an escape.
fn is_plain(character: char) -> bool {
    let hidden = || {
        visible(character.encode_utf8(&mut [0; 4]))
            .chars()
            .ne([character])
    };
    character == '\n'
        || (!"<>&".contains(character)
            && (character.is_ascii_graphic() || character == ' ' || !hidden()))
}
