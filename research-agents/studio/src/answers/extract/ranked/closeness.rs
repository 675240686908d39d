//! How close to each other words of a question are in a sentence.

use std::collections::BTreeSet;

use research_agents_report::check::grounded::have_one_meaning;
use research_agents_report::text::{Word, is_stop, words};

use super::numbers::{count, flag};
use crate::answers::extract::asked::Asked;
use crate::answers::extract::sentence::Sentence;

/// Words of the largest part of a sentence that is searched for words of the question.
const WINDOW: usize = 12;
/// Longest distance of a value, in words, that counts.
const FURTHEST: usize = 20;

/// A sentence, with those of its words that the question has.
pub(super) struct Closeness<'s> {
    own: Vec<Word<'s>>,
    /// For each word, the stem of the question that it is a form or another word of.
    asked: Vec<Option<&'s str>>,
    number: usize,
}

impl<'s> Closeness<'s> {
    pub(super) fn new(asked: &'s Asked, sentence: &'s Sentence<'_>) -> Self {
        let own = words(sentence.text);
        let is_of = |word: &Word<'_>| {
            let same = asked.stems.iter().find(|stem| **stem == word.stem);
            let other = || {
                let mut stems = asked.stems.iter();
                stems.find(|stem| have_one_meaning(stem, &word.stem))
            };
            same.or_else(other).map(String::as_str)
        };
        Self {
            asked: own.iter().map(is_of).collect(),
            own,
            number: asked.stems.len().max(1),
        }
    }

    /// Returns the share of the question's words that the best part of the sentence has.
    pub(super) fn densest(&self) -> f64 {
        let parts = (0..self.own.len()).map(|start| {
            let end = (start + WINDOW).min(self.own.len());
            let stems: BTreeSet<&str> = self.asked[start..end].iter().flatten().copied().collect();
            stems.len()
        });
        count(parts.max().unwrap_or(0)) / count(self.number)
    }

    /// Returns the number of content words of the question that follow each other, at most 4.
    pub(super) fn longest_run(&self) -> f64 {
        let (mut longest, mut run) = (0_usize, 0);
        let mut last = None;
        for (word, asked) in self.own.iter().zip(&self.asked) {
            match asked {
                Some(_) if *asked == last => {}
                Some(_) => run += 1,
                None if is_stop(&word.lower) => continue,
                None => run = 0,
            }
            last = *asked;
            longest = longest.max(run);
        }
        count(longest.min(4))
    }

    /// Returns how close a place is to a word of the question: 1 next to it, 0 far away.
    pub(super) fn of_place(&self, place: usize) -> f64 {
        let at = self.own.iter().position(|word| word.end > place);
        let at = at.unwrap_or(self.own.len());
        let mut known = self.asked.iter().enumerate();
        let distances = known
            .by_ref()
            .filter_map(|(other, asked)| asked.map(|_| at.abs_diff(other)));
        match distances.filter(|distance| *distance > 0).min() {
            Some(distance) if distance <= FURTHEST => 1.0 / count(distance),
            _ => 0.0,
        }
    }

    /// Returns whether it has the auxiliary verb with which the question begins, as *may it*.
    pub(super) fn has_auxiliary(&self, auxiliary: &str) -> f64 {
        flag(self.own.iter().any(|word| word.lower == auxiliary))
    }
}

#[cfg(test)]
mod tests {
    use research_agents_report::passage::{Document, Found, PassageRegistry};

    use super::*;

    #[test]
    fn words_that_stand_together_are_close() {
        let text = "The cache of pages is cleared at the start, which takes 20 seconds.";
        let mut passages = PassageRegistry::default();
        let document = passages.add_document(Document::new("cache.md", text));
        let found = Found::by("manual");
        passages.add(&document, 0..text.len(), found).unwrap();
        let (sentences, _) = Sentence::of(&passages);
        let asked = Asked::new("May the page cache be cleared at the start?");
        let close = Closeness::new(&asked, &sentences[0]);

        assert!((close.densest() - 1.0).abs() < f64::EPSILON);
        assert!((close.longest_run() - 4.0).abs() < f64::EPSILON);
        assert!(close.of_place(text.find("20").unwrap()) > 0.0);
        assert!((close.has_auxiliary("is") - 1.0).abs() < f64::EPSILON);
        assert!(close.has_auxiliary("may").abs() < f64::EPSILON);
    }
}
