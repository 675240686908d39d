//! Turns the bytes of a file into text, whatever program wrote them.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// The text, and a warning when its encoding had to be assumed.
///
/// A byte-order mark decides (UTF-8 or UTF-16). Without one, what is valid UTF-8 is UTF-8, and anything else is read as
/// Windows-1252, of which Latin-1 is a part.
pub(super) fn decode(bytes: &[u8]) -> (String, Option<String>) {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return (encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned(), None);
    }
    if let Some(text) = UTF_8.decode_without_bom_handling_and_without_replacement(bytes) {
        return (text.into_owned(), None);
    }
    let text = WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned();
    (text, Some("the file is not UTF-8; it was read as Windows-1252".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_code_pages() {
        assert_eq!(decode(b"\xef\xbb\xbfa\xc3\xbc").0, "aü");
        assert_eq!(decode(b"\xff\xfea\0\xfc\0").0, "aü");
        assert_eq!(decode("aü".as_bytes()), ("aü".to_owned(), None));
        let (text, warning) = decode(b"caf\xe9 \x80");
        assert_eq!(text, "café €");
        assert!(warning.is_some());
    }
}
