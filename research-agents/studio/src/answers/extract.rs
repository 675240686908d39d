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

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use research_agents_report::passage::PassageRegistry;
use research_agents_report::text::{Word, is_stop, words};
use research_agents_report::trust::value::{Sameness, Typed, Unit, Value, compare, values};
use serde::{Deserialize, Serialize};

pub use self::expected::Expected;
use self::expected::Reading;
use self::qualifiers::Age;
use self::sentence::Sentence;
use crate::answers::table::Answer;

/// Share of the weight of a question's words that a sentence must hold.
const LEAST_SHARE: f64 = 0.6;
/// Share of the best sentence's share that another sentence must have.
const NEAR_BEST: f64 = 0.85;
/// Weight of the noun that a question asks for, of which sentences often name only the value.
const NOUN: f64 = 0.4;
/// Maximum number of words from a number to the name of what it counts.
const REACH: usize = 3;

/// Maximum number of quotes for a question without a typed answer.
const MOST_QUOTES: usize = 3;
/// Maximum number of values of one document.
const MOST_VALUES: usize = 2;

/// Nouns that fit any value.
const ANY_VALUE: [&str; 2] = ["value", "number"];

/// Nouns of times.
const TIMES: [&str; 5] = ["duration", "timeout", "interval", "age", "period"];

/// Words that deny what a clause says.
const DENIED: [&str; 6] = ["not", "no", "never", "cannot", "without", "neither"];

/// What was read from passages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Extracted {
    /// The type of answer that the question expects. Of [`Expected::Other`] the answers are quotes
    /// without a value.
    pub expected: Expected,
    /// The answers, in the order of the passages: one of each document, or two if it gives two
    /// values.
    pub answers: Vec<Answer>,
}

/// Reads the answers to a question from passages. `id` is the id of the question.
pub fn extract(id: &str, question: &str, passages: &PassageRegistry) -> Extracted {
    let asked = Asked::new(question);
    let expected = asked.expected.clone();
    let sentences = Sentence::of(passages);
    let weights = asked.weights(&sentences);
    let subject = asked.subject(&sentences);

    let mut found: Vec<(f64, &Sentence<'_>, Option<Value>)> = Vec::new();
    for sentence in &sentences {
        let share = asked.share(sentence, &weights);
        if share < LEAST_SHARE || !asked.is_about(sentence, &subject) {
            continue;
        }
        if expected == Expected::Other {
            if sentence.says_something() {
                found.push((share, sentence, None));
            }
        } else if let Some(value) = asked.value_in(sentence, &weights) {
            found.push((share, sentence, Some(value)));
        }
    }

    // A definition of what is asked for says more than what mentions it.
    let defines = |sentence: &Sentence<'_>| asked.is_defined_by(sentence);
    if found.iter().any(|(_, sentence, _)| defines(sentence)) {
        found.retain(|(_, sentence, _)| defines(sentence));
    }

    // The best sentences, unless another document has a much better one.
    let best = found.iter().map(|(share, ..)| *share).fold(0.0, f64::max);
    found.retain(|(share, ..)| *share >= NEAR_BEST * best);
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|a, b| found[*b].0.total_cmp(&found[*a].0).then(a.cmp(b)));
    if expected == Expected::Other {
        order.truncate(MOST_QUOTES);
    } else {
        order = of_documents(&found, order);
    }
    order.sort_unstable();

    let answers = order.into_iter().map(|at| {
        let (_, sentence, value) = &found[at];
        let passage = sentence.passage.id.clone();
        Answer {
            value: value.clone(),
            ..Answer::quoted(id, passage, sentence.span.clone())
        }
    });
    Extracted {
        expected,
        answers: answers.collect(),
    }
}

