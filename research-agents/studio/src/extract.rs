//! Answers to questions, read from passages without a language model.
//!
//! [`extract`] finds the sentences that are about what a question asks for, and takes from each the
//! value that the question [expects](Expected). It would rather find nothing than another value: a
//! sentence must have most of the weight of the question's words, all its names and numbers, and
//! the same qualifiers, so that a default is never taken for a maximum.
//!
//! ```
//! use research_agents_report::passage::{Document, Found, PassageRegistry};
//! use research_agents_studio::extract::extract;
//!
//! let mut passages = PassageRegistry::default();
//! let text = "The default page size is 4096 bytes. The maximum page size is 65536 bytes.";
//! let document = passages.add_document(Document::new("limits.md", text));
//! passages.add(&document, 0..text.len(), Found::by("manual"))?;
//!
//! let found = extract("q1", "What is the maximum page size?", &passages);
//! let quote = found.answers[0].quote.clone();
//! assert_eq!(&text[quote], "The maximum page size is 65536 bytes.");
//! assert!(extract("q2", "What is the minimum page size?", &passages).answers.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod events;
mod expected;
mod qualifiers;
mod sentence;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use research_agents_report::passage::PassageRegistry;
use research_agents_report::text::{Word, is_stop, words};
use research_agents_report::trust::value::{Typed, Value, values};
use serde::{Deserialize, Serialize};

pub use self::expected::Expected;
use self::expected::Reading;
use self::sentence::Sentence;
use crate::table::Answer;

/// Share of the weight of a question's words that a sentence must hold.
const LEAST_SHARE: f64 = 0.6;
/// Share of the best sentence's share that another sentence must have.
const NEAR_BEST: f64 = 0.85;
/// Weight of the noun that a question asks for, of which sentences often name only the value.
const NOUN: f64 = 0.4;
/// Maximum number of words from a number to the name of what it counts.
const REACH: usize = 3;

/// Words that deny what a clause says.
const DENIED: [&str; 6] = ["not", "no", "never", "cannot", "without", "neither"];

/// What was read from passages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Extracted {
    /// The type of answer that the question expects. Of [`Expected::Other`] nothing is read.
    pub expected: Expected,
    /// The answers, at most one of each document, in the order of the passages.
    pub answers: Vec<Answer>,
}

/// Reads the answers to a question from passages. `id` is the id of the question.
pub fn extract(id: &str, question: &str, passages: &PassageRegistry) -> Extracted {
    let asked = Asked::new(question);
    let expected = asked.expected.clone();
    if expected == Expected::Other {
        return Extracted::default();
    }
    let sentences = Sentence::of(passages);
    let weights = asked.weights(&sentences);

    let mut found: Vec<(f64, &Sentence<'_>, Value)> = Vec::new();
    for sentence in &sentences {
        let share = asked.share(sentence, &weights);
        if share < LEAST_SHARE || !asked.is_about(sentence) {
            continue;
        }
        if let Some(value) = asked.value_in(sentence, &weights) {
            found.push((share, sentence, value));
        }
    }

    // The best sentence of each document, unless another document has a much better one.
    let best = found.iter().map(|(share, ..)| *share).fold(0.0, f64::max);
    found.retain(|(share, ..)| *share >= NEAR_BEST * best);
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|a, b| found[*b].0.total_cmp(&found[*a].0).then(a.cmp(b)));
    let mut seen = HashSet::new();
    order.retain(|at| seen.insert(found[*at].1.passage.source.clone()));
    order.sort_unstable();

    let answers = order.into_iter().map(|at| {
        let (_, sentence, value) = &found[at];
        let passage = sentence.passage.id.clone();
        Answer::new(id, passage, sentence.span.clone(), value.clone())
    });
    Extracted {
        expected,
        answers: answers.collect(),
    }
}

/// A question that was read.
struct Asked {
    expected: Expected,
    /// Stems of the content words about the subject.
    stems: BTreeSet<String>,
    /// Stem of the noun that is asked for.
    noun: Option<String>,
    /// Stems of what happened, such as *opened*: a sentence must have each, or another word for it.
    events: BTreeSet<String>,
    /// Names and numbers, in lower case: a sentence must have them all, or stand below them.
    names: BTreeSet<String>,
    qualifiers: BTreeSet<&'static str>,
    is_denied: bool,
}

impl Asked {
    fn new(question: &str) -> Self {
        let words = words(question);
        let reading = Reading::new(&words);
        let mut stems = BTreeSet::new();
        let (mut names, mut events) = (BTreeSet::new(), BTreeSet::new());
        for (at, word) in words.iter().enumerate() {
            if reading.said_by.contains(&at) || is_stop(&word.lower) {
                continue;
            }
            stems.insert(word.stem.clone());
            if events::is_event(word) || reading.next == Some(at) {
                events.insert(word.stem.clone());
            }
            let is_name = at > 0 && word.text.starts_with(char::is_uppercase);
            if is_name || word.is_number() || word.text.chars().skip(1).any(char::is_uppercase) {
                names.insert(word.lower.clone());
            }
        }

        Self {
            noun: reading.noun.map(|at| words[at].stem.clone()),
            expected: reading.expected,
            stems,
            events,
            names,
            qualifiers: qualifiers::asked(question),
            is_denied: is_denied(&words),
        }
    }

