//! Finds where a string says what a quote says, although the quote is not word for word.
//!
//! A fuzzy match only locates: what is quoted afterwards are the source's words at the place
//! that was found.

use std::collections::HashMap;
use std::ops::Range;

use crate::text::words::{Word, words};

/// The least score at which a place is returned by default.
pub const LOCATED: f64 = 0.6;

/// A place of a string that a quote is similar to.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// The place in bytes, from the first to the last word that match.
    pub span: Range<usize>,
    /// Similarity of the words, 0 to 1: twice the words in common order, divided by all words.
    pub score: f64,
    /// Whether the text has the quote's words at this place, in the same order and no others.
    /// White space, punctuation, case and diacritics do not matter.
    pub is_exact: bool,
}

/// Returns the place of a string that is most similar to a quote, if its score is at least `least`.
/// Of equal places, the first one.
///
/// ```
/// use research_agents_report::text::{LOCATED, locate};
///
/// let text = "The pump was inspected on Monday. The seal was worn and is replaced.";
/// let place = locate(text, "The seal was badly worn and was replaced", LOCATED).unwrap();
/// assert_eq!(&text[place.span], "The seal was worn and is replaced");
/// assert!(!place.is_exact && place.score > 0.75);
/// ```
pub fn locate(text: &str, quote: &str, least: f64) -> Option<Located> {
    let sought = words(quote);
    let held = words(text);
    if sought.is_empty() || held.is_empty() {
        return None;
    }

    // Windows that begin and end with a word of the quote are enough.
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, word) in held.iter().enumerate() {
        places.entry(word.lower.as_str()).or_default().push(at);
    }
    let mut hits: Vec<usize> = sought
        .iter()
        .filter_map(|word| places.get(word.lower.as_str()))
        .flatten()
        .copied()
        .collect();
    hits.sort_unstable();
    hits.dedup();

    let widest = sought.len() + sought.len() / 2 + 1;
    let mut best: Option<(f64, Range<usize>)> = None;
    for (index, first) in hits.iter().enumerate() {
        let ends = hits[index..]
            .iter()
            .take_while(|last| **last < first + widest);
        let Some(last) = ends.last() else { continue };
        let (score, used) = similarity(&sought, &held[*first..=*last]);
        if best.as_ref().is_none_or(|(known, _)| score > *known) {
            best = Some((score, first + used.start..first + used.end));
        }
    }

    let (score, range) = best.filter(|(score, _)| *score >= least)?;
    let found = &held[range];
    let same = |(a, b): (&Word<'_>, &Word<'_>)| a.lower == b.lower;
    Some(Located {
        span: found.first()?.start..found.last()?.end,
        score,
        is_exact: found.len() == sought.len() && found.iter().zip(&sought).all(same),
    })
}

/// Returns the similarity of a quote and a window, and the part of the window from the first to the
/// last common word.
#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of words are far below 2^52"
)]
fn similarity(sought: &[Word<'_>], window: &[Word<'_>]) -> (f64, Range<usize>) {
    // Longest common subsequence: for each row, its length and the last word of the window in it.
    let width = window.len() + 1;
    let mut lengths = vec![0_u32; (sought.len() + 1) * width];
    for (row, a) in sought.iter().enumerate() {
        for (column, b) in window.iter().enumerate() {
            let value = if a.lower == b.lower {
                lengths[row * width + column] + 1
            } else {
                lengths[row * width + column + 1].max(lengths[(row + 1) * width + column])
            };
            lengths[(row + 1) * width + column + 1] = value;
        }
    }

    // The words that are in it, from the last one backwards.
    let (mut row, mut column) = (sought.len(), window.len());
    let (mut first, mut last) = (window.len(), 0);
    while row > 0 && column > 0 {
        let here = lengths[row * width + column];
        if lengths[row * width + column - 1] == here {
            column -= 1;
        } else if lengths[(row - 1) * width + column] == here {
            row -= 1;
        } else {
            (row, column) = (row - 1, column - 1);
            first = column;
            last = last.max(column + 1);
        }
    }

    let common = lengths.last().copied().unwrap_or_default();
    let used = first.min(last)..last;
    let all = sought.len() + used.len();
    (2.0 * f64::from(common) / all.max(1) as f64, used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_quote_is_exact_in_other_punctuation() {
        let text = "First. It said: “The  engine\nfailed”, twice.";
        let place = locate(text, "the engine failed", LOCATED).unwrap();
        assert_eq!(&text[place.span], "The  engine\nfailed");
        assert!(place.is_exact && place.score == 1.0);
    }

    #[test]
    fn a_changed_number_or_negation_is_not_exact() {
        let text = "The engine failed after 30 hours of use.";
        for quote in [
            "The engine failed after 31 hours of use",
            "The engine never failed after 30 hours of use",
        ] {
            assert!(!locate(text, quote, LOCATED).unwrap().is_exact, "{quote}");
        }
    }

    #[test]
    fn what_is_not_similar_is_not_located() {
        assert_eq!(
            locate("The engine failed.", "Birds fly south", LOCATED),
            None
        );
        assert_eq!(locate("", "Birds", LOCATED), None);
        assert_eq!(locate("Birds", "…", LOCATED), None);
    }
}
