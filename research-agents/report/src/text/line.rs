//! Single lines of plain text, in which reports and charts keep names, values and sentences of any
//! origin.

use serde::{Deserialize, Serialize};

use crate::text::untrusted::visible;

/// Maximum number of characters of a line.
pub(crate) const LINE_CAP: usize = 1_200;

/// One line of plain text without invisible characters, at most 1,200 characters long.
///
/// The text may come from a document, or from a model that read one. It is never markup: every
/// renderer escapes what looks like it. Prompts do not take lines, but
/// [`Untrusted`](crate::text::Untrusted) text.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct Line(String);

impl Line {
    /// Creates a line: removes invisible characters, replaces white space by single spaces, and
    /// cuts the text to 1,200 characters.
    pub fn new(text: &str) -> Self {
        Self(squeeze(text).chars().take(LINE_CAP).collect())
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `true` if the line is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<String> for Line {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

/// Returns the visible characters with single spaces between words. A space that groups the digits
/// of a number stays unchanged. U+FFFE and U+FFFF, which XML does not allow, are removed.
pub(crate) fn squeeze(text: &str) -> String {
    let visible = visible(text).replace(['\u{fffe}', '\u{ffff}'], "");
    let mut out = String::with_capacity(visible.len());
    let mut before = ' ';
    let mut characters = visible.chars().peekable();

    while let Some(character) = characters.next() {
        let groups = matches!(character, '\u{a0}' | '\u{202f}' | '\u{2009}')
            && before.is_numeric()
            && characters.peek().is_some_and(|next| next.is_numeric());
        let plain = if character.is_whitespace() && !groups {
            ' '
        } else {
            character
        };
        if plain != ' ' || before != ' ' {
            out.push(plain);
        }
        before = plain;
    }

    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_breaks_and_nothing_hidden() {
        assert_eq!(
            Line::new(" a\r\n\u{202e}b\u{ffff}\u{0}  c ").as_str(),
            "a b c"
        );
        assert_eq!(
            Line::new(&"ü".repeat(2_000)).as_str().chars().count(),
            LINE_CAP
        );
    }

    #[test]
    fn a_number_keeps_the_blanks_between_its_digits() {
        assert_eq!(
            Line::new("\u{a0} 1\u{202f}234\u{a0}birds \t of 5\u{a0}000\u{2009}").as_str(),
            "1\u{202f}234 birds of 5\u{a0}000"
        );
    }

    #[test]
    fn a_stored_line_is_one_again_when_it_is_read() {
        let line: Line = serde_json::from_str(r#""a\nb\u202ec""#).unwrap();
        assert_eq!(line.as_str(), "a bc");
    }
}