    /// Returns the weight of each stem: its inverse document frequency (Robertson and Spärck Jones,
    /// 1976, with the smoothing of BM25) over the sentences with their headings.
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of sentences are far below 2^52"
    )]
    fn weights(&self, sentences: &[Sentence<'_>]) -> BTreeMap<&str, f64> {
        let all = sentences.len() as f64;
        let weight = |stem: &String| {
            let own = sentences.iter().filter(|one| one.holds(stem)).count() as f64;
            let weight = (1.0 + (all - own + 0.5) / (own + 0.5)).ln();
            if self.noun.as_ref() == Some(stem) {
                NOUN * weight
            } else {
                weight
            }
        };
        let stems = self.stems.iter();
        stems.map(|stem| (stem.as_str(), weight(stem))).collect()
    }

    /// Returns the share of the weight that a sentence holds, with what is above it. 0 if only
    /// what is above it holds any.
    fn share(&self, sentence: &Sentence<'_>, weights: &BTreeMap<&str, f64>) -> f64 {
        let total: f64 = weights.values().sum();
        let own = self.stems.iter().any(|stem| sentence.stems.contains(stem));
        let held = weights.iter().filter(|(stem, _)| sentence.holds(stem));
        if own && total > 0.0 {
            held.map(|(_, weight)| weight).sum::<f64>() / total
        } else {
            0.0
        }
    }

    /// Returns whether a sentence has all events, names and numbers of the question.
    fn is_about(&self, sentence: &Sentence<'_>) -> bool {
        if !self.events.iter().all(|stem| sentence.holds(stem)) {
            return false;
        }
        let all = words(sentence.text).into_iter();
        let all = all.chain(words(&sentence.above));
        let held: BTreeSet<String> = all.map(|word| word.lower).collect();
        self.names.is_subset(&held)
    }

    /// Returns the value that a sentence gives as the answer. `None` if two could be meant.
    fn value_in(&self, sentence: &Sentence<'_>, weights: &BTreeMap<&str, f64>) -> Option<Value> {
        let all = values(sentence.text, sentence.language);
        let above = qualifiers::qualifiers(&sentence.above);
        let mut found: Vec<(f64, Value)> = Vec::new();
        for typed in all.iter().filter(|typed| self.expected.fits(&typed.value)) {
            let is_asked = self
                .names
                .contains(&sentence.text[typed.core.clone()].to_lowercase());
            let range = sentence.clause(typed, &all);
            let clause = &sentence.text[range.clone()];
            let own = words(clause);
            let qualifiers = qualifiers::qualifiers(clause);

            let is_other = !qualifiers::fit(&self.qualifiers, &qualifiers, &above, &typed.value);
            let is_denied = is_denied(&own) != self.is_denied;
            if is_asked || is_other || is_denied || !self.counts(sentence.text, typed, &range) {
                continue;
            }
            let stems: BTreeSet<&str> = own.iter().map(|word| word.stem.as_str()).collect();
            let held = weights.iter().filter(|(stem, _)| stems.contains(*stem));
            found.push((held.map(|(_, weight)| weight).sum(), typed.value.clone()));
        }

        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        match found.as_slice() {
            [(_, value)] => Some(value.clone()),
            [(best, value), (second, _), ..] if best > second => Some(value.clone()),
            _ => None,
        }
    }

    /// Returns whether a number counts what is asked for: its name follows soon, or the clause
    /// states the *number of* it.
    fn counts(&self, sentence: &str, typed: &Typed, clause: &Range<usize>) -> bool {
        let Expected::Count { noun } = &self.expected else {
            return true;
        };
        let after = sentence.get(typed.core.end..clause.end);
        let follows = words(after.unwrap_or_default())
            .iter()
            .take(REACH)
            .any(|word| word.stem == *noun);
        let own = words(&sentence[clause.clone()]);
        let is_number_of = own.windows(3).any(|part| {
            part[0].lower == "number" && part[1].lower == "of" && part[2].stem == *noun
        });
        follows || is_number_of
    }
}

fn is_denied(words: &[Word<'_>]) -> bool {
    let denies = |word: &Word<'_>| {
        DENIED.contains(&word.lower.as_str())
            || word.lower.ends_with("n't")
            || word.lower.ends_with("n’t")
    };
    words.iter().any(denies)
}

#[cfg(test)]
mod tests;
