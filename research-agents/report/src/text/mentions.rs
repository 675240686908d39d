//! Words in a question that also occur in the data.

use std::collections::{BTreeMap, HashMap, HashSet};

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
        let mut text = Folded::new(&text);
        open.retain(|stem, said| {
            let is_mentioned = text.mentions(stem);
            if is_mentioned {
                found.append(said);
            }
            !is_mentioned
        });
    }

    found
}

/// A text in which stems of words are looked for. It is folded once, and each of its words is
/// stemmed at most once, however many stems a question has.
struct Folded {
    text: String,
    /// The stems of the words that begin with a letter.
    by_letter: HashMap<char, HashSet<String>>,
    /// The stems of the parts of words such as `event_theme`.
    of_parts: Option<HashSet<String>>,
}

impl Folded {
    fn new(text: &str) -> Self {
        Self {
            text: fold(text),
            by_letter: HashMap::new(),
            of_parts: None,
        }
    }

    /// Returns whether the text contains a word with a stem. Because texts are long, only words
    /// that begin with the same letter are stemmed.
    fn mentions(&mut self, stem: &str) -> bool {
        if stem.chars().count() >= PART && self.text.contains(stem) {
            return true;
        }
        let Some(first) = stem.chars().next() else {
            return false;
        };

        let text = &self.text;
        let of_letter = self
            .by_letter
            .entry(first)
            .or_insert_with(|| stems_of(text, |word| word.starts_with(first)));
        let of_parts = self
            .of_parts
            .get_or_insert_with(|| stems_of(text, |word| word.contains(['_', '.'])));
        of_letter.contains(stem) || of_parts.contains(stem)
    }
}

/// Returns the stems of the wanted words in a folded text.
fn stems_of(text: &str, is_wanted: impl Fn(&str) -> bool) -> HashSet<String> {
    let chunks = text.unicode_words().filter(|word| is_wanted(word));
    chunks.flat_map(words).map(|word| word.stem).collect()
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
