//! Spellings of names and phrases in sentences, and their positions there.

use std::ops::Range;

use serde_json::Value;

use crate::check::quote::cuts;
use crate::evidence::value::plain;

/// Words that are values in some data and ordinary words in all sentences.
const ORDINARY: [&str; 40] = [
    "all", "and", "any", "are", "as", "at", "by", "data", "even", "false", "first", "for", "group",
    "groups", "in", "is", "it", "last", "less", "more", "most", "no", "none", "not", "number",
    "of", "on", "one", "or", "other", "others", "record", "records", "share", "the", "to", "total",
    "true", "with", "yes",
];

/// Returns the text in lower case, with spaces for hyphens, underscores and other blanks. Byte
/// offsets stay the same.
pub(crate) fn fold(text: &str) -> String {
    let fold = |c: char| match c {
        '-' | '_' | '\t' | '\n' => ' ',
        other => other.to_ascii_lowercase(),
    };
    text.chars().map(fold).collect()
}

/// Returns the ways in which a sentence may write a value: as it is, a date also without a day or
/// month that is the first, and a tuple also as a list of its parts.
pub(crate) fn spellings(value: &Value) -> Vec<String> {
    let text = match value {
        Value::Null | Value::Object(_) => return Vec::new(),
        other => plain(other),
    };
    if text.is_empty() {
        return Vec::new();
    }

    let mut found = vec![text.clone()];
    if let Value::Array(parts) = value {
        found.push(parts.iter().map(plain).collect::<Vec<_>>().join(", "));
        return found;
    }
    if is_date(&text) {
        let mut shorter = text.split('T').next().unwrap_or_default();
        loop {
            if shorter.len() < text.len() {
                found.push(shorter.to_owned());
            }
            match shorter.strip_suffix("-01").filter(|rest| rest.len() >= 4) {
                Some(rest) => shorter = rest,
                None => break,
            }
        }
    }
    if let Some(whole) = text.strip_suffix(".0").filter(|_| value.is_number()) {
        found.push(whole.to_owned());
    }

    found
}

/// Returns whether a string starts with a date: `1990-01`, `1990-01-01`, or a time on such a day.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is = |pattern: &[u8]| {
        bytes.len() >= pattern.len()
            && pattern.iter().zip(bytes).all(|(p, b)| {
                if *p == b'0' {
                    b.is_ascii_digit()
                } else {
                    p == b
                }
            })
    };
    is(b"0000-00") && bytes.len() != 8
}

/// Returns the key by which a value is ordered in time, if it is a date or a year.
pub(crate) fn time_of(value: &Value) -> Option<String> {
    let text = plain(value);
    let is_year =
        text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit()) && text.as_str() >= "1000";
    (is_year || is_date(&text)).then_some(text)
}

/// Returns whether a name is a number or a date. The numbers of a sentence are checked separately.
pub(crate) fn is_quantity(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit()) && (name.parse::<f64>().is_ok() || is_date(name))
}

/// Returns whether a name is too short or too common a word to be recognised in a sentence.
pub(crate) fn is_ordinary(name: &str) -> bool {
    name.chars().count() < 2 || ORDINARY.contains(&fold(name).as_str())
}

/// Returns the positions of a name in a string, as whole words. With `inflected`, a plural ending
/// may follow.
pub(crate) fn occurrences(
    text: &str,
    folded: &str,
    name: &str,
    inflected: bool,
) -> Vec<Range<usize>> {
    // A sentence has single spaces, whatever the data has.
    let single: Vec<&str> = name.split_whitespace().collect();
    let wanted = fold(&single.join(" "));
    if wanted.is_empty() {
        return Vec::new();
    }

    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = folded.get(from..).and_then(|rest| rest.find(&wanted)) {
        let (start, end) = (from + at, from + at + wanted.len());
        let ending = ["", "s", "es"]
            .iter()
            .take(if inflected { 3 } else { 1 })
            .any(|ending| folded[end..].starts_with(ending) && !cuts(folded, end + ending.len()));
        let is_code = wanted.bytes().any(|b| b.is_ascii_digit());
        if ending && !cuts(folded, start) && !(is_code && is_joined(text, start, end)) {
            found.push(start..end);
        }
        from = start + folded[start..].chars().next().map_or(1, char::len_utf8);
    }

    found
}

/// Returns whether a code continues before or after a position: in `B-737-300`, `B-737` is only a
/// part.
fn is_joined(text: &str, start: usize, end: usize) -> bool {
    let joins =
        |a: Option<char>, b: Option<char>| a == Some('-') && b.is_some_and(char::is_alphanumeric);
    let mut before = text[..start].chars().rev();
    let mut after = text[end..].chars();
    joins(before.next(), before.next()) || joins(after.next(), after.next())
}

/// Words that negate the verb or superlative after them.
pub(crate) const NEGATING: [&str; 5] = ["not", "never", "hardly", "neither", "no longer"];

/// Returns the positions of phrases as whole words: at each position the longest phrase.
pub(crate) fn phrases(folded: &str, words: &[&str]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for phrase in words {
        let places = folded
            .match_indices(phrase)
            .map(|(at, _)| at..at + phrase.len());
        found.extend(places.filter(|place| is_whole(folded, place)));
    }
    found.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    found.dedup_by_key(|place| place.start);
    found
}

/// Returns whether a position begins and ends between words.
fn is_whole(folded: &str, place: &Range<usize>) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !is_letter(folded[..place.start].chars().next_back())
        && !is_letter(folded[place.end..].chars().next())
}

/// Returns the last word before a position.
pub(crate) fn word_before(folded: &str, at: usize) -> &str {
    folded[..at]
        .split(|c: char| !c.is_alphanumeric())
        .rfind(|word| !word.is_empty())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn places(text: &str, name: &str) -> Vec<usize> {
        occurrences(text, &fold(text), name, true)
            .into_iter()
            .map(|place| place.start)
            .collect()
    }

    #[test]
    fn names_are_whole_words_in_any_case() {
        assert_eq!(places("Small and smaller, SMALL", "Small"), [0, 19]);
        assert_eq!(places("gulls, a gull's", "Gull"), [0, 9]);
        assert_eq!(places("B-737-300 and B-737", "B-737"), [14]);
        assert_eq!(places("take off run", "Take-off run"), [0]);
        assert_eq!(places("The Helix... Loaded", "The Helix...  Loaded"), [0]);
    }

    #[test]
    fn dates_lose_the_parts_that_say_nothing() {
        assert_eq!(
            spellings(&json!("1990-01-01")),
            ["1990-01-01", "1990-01", "1990"]
        );
        assert_eq!(
            spellings(&json!("1990-03-01T00:00:00Z")),
            ["1990-03-01T00:00:00Z", "1990-03-01", "1990-03"]
        );
        assert_eq!(spellings(&json!(["a", "b"])), ["a / b", "a, b"]);
        assert_eq!(spellings(&json!(120.0)), ["120.0", "120"]);
    }
}