/// Returns the sentences that count, the best one of each document first. Of a document, a value
/// that replaced another one counts before the others, and an old one after them. Values of a
/// document that differ otherwise all count, so that the difference is seen.
fn of_documents(found: &[(f64, &Sentence<'_>, Option<Value>)], order: Vec<usize>) -> Vec<usize> {
    let document = |at: usize| &found[at].1.passage.source;
    let mut newest: BTreeMap<&String, Age> = BTreeMap::new();
    for at in &order {
        let age = qualifiers::age(found[*at].1.text);
        let known = newest.entry(document(*at)).or_insert(age);
        *known = age.max(*known);
    }

    let mut kept: Vec<usize> = Vec::new();
    for at in order {
        if newest.get(document(at)) != Some(&qualifiers::age(found[at].1.text)) {
            continue;
        }
        let own = kept
            .iter()
            .filter(|other| document(**other) == document(at));
        let differs = |other: usize| match (&found[at].2, &found[other].2) {
            (Some(a), Some(b)) => {
                // A sentence that says less about the question may be about something else.
                let is_as_good = found[at].0 >= found[other].0;
                is_as_good && measures_same(a, b) && compare(a, b) == Sameness::Different
            }
            _ => false,
        };
        let own: Vec<usize> = own.copied().collect();
        if own.len() < MOST_VALUES && own.iter().all(|other| differs(*other)) {
            kept.push(at);
        }
    }
    kept
}

/// A question that was read.
struct Asked {
    expected: Expected,
    /// Stems of the content words about the subject.
    stems: BTreeSet<String>,
    /// Stem of the noun that is asked for.
    noun: Option<String>,
    /// Stem of the word before it, as in *page size*.
    modifier: Option<String>,
    /// Stem of what the noun is of: *size of a table*.
    object: Option<String>,
    /// Stems of what happened, such as *opened*, of the word before the noun that is asked for, and
    /// of what that is of: a sentence must have each, or another word for it.
    required: BTreeSet<String>,
    /// Stems of what happened alone.
    events: BTreeSet<String>,
    /// Names and numbers, in lower case: a sentence must have them all, or stand below them.
    names: BTreeSet<String>,
    /// Identifiers such as `gc.auto`, in lower case: a sentence must have each as a whole.
    identifiers: BTreeSet<String>,
    qualifiers: BTreeSet<&'static str>,
    /// Whether the noun that is asked for fits any value.
    is_any_value: bool,
    /// Whether the noun that is asked for is a time.
    is_time: bool,
    is_denied: bool,
}

impl Asked {
    fn new(question: &str) -> Self {
        let words = words(question);
        let reading = Reading::new(question, &words);
        let (mut stems, mut events, mut modifier) = (BTreeSet::new(), BTreeSet::new(), None);
        let (mut names, mut required) = (BTreeSet::new(), BTreeSet::new());
        for (at, word) in words.iter().enumerate() {
            let is_noun = reading.noun == Some(at);
            let is_qualifier = !is_noun && qualifiers::is_qualifier(&word.lower);
            if reading.said_by.contains(&at) || is_stop(&word.lower) || is_qualifier {
                continue;
            }
            stems.insert(word.stem.clone());
            if events::is_event(word) {
                events.insert(word.stem.clone());
            }
            if reading.noun == Some(at + 1) {
                modifier = Some(word.stem.clone());
            }
            if reading.noun == Some(at + 1)
                || reading.object == Some(at)
                || events::is_event(word)
                || reading.next == Some(at)
            {
                required.insert(word.stem.clone());
            }
            let is_name = at > 0 && word.text.starts_with(char::is_uppercase);
            if is_name || word.is_number() || word.text.chars().skip(1).any(char::is_uppercase) {
                names.insert(word.lower.clone());
            }
        }

        Self {
            noun: reading.noun.map(|at| words[at].stem.clone()),
            modifier,
            object: reading.object.map(|at| words[at].stem.clone()),
            expected: reading.expected,
            stems,
            required,
            events,
            names,
            identifiers: identifiers(question)
                .filter(|one| is_compound(one))
                .map(lower)
                .collect(),
            qualifiers: qualifiers::asked(question),
            is_any_value: reading.noun.is_some_and(|at| {
                let noun = words[at].lower.as_str();
                ANY_VALUE.contains(&noun) || qualifiers::is_qualifier(noun)
            }),
            is_time: reading
                .noun
                .is_some_and(|at| TIMES.contains(&words[at].lower.as_str())),
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
    /// what is above it holds any, unless that is the option that is asked for.
    fn share(&self, sentence: &Sentence<'_>, weights: &BTreeMap<&str, f64>) -> f64 {
        let total: f64 = weights.values().sum();
        // *New in version 2* alone does not say what is new.
        let has_plain_noun = matches!(self.expected, Expected::Version | Expected::Date);
        let is_noun = |stem: &String| has_plain_noun && self.noun.as_ref() == Some(stem);
        let mut subject = self.stems.difference(&self.events);
        let own = subject.any(|stem| sentence.stems.contains(stem) && !is_noun(stem))
            || self.is_defined_by(sentence);
        let held = weights.iter().filter(|(stem, _)| sentence.holds(stem));
        if own && total > 0.0 {
            held.map(|(_, weight)| weight).sum::<f64>() / total
        } else {
            0.0
        }
    }

    /// Returns the stems that say what the question is about: words by which a document is named,
    /// and words that no sentence has.
    fn subject<'s>(&'s self, sentences: &[Sentence<'_>]) -> BTreeSet<&'s str> {
        let says_it = |stem: &&str| {
            let names_one = sentences.iter().any(|one| one.named.contains(*stem));
            names_one || !sentences.iter().any(|one| one.holds(stem))
        };
        let stems = self.stems.iter().map(String::as_str);
        let stems = stems.filter(|stem| self.noun.as_deref() != Some(*stem));
        stems.filter(says_it).collect()
    }

    /// Returns whether a sentence has all events, names, numbers and identifiers of the question,
    /// and its subject.
    fn is_about(&self, sentence: &Sentence<'_>, subject: &BTreeSet<&str>) -> bool {
        let mut required = self
            .required
            .iter()
            .map(String::as_str)
            .chain(subject.iter().copied());
        if !required.all(|stem| sentence.holds(stem)) {
            return false;
        }
        let all = words(sentence.text).into_iter();
        let all = all.chain(words(&sentence.above));
        let held: BTreeSet<String> = all.map(|word| word.lower).collect();

        let own = identifiers(sentence.text).chain(identifiers(&sentence.above));
        let own: BTreeSet<String> = own.map(lower).collect();
        let has_numbers = self.names.iter().all(|name| {
            let is_number = name.starts_with(|c: char| c.is_ascii_digit());
            !is_number || own.contains(name)
        });
        self.names.is_subset(&held)
            && has_numbers
            && self.identifiers.is_subset(&own)
            && !self.defines_another(sentence)
            && self.has_phrase(sentence)
            && !self.has_part(sentence)
    }

    /// Returns whether a sentence is part of the definition of the option that is asked for.
    fn is_defined_by(&self, sentence: &Sentence<'_>) -> bool {
        let own: BTreeSet<String> = identifiers(sentence.term).map(lower).collect();
        !self.identifiers.is_empty() && self.identifiers.is_subset(&own)
    }

    /// Returns whether a sentence defines another option than the one that is asked for.
    fn defines_another(&self, sentence: &Sentence<'_>) -> bool {
        let is_option = identifiers(sentence.term).next().is_some_and(is_compound);
        is_option && !self.identifiers.is_empty() && !self.is_defined_by(sentence)
    }

    /// Returns whether a sentence with the noun that is asked for and the word before it has them
    /// together: *page size*, or *size of a page*.
    fn has_phrase(&self, sentence: &Sentence<'_>) -> bool {
        let (Some(modifier), Some(noun)) = (&self.modifier, &self.noun) else {
            return true;
        };

        let is_together = |text: &str| {
            let all = words(text);
            let places = |stem: &str| -> Vec<usize> {
                (0..all.len()).filter(|at| all[*at].stem == stem).collect()
            };
            let (modifiers, nouns) = (places(modifier), places(noun));
            let is_before = |at: &usize| nouns.contains(&(at + 1));
            let is_of = |at: &usize| {
                let of = all.get(at + 1).is_some_and(|word| word.lower == "of");
                of && modifiers
                    .iter()
                    .any(|own| (at + 2..at + 2 + REACH).contains(own))
            };
            modifiers.iter().any(is_before) || nouns.iter().any(is_of)
        };

        let has_both = sentence.stems.contains(modifier) && sentence.stems.contains(noun);
        !has_both || is_together(sentence.text) || is_together(sentence.term)
    }

    /// Returns whether a sentence is about a part of what is asked for: of the size of a database,
    /// *database cache size* alone.
    fn has_part(&self, sentence: &Sentence<'_>) -> bool {
        let (Some(object), Some(noun)) = (&self.object, &self.noun) else {
            return false;
        };
        let all = words(sentence.text);
        let is_whole = |part: &[Word<'_>]| part[0].stem == *object && part[1].stem == *noun;
        let is_part = |part: &[Word<'_>]| {
            let ends = part[0].stem == *object && part[2].stem == *noun;
            ends && !is_stop(&part[1].lower)
        };
        all.windows(3).any(is_part) && !all.windows(2).any(is_whole)
    }

    /// Returns the value that a sentence gives as the answer. `None` if two could be meant.
    fn value_in(&self, sentence: &Sentence<'_>, weights: &BTreeMap<&str, f64>) -> Option<Value> {
        let all = values(sentence.text, sentence.language);
        let above = qualifiers::qualifiers(&sentence.above);
        let mut found: Vec<(f64, Value)> = Vec::new();
        for typed in all.iter().filter(|typed| self.fits(typed, sentence)) {
            let is_asked = self
                .names
                .contains(&sentence.text[typed.core.clone()].to_lowercase());
            let range = sentence.clause(typed, &all);
            let clause = &sentence.text[range.clone()];
            let own = words(clause);

            let parts = (&sentence.text[..range.start], clause);
            let is_other = !qualifiers::fit(&self.qualifiers, parts, &above, &typed.value);
            let is_denied = is_denied(&own) != self.is_denied;
            let is_setting = own.first().is_some_and(|word| word.lower == "setting");
            let is_asked = is_asked || is_setting || is_change(sentence.text, typed);
            if is_asked || is_other || is_denied || !self.counts(sentence.text, typed, &range) {
                continue;
            }
            let stems: BTreeSet<&str> = own.iter().map(|word| word.stem.as_str()).collect();
            let held = weights.iter().filter(|(stem, _)| stems.contains(*stem));
            found.push((held.map(|(_, weight)| weight).sum(), typed.value.clone()));
        }

        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let is_one = |value: &Value| {
            let mut others = found.iter().map(|(_, other)| compare(value, other));
            others.all(|sameness| sameness == Sameness::Same)
        };
        match found.as_slice() {
            [(_, value), ..] if is_one(value) => Some(value.clone()),
            [(best, value), (second, _), ..] if best > second => Some(value.clone()),
            _ => None,
        }
    }

    /// Returns whether a value is of the expected type. A number without a unit is, if the sentence
    /// names the unit: *number of seconds (default: 900)*. The word *one* alone counts nothing, and
    /// neither *two or more* nor the section of a page such as `git(1)` answers.
    fn fits(&self, typed: &Typed, sentence: &Sentence<'_>) -> bool {
        let core = &sentence.text[typed.core.clone()];
        let around = [
            sentence.text[..typed.core.start].chars().next_back(),
            sentence.text[typed.core.end..].chars().next(),
        ];
        let after = words(&sentence.text[typed.core.end..]);
        let is_open = after.first().is_some_and(|word| word.lower == "or");
        let before = sentence.text[..typed.core.start].strip_suffix('(');
        let is_section = before.is_some_and(|before| before.ends_with(char::is_alphanumeric));
        let unit = match &typed.value {
            Value::Number(quantity) => quantity.unit.as_ref(),
            _ => None,
        };
        let is_pronoun = core.eq_ignore_ascii_case("one") && unit.is_none();
        let is_other_unit = self.is_time && unit.is_some_and(|unit| !is_time(unit));
        let is_part = around.contains(&Some('/')) || is_open || is_section;
        if is_pronoun || is_other_unit || is_part {
            return false;
        }

        let names_unit = || match (&self.expected, &typed.value, &self.noun) {
            (Expected::Amount { .. }, Value::Number(quantity), Some(noun)) => {
                quantity.unit.is_none() && sentence.stems.contains(noun)
            }
            _ => false,
        };
        (self.expected.fits(&typed.value) || names_unit()) && self.has_noun(typed, sentence)
    }

    /// Returns whether a sentence names what is asked for, or its value is a time and that is one.
    fn has_noun(&self, typed: &Typed, sentence: &Sentence<'_>) -> bool {
        let (Expected::Amount { .. }, Some(noun)) = (&self.expected, &self.noun) else {
            return true;
        };
        let has_time = match &typed.value {
            Value::Number(quantity) => quantity.unit.as_ref().is_some_and(is_time),
            _ => false,
        };
        has_time && self.is_time || self.is_any_value || sentence.holds(noun)
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

fn is_time(unit: &Unit) -> bool {
    ["time", "calendar"].contains(&unit.dimension.as_str())
}

/// Returns whether two values are of one type, and numbers of one dimension.
fn measures_same(a: &Value, b: &Value) -> bool {
    let dimension = |value: &Value| match value {
        Value::Number(quantity) => quantity.unit.as_ref().map(|unit| unit.dimension.clone()),
        _ => None,
    };
    std::mem::discriminant(a) == std::mem::discriminant(b) && dimension(a) == dimension(b)
}

/// Returns whether a value is a change: *from 32 to 64*.
fn is_change(text: &str, typed: &Typed) -> bool {
    let is_range = matches!(&typed.value, Value::Number(quantity) if quantity.is_range());
    let before = text[..typed.span.start].trim_end().to_lowercase();
    let own = text[typed.span.clone()].to_lowercase();
    is_range && (before.ends_with("from") || own.starts_with("from "))
}

/// Returns the parts of a string between spaces and marks, with the dots, dashes and underscores in
/// them.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c: char| {
        c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '"' | '`' | '“' | '”' | '?')
    };
    text.split(is_mark)
        .map(|part| part.trim_matches(['.', ':', '\'', '*', '=']))
        .filter(|part| !part.is_empty())
}

/// Returns whether a part of a question is an identifier: it has a dot, an underscore or a capital
/// inside, or begins as an option does.
fn is_compound(part: &str) -> bool {
    let is_inside = |c: char| c == '_' || c.is_uppercase();
    let has_dot = part.contains('.') && part.contains(char::is_alphabetic);
    let is_number = part.starts_with(|c: char| c.is_ascii_digit());
    let is_acronym = !part.contains(char::is_lowercase) && !part.contains('_');
    part.starts_with("--")
        || !is_number && (has_dot || !is_acronym && part.chars().skip(1).any(is_inside))
}

fn lower(part: &str) -> String {
    part.to_lowercase()
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
