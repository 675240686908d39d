//! Finds quotes in the text of their source. Differences in white space and quotation marks do not
//! matter, and no word or number is cut.

use std::ops::Range;

/// Returns the position of a quote in a string, in bytes: the nearest one to `hint`, or the first
/// one without a hint. Runs of white space compare equal, and so do curly and straight quotation
/// marks.
///
/// The position is extended to whole words and numbers: the quote `1` from `120` becomes `120`.
pub(crate) fn find(text: &str, quote: &str, hint: Option<usize>) -> Option<Range<usize>> {
    let places = places(text, quote).into_iter();
    let place = match hint {
        Some(hint) => places.min_by_key(|place| place.start.abs_diff(hint)),
        None => places.into_iter().next(),
    };
    place.map(|place| widened(text, place))
}

/// Returns whether a quote is in a string at a byte offset, and begins and ends at words.
pub(crate) fn is_at(text: &str, quote: &str, start: usize) -> bool {
    let place = places(text, quote)
        .into_iter()
        .find(|place| place.start == start);
    place.is_some_and(|place| widened(text, place.clone()) == place)
}

/// Returns all positions of a quote.
fn places(text: &str, quote: &str) -> Vec<Range<usize>> {
    let (needle, _) = normalised(quote);
    let needle = needle.trim();
    if !needle.chars().any(char::is_alphanumeric) {
        return Vec::new();
    }

    let (haystack, origin) = normalised(text);
    let end = |at: usize| origin.get(at).copied().unwrap_or(text.len());
    // Positions may overlap: the quote `a a` is twice in `a a a`.
    let starts = haystack
        .char_indices()
        .filter(|(at, _)| haystack[*at..].starts_with(needle));
    starts
        .map(|(at, _)| end(at)..text[..end(at + needle.len())].trim_end().len())
        .collect()
}

/// Extends a position to whole words and numbers.
fn widened(text: &str, place: Range<usize>) -> Range<usize> {
    let (mut start, mut end) = (place.start, place.end);
    while cuts(text, start) {
        start -= text[..start].chars().next_back().map_or(0, char::len_utf8);
    }
    while cuts(text, end) {
        end += text[end..].chars().next().map_or(0, char::len_utf8);
    }
    start..end
}

/// Returns whether a byte offset is within a word or a number. Scripts from Arabic (U+0600) on,
/// some of which do not separate words, have no words here.
pub(crate) fn cuts(text: &str, at: usize) -> bool {
    let mut before = text[..at].chars().rev();
    let mut after = text[at..].chars();
    let (Some(last), Some(next)) = (before.next(), after.next()) else {
        return false;
    };
    let is_point = |c: char| matches!(c, '.' | ',');
    let in_word = |c: char| c.is_numeric() || (c.is_alphabetic() && c < '\u{600}');
    let is_digit = |c: Option<char>| c.is_some_and(char::is_numeric);
    (in_word(last) && in_word(next))
        || (last.is_numeric() && is_point(next) && is_digit(after.next()))
        || (is_point(last) && next.is_numeric() && is_digit(before.next()))
}

/// Returns the text with single spaces and straight quotation marks, and for each of its bytes the
/// offset of the original character.
fn normalised(text: &str) -> (String, Vec<usize>) {
    let mut out = String::with_capacity(text.len());
    let mut origin = Vec::with_capacity(text.len());

    for (at, character) in text.char_indices() {
        let plain = match character {
            '“' | '”' | '„' | '«' | '»' => '"',
            '‘' | '’' | '‚' => '\'',
            blank if blank.is_whitespace() => {
                if out.ends_with(' ') {
                    continue;
                }
                ' '
            }
            other => other,
        };
        out.push(plain);
        origin.resize(out.len(), at);
    }

    (out, origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(text: &'t str, quote: &str) -> Option<&'t str> {
        find(text, quote, None).map(|place| &text[place])
    }

    #[test]
    fn blanks_and_quotation_marks_do_not_matter() {
        let text = "Pilot:  “saw\n a gull” on approach";
        assert_eq!(found(text, "\"saw a gull\""), Some("“saw\n a gull”"));
        assert_eq!(found(text, "saw a hawk"), None);
    }

    #[test]
    fn the_offset_counts_bytes_of_the_original() {
        let text = "ü  ü gull";
        assert_eq!(
            find(text, "gull", None),
            text.find("gull").map(|at| at..text.len())
        );
    }

    #[test]
    fn the_place_nearest_to_the_hint_is_taken() {
        assert_eq!(find("a gull, a gull", "gull", Some(9)), Some(10..14));
        assert_eq!(find("a gull, a gull", "gull", None), Some(2..6));
    }

    #[test]
    fn a_quote_must_hold_a_letter_or_digit() {
        assert_eq!(find("a, b", ", ", None), None);
        assert_eq!(find("a, b", "", None), None);
    }

    #[test]
    fn words_and_numbers_are_quoted_whole() {
        let text = "speed: 1,200.5 knots, wildlife seagulls";
        for (quote, whole) in [
            ("speed: 1", "speed: 1,200.5"),
            ("00.5 kn", "1,200.5 knots"),
            ("gull", "seagulls"),
            ("knots", "knots"),
        ] {
            assert_eq!(found(text, quote), Some(whole), "{quote}");
        }
        assert_eq!(found("東京都", "京"), Some("京"));
    }

    #[test]
    fn a_span_is_exact_and_holds_whole_words() {
        let text = "speed: 120 knots, 120 feet";
        assert!(is_at(text, "120", 7) && is_at(text, "120", 18));
        assert!(!is_at(text, "120", 8) && !is_at(text, "12", 7) && !is_at(text, "20 knots", 8));
    }
}
