//! Finds a quote in the text of its source, whatever the blanks and quotation marks, and never cuts a word or a number.

use std::ops::Range;

/// Where the quote stands in the text, in bytes of the text as it is. Runs of white space compare equal, and so do curly and
/// straight quotation marks. With a `hint` the place nearest to it is taken, else the first.
///
/// The place covers whole words and numbers: what was quoted as `1` out of `120` is `120`.
pub(crate) fn find(text: &str, quote: &str, hint: Option<usize>) -> Option<Range<usize>> {
    let places = places(text, quote).into_iter();
    let place = match hint {
        Some(hint) => places.min_by_key(|place| place.start.abs_diff(hint)),
        None => places.into_iter().next(),
    };
    place.map(|place| widened(text, place))
}

/// Whether the quote stands in the text from this byte on, and ends where a word ends.
pub(crate) fn stands_at(text: &str, quote: &str, start: usize) -> bool {
    let place = places(text, quote).into_iter().find(|place| place.start == start);
    place.is_some_and(|place| widened(text, place.clone()) == place)
}

/// Every place where the quote stands.
fn places(text: &str, quote: &str) -> Vec<Range<usize>> {
    let (needle, _) = normalised(quote);
    let needle = needle.trim();
    if !needle.chars().any(char::is_alphanumeric) {
        return Vec::new();
    }
    let (haystack, origin) = normalised(text);
    let end = |at: usize| origin.get(at).copied().unwrap_or(text.len());
    // Places may overlap: the quote `a a` stands twice in `a a a`.
    let starts = haystack.char_indices().filter(|(at, _)| haystack[*at..].starts_with(needle));
    starts.map(|(at, _)| end(at)..text[..end(at + needle.len())].trim_end().len()).collect()
}

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

/// Whether a word or a number goes on across this byte. Scripts without blanks between words, from Arabic on, have no words
/// here.
pub(super) fn cuts(text: &str, at: usize) -> bool {
    let mut before = text[..at].chars().rev();
    let mut after = text[at..].chars();
    let (Some(last), Some(next)) = (before.next(), after.next()) else { return false };
    let is_point = |c: char| matches!(c, '.' | ',');
    let in_word = |c: char| c.is_numeric() || (c.is_alphabetic() && c < '\u{600}');
    let is_digit = |c: Option<char>| c.is_some_and(char::is_numeric);
    (in_word(last) && in_word(next))
        || (last.is_numeric() && is_point(next) && is_digit(after.next()))
        || (is_point(last) && next.is_numeric() && is_digit(before.next()))
}

/// The text with one space for each run of white space and straight quotation marks, and for each of its bytes the offset
/// of the character it came from.
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
        assert_eq!(find(text, "gull", None), text.find("gull").map(|at| at..text.len()));
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
        for (quote, whole) in
            [("speed: 1", "speed: 1,200.5"), ("00.5 kn", "1,200.5 knots"), ("gull", "seagulls"), ("knots", "knots")]
        {
            assert_eq!(found(text, quote), Some(whole), "{quote}");
        }
        assert_eq!(found("東京都", "京"), Some("京"));
    }

    #[test]
    fn a_span_is_exact_and_holds_whole_words() {
        let text = "speed: 120 knots, 120 feet";
        assert!(stands_at(text, "120", 7) && stands_at(text, "120", 18));
        assert!(!stands_at(text, "120", 8) && !stands_at(text, "12", 7) && !stands_at(text, "20 knots", 8));
    }
}
