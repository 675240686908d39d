//! Words: splitting, folding, stemming and joining.

use std::cell::RefCell;
use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

/// Maximum number of words of which a thread keeps the stems, a few hundred kilobytes.
const MOST_STEMS: usize = 4_096;
/// Bytes of the longest word of which the stem is kept.
const LONGEST_KNOWN: usize = 32;

/// A word in a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    /// The word as it is in the text.
    pub text: &'t str,
    /// Byte offset of its beginning.
    pub start: usize,
    /// Byte offset of its end.
    pub end: usize,
    /// The word in lower case, without the diacritics of Latin letters.
    pub lower: String,
    /// The lower-case form without its ending.
    pub stem: String,
}

impl Word<'_> {
    /// Returns whether it begins with a digit.
    pub fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// Splits a string into words. A date such as `2020-03-01` is one word; compound names such as
/// `event_theme` and `eventTheme` are two; a number and the unit after it (`120kt`) are two.
pub fn words(text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut date_end = 0;

    for (offset, chunk) in text.unicode_word_indices() {
        if offset < date_end {
            continue;
        }
        if let Some(length) = iso_date(&text[offset..]) {
            date_end = offset + length;
            found.push(word(text, offset, date_end));
            continue;
        }

        let mut start = 0;
        for end in cuts(chunk) {
            let part = chunk[start..end].trim_matches(['_', '.']);
            if !part.is_empty() {
                let at = offset + start + chunk[start..end].find(part).unwrap_or(0);
                found.push(word(text, at, at + part.len()));
            }
            start = end;
        }
    }

    found
}

/// Creates the word at a position.
fn word(text: &str, start: usize, end: usize) -> Word<'_> {
    let lower = fold(&text[start..end]);
    let singular = irregular(lower.strip_suffix("'s").unwrap_or(&lower));
    let stem = if singular.is_ascii() {
        stem_of(singular)
    } else {
        singular.to_owned()
    };
    Word {
        text: &text[start..end],
        start,
        end,
        lower,
        stem,
    }
}

/// Returns the stem of an English word. Texts repeat their words, so that most stems are known.
fn stem_of(word: &str) -> String {
    thread_local! {
        static KNOWN: RefCell<HashMap<Box<str>, Box<str>>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(stem) = known.get(word) {
            return stem.to_string();
        }
        let stem = Stemmer::create(Algorithm::English).stem(word).into_owned();
        if known.len() >= MOST_STEMS {
            known.clear();
        }
        if word.len() <= LONGEST_KNOWN {
            known.insert(word.into(), stem.as_str().into());
        }
        stem
    })
}

/// Returns the singular of plurals that the stemmer does not know.
fn irregular(word: &str) -> &str {
    match word {
        "children" => "child",
        "feet" => "foot",
        "geese" => "goose",
        "men" => "man",
        "mice" => "mouse",
        "oxen" => "ox",
        "people" => "person",
        "teeth" => "tooth",
        "wolves" => "wolf",
        "women" => "woman",
        other => other,
    }
}

/// Returns the length of the date `YYYY-MM` or `YYYY-MM-DD` at the start of a string.
fn iso_date(text: &str) -> Option<usize> {
    let matches = |pattern: &str| {
        let bytes = text.as_bytes();
        bytes.len() >= pattern.len()
            && pattern.bytes().zip(bytes).all(|(p, b)| {
                if p == b'0' {
                    b.is_ascii_digit()
                } else {
                    *b == p
                }
            })
            && !bytes
                .get(pattern.len())
                .is_some_and(u8::is_ascii_alphanumeric)
    };

    ["0000-00-00", "0000-00"]
        .into_iter()
        .find(|pattern| matches(pattern))
        .map(str::len)
}

/// Returns the offsets at which a chunk is split: at underscores, at dots between letters, before a
/// capital after a lower-case letter, and between a leading number and letters.
fn cuts(chunk: &str) -> Vec<usize> {
    let mut cuts = Vec::new();
    let mut before: Option<char> = None;
    let mut in_number = chunk.starts_with(|c: char| c.is_ascii_digit());
    for (index, c) in chunk.char_indices() {
        if let Some(previous) = before {
            let camel = previous.is_lowercase() && c.is_uppercase();
            let unit = in_number && c.is_alphabetic();
            let path = c == '.' && previous.is_alphabetic();
            if camel || unit || path || c == '_' || previous == '_' {
                cuts.push(index);
            }
            if c.is_alphabetic() {
                in_number = false;
            }
        }
        before = Some(c);
    }

    cuts.push(chunk.len());
    cuts
}

/// Returns a string in lower case, without the diacritics of Latin letters and with straight
/// apostrophes.
pub fn fold(text: &str) -> String {
    text.chars()
        .flat_map(char::to_lowercase)
        .map(plain)
        .collect()
}

/// Returns a lower-case letter without its diacritic.
fn plain(c: char) -> char {
    // One arm for each base letter, in alphabetical order.
    match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ğ' => 'g',
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'ı' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' => 's',
        'ť' => 't',
        'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ž' | 'ż' => 'z',

        '’' => '\'',
        other => other,
    }
}

/// Returns the stems of all words, in order.
pub fn stems(text: &str) -> Vec<String> {
    words(text).into_iter().map(|word| word.stem).collect()
}

/// Returns whether one word is a misspelling of the other: long words only, with the same first
/// letter.
pub fn nearly(a: &str, b: &str) -> bool {
    let length = a.chars().count().min(b.chars().count());
    let allowed = match length {
        0..=5 => return false,
        6..=8 => 1,
        _ => 2,
    };
    a.chars().next() == b.chars().next()
        && a.chars().all(char::is_alphabetic)
        && b.chars().all(char::is_alphabetic)
        && strsim::osa_distance(a, b) <= allowed
}

/// Returns items as an English list: `a`, `a and b`, `a, b and c`.
pub fn list<T: AsRef<str>>(items: &[T]) -> String {
    match items {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [most @ .., last] => {
            let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", most.join(", "), last.as_ref())
        }
    }
}

/// Returns the text with its first letter in upper case.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn texts_are_cut_into_words_with_their_places() {
        assert_eq!(cut("event_theme"), ["event", "theme"]);
        assert_eq!(cut("eventTheme2"), ["event", "Theme2"]);
        assert_eq!(cut("location.country 3.5"), ["location", "country", "3.5"]);
        assert_eq!(
            cut("at 120kt, $1,500 or 3.5%"),
            ["at", "120", "kt", "1,500", "or", "3.5"]
        );
        assert_eq!(
            cut("since 2020-03-01 (2020-04)"),
            ["since", "2020-03-01", "2020-04"]
        );
        assert_eq!(cut("Take-off O'Hare"), ["Take", "off", "O'Hare"]);
        assert_eq!(cut("Zürich 東京"), ["Zürich", "東", "京"]);
        let text = "São _x_ Paulo's";
        for word in words(text) {
            assert_eq!(&text[word.start..word.end], word.text);
        }
    }

    #[test]
    fn stems_join_the_forms_of_a_word() {
        assert_eq!(
            stems("Approaches São knots city's geese"),
            ["approach", "sao", "knot", "citi", "goos"]
        );
    }

    #[test]
    fn only_long_words_may_be_misspelt() {
        assert!(nearly("aproach", "approach") && nearly("wildlfie", "wildlife"));
        assert!(!nearly("small", "smell") && !nearly("climb", "limb") && !nearly("minor", "major"));
    }

    #[test]
    fn lists_read_as_english() {
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
        assert_eq!(list(&["a"]), "a");
    }
}
