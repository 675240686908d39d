//! Finds phrases of comparison in the text of a sentence.

use std::ops::Range;

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
