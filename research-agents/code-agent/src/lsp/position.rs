//! Positions: language servers count columns in UTF-16 units or bytes, this crate in characters.

use serde_json::Value;

/// What a server counts columns in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 units: what the protocol means if nothing was agreed.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// Reads what a server has agreed to.
    pub(super) fn from_capabilities(capabilities: &Value) -> Self {
        match capabilities.get("positionEncoding").and_then(Value::as_str) {
            Some("utf-8") => Self::Utf8,
            Some("utf-32") => Self::Utf32,
            _ => Self::Utf16,
        }
    }

    /// Converts a column in characters to the units of the server. A column after the end of the
    /// line becomes its end.
    pub fn to_server(self, line: &str, column: usize) -> usize {
        let before = line.chars().take(column);
        match self {
            Self::Utf8 => before.map(char::len_utf8).sum(),
            Self::Utf16 => before.map(char::len_utf16).sum(),
            Self::Utf32 => before.count(),
        }
    }

    /// Converts a column in the units of the server to characters. A column within a character
    /// becomes its start.
    pub fn from_server(self, line: &str, column: usize) -> usize {
        let mut units = 0;
        let mut characters = 0;
        for c in line.chars() {
            units += match self {
                Self::Utf8 => c.len_utf8(),
                Self::Utf16 => c.len_utf16(),
                Self::Utf32 => 1,
            };
            if units > column {
                break;
            }
            characters += 1;
        }
        characters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_survive_both_ways() {
        let line = "let größe = \"🙂\" + x;";
        for (column, utf8, utf16) in [(0, 0, 0), (6, 6, 6), (7, 8, 7), (14, 19, 15)] {
            assert_eq!(Encoding::Utf8.to_server(line, column), utf8);
            assert_eq!(Encoding::Utf16.to_server(line, column), utf16);
            assert_eq!(Encoding::Utf8.from_server(line, utf8), column);
            assert_eq!(Encoding::Utf16.from_server(line, utf16), column);
        }
        assert_eq!(Encoding::Utf16.from_server(line, 14), 13);
        assert_eq!(Encoding::Utf16.to_server("ab", 9), 2);
    }
}
