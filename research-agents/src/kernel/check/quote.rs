//! Finds a quote in the text of its source, whatever the blanks and quotation marks.

/// Byte offset of the quote in the text, counted in the text as it is. Runs of white space compare equal, and so do curly and
/// straight quotation marks. With a `hint` the place nearest to it is taken, else the first.
pub(crate) fn find(text: &str, quote: &str, hint: Option<usize>) -> Option<usize> {
    let (needle, _) = normalised(quote);
    let needle = needle.trim();
    if !needle.chars().any(char::is_alphanumeric) {
        return None;
    }
    let (haystack, origin) = normalised(text);
    let places = haystack.match_indices(needle).filter_map(|(at, _)| origin.get(at).copied());
    match hint {
        Some(hint) => places.min_by_key(|at| at.abs_diff(hint)),
        None => places.into_iter().next(),
    }
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

    #[test]
    fn blanks_and_quotation_marks_do_not_matter() {
        let text = "Pilot:  “saw\n a gull” on approach";
        assert_eq!(find(text, "\"saw a gull\"", None), text.find('“'));
        assert_eq!(find(text, "saw a hawk", None), None);
    }

    #[test]
    fn the_offset_counts_bytes_of_the_original() {
        let text = "ü  ü gull";
        assert_eq!(find(text, "gull", None), Some(text.find("gull").unwrap()));
    }

    #[test]
    fn the_place_nearest_to_the_hint_is_taken() {
        assert_eq!(find("a gull, a gull", "gull", Some(9)), Some(10));
        assert_eq!(find("a gull, a gull", "gull", None), Some(2));
    }

    #[test]
    fn a_quote_must_hold_a_letter_or_digit() {
        assert_eq!(find("a, b", ", ", None), None);
        assert_eq!(find("a, b", "", None), None);
    }
}
