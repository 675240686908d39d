//! Words in a question that also occur in the data.

use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use crate::text::words::{fold, words};

/// Minimum number of letters of a word that is also found within longer words, as *strike* in
/// *birdstrikes*.
const PART: usize = 5;

/// Returns the words in a question that occur in one of the texts, in any inflected form or as a
/// part of a longer word.
pub fn mentioned_words(question: &str, texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut open: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for word in words(question) {
        open.entry(word.stem).or_default().push(word.lower);
    }

    let mut found = Vec::new();
    for text in texts {
        if open.is_empty() {
            break;
        }
        open.retain(|stem, said| {
            let is_mentioned = mentions(&text, stem);
            if is_mentioned {
                found.append(said);
            }
            !is_mentioned
        });
    }

    found
}

/// Returns whether a string contains a word with a stem. Because texts are long, only words that
/// begin with the same letter are stemmed.
fn mentions(text: &str, stem: &str) -> bool {
    let folded = fold(text);
    if stem.chars().count() >= PART && folded.contains(stem) {
        return true;
    }
    let first = stem.chars().next();
    let mut alike = folded
        .unicode_words()
        .filter(|word| word.chars().next() == first || word.contains(['_', '.']));
    alike.any(|chunk| words(chunk).iter().any(|word| word.stem == stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(question: &str, text: &str, expected: &[&str]) {
        let mut found = mentioned_words(question, [text.to_owned()].into_iter());
        found.sort_unstable();
        assert_eq!(found, expected, "{question:?} in {text:?}");
    }

    #[test]
    fn words_are_heard_in_any_form_and_within_longer_ones() {
        check(
            "Which valves leak?",
            "Once more valve B-17 leaks.",
            &["leak", "valves"],
        );
        check(
            "How many strikes were there?",
            "the data set `birdstrikes`",
            &["strikes"],
        );
        check("geese and mice", "A goose. A mouse.", &["geese", "mice"]);
        check("warranty", "warranties are given", &["warranty"]);
        check("the ports of Zürich", "exports and ZURICH", &["zurich"]);
        check("event themes", "event_theme: AI", &["event", "themes"]);
    }

    #[test]
    fn what_no_text_says_is_not_heard() {
        check("How long is the warranty?", "It boils quickly.", &[]);
        check("cars", "the carriage was scarce", &[]);
        check("pay", "", &[]);
    }
}
