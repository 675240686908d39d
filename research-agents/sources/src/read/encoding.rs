//! Decodes bytes of any encoding to text.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8};

use crate::read::document::ReadNote;

/// How many bytes of a page are searched for the encoding that it states.
const PRESCAN: usize = 4_096;

/// Decoded text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decoded {
    /// The text, without byte order mark.
    pub text: String,
    /// Name of the encoding, such as `windows-1252`.
    pub encoding: String,
    /// What was replaced or guessed.
    pub notes: Vec<ReadNote>,
}

/// Decodes bytes: by their byte order mark, else as the label states, else as UTF-8 if they are
/// valid UTF-8, else as the encoding that they look like.
///
/// A label that states another encoding than UTF-8 for bytes that are valid UTF-8 beyond ASCII is
/// ignored: servers state wrong encodings more often than text is valid UTF-8 by accident.
pub fn decode(bytes: &[u8], label: Option<&str>) -> Decoded {
    let stated = label.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let is_utf8 = std::str::from_utf8(bytes).is_ok();

    let (encoding, is_guess) = match (marked, stated) {
        (Some(marked), _) => (marked, false),
        (None, Some(stated)) if !is_utf8 || stated == UTF_8 => (stated, false),
        _ if is_utf8 => (UTF_8, false),
        _ => (guess(bytes), true),
    };
    let (text, encoding, _) = encoding.decode(bytes);

    let mut notes = Vec::new();
    if is_guess {
        notes.push(ReadNote::GuessedEncoding);
    }
    let characters = text.matches('\u{fffd}').count();
    if characters > 0 {
        notes.push(ReadNote::Replaced { characters });
    }
    Decoded {
        text: text.into_owned(),
        encoding: encoding.name().to_owned(),
        notes,
    }
}

/// Returns the encoding that bytes look like. Text that is UTF-8 but for a few bytes is UTF-8.
fn guess(bytes: &[u8]) -> &'static Encoding {
    let text = String::from_utf8_lossy(bytes);
    let broken = text.matches('\u{fffd}').count();
    let valid = text.chars().filter(|c| !c.is_ascii()).count() - broken;
    if valid > broken {
        return UTF_8;
    }

    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// Returns the encoding that the head of an HTML page states.
pub(crate) fn stated_in_page(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(PRESCAN)]).to_ascii_lowercase();
    let mut rest = head.as_str();
    while let Some(at) = rest.find("<meta") {
        rest = &rest[at + 5..];
        let tag = rest.split('>').next().unwrap_or_default();
        if let Some(label) = value_after(tag, "charset=") {
            return Some(label);
        }
    }

    // The declaration of XML.
    let declaration = head.strip_prefix("<?xml")?.split("?>").next()?;
    value_after(declaration, "encoding=")
}

fn value_after(text: &str, name: &str) -> Option<String> {
    let value = &text[text.find(name)? + name.len()..];
    let value = value.trim_start_matches(['"', '\'']);
    let end = value
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | ':'))
        .unwrap_or(value.len());
    (end > 0).then(|| value[..end].to_owned())
}
