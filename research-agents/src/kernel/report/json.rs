//! The report as JSON that is inert wherever it is pasted.

use std::fmt::Write;

use super::model::Report;
use crate::kernel::untrusted::visible;

/// Pretty-printed JSON with a line end. Characters that mean something to HTML, or that a reader does not see, are written as
/// escapes; they occur in strings only.
pub(super) fn render(report: &Report) -> Result<String, serde_json::Error> {
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

fn is_plain(character: char) -> bool {
    let hidden = || visible(character.encode_utf8(&mut [0; 4])).chars().ne([character]);
    character == '\n' || (!"<>&".contains(character) && (character.is_ascii_graphic() || character == ' ' || !hidden()))
}
