//! A question, read for what a sentence must have to answer it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use research_agents_report::check::grounded::is_general_word;
use research_agents_report::text::{Word, is_stop, words};
use research_agents_report::trust::value::{Sameness, Typed, Unit, Value, compare};

use crate::answers::extract::expected::{ARTICLES, Expected, Reading};
use crate::answers::extract::lexicon::{identifiers, is_compound, lower};
use crate::answers::extract::sentence::{Sentence, counts_something, is_list};
use crate::answers::extract::{lexicon, qualifiers};

/// Maximum number of quotes for a question without a typed answer.
pub(super) const MOST_QUOTES: usize = 3;
/// Minimum number of words of a sentence that is quoted for what it says.
pub(super) const LEAST_WORDS: usize = 5;
/// Weight of the noun that a question asks for, of which sentences often name only the value.
const NOUN: f64 = 0.4;
/// Maximum number of words from a number to the name of what it counts.
const REACH: usize = 3;

/// Nouns that fit any value.
const ANY_VALUE: [&str; 2] = ["value", "number"];

/// Nouns of times.
pub(super) const TIMES: [&str; 5] = ["duration", "timeout", "interval", "age", "period"];

/// Nouns that only say how much there is of something.
const AMOUNTS: [&str; 3] = ["amount", "number", "value"];

/// Verbs before the subject of a question.
const AUXILIARIES: [&str; 17] = [
    "is", "are", "was", "were", "does", "do", "did", "can", "could", "may", "must", "should",
    "will", "would", "has", "have", "had",
];

/// Words that select one of several things.
const SELECTING: [&str; 7] = [
    "first", "last", "second", "latest", "earliest", "oldest", "newest",
];

/// Words that only say when or how often.
const ADVERBS: [&str; 8] = [
    "already", "yet", "ever", "still", "always", "again", "once", "myself",
];

/// Words with which a condition begins.
const CONDITIONS: [&str; 6] = ["if", "unless", "when", "without", "provided", "before"];

/// Words that deny what a clause says.
const DENIED: [&str; 6] = ["not", "no", "never", "cannot", "without", "neither"];

/// A question that was read.
pub(super) struct Asked {
    pub(super) text: String,
    pub(super) expected: Expected,
    /// Stems of the content words about the subject.
    pub(super) stems: BTreeSet<String>,
    /// Stem of the noun that is asked for.
    pub(super) noun: Option<String>,
    /// Stem of the word before it, as in *page size*.
    pub(super) modifier: Option<String>,
    /// Stem of what the noun is of: *size of a table*.
    pub(super) object: Option<String>,
    /// Stems of what happened, such as *opened*, of the word before the noun that is asked for, and
    /// of what that is of: a sentence must have each, or another word for it.
    pub(super) required: BTreeSet<String>,
    /// Stems of what happened alone.
    pub(super) events: BTreeSet<String>,
    /// Names and numbers, in lower case: a sentence must have them all, or stand below them.
    pub(super) names: BTreeSet<String>,
    /// Identifiers such as `gc.auto`, in lower case: a sentence must have each as a whole.
    pub(super) identifiers: BTreeSet<String>,
    pub(super) qualifiers: BTreeSet<&'static str>,
    /// Dimensions that a value may have as well, if none fits better.
    pub(super) also: Vec<String>,
    /// The parts of the question between spaces and marks, in lower case.
    pub(super) said: BTreeSet<String>,
    /// Stem of the noun of a question such as *which option does it*, which asks for a name.
    pub(super) kind: Option<String>,
    /// Whether the noun that is asked for fits any value.
    pub(super) is_any_value: bool,
    /// Whether the noun that is asked for is a time.
    pub(super) is_time: bool,
    /// Names in capitals that are written as general words are.
    pub(super) capitals: BTreeSet<String>,
    pub(super) is_denied: bool,
    /// Whether it is answered by yes or no.
    pub(super) is_yes_no: bool,
    /// Whether the noun that is asked for only says how much there is of something.
    pub(super) is_amount: bool,
    /// Stem of who does what is asked about: *sshd* in *what does sshd do*. Its manual often does
    /// not name it.
    pub(super) actor: Option<String>,
    /// Stems of words that select one of several things: *the first release*.
    pub(super) selecting: BTreeSet<String>,
    /// Stems of words that only say when or how often.
    pub(super) adverbs: BTreeSet<String>,
}

impl Asked {
    pub(super) fn new(question: &str) -> Self {
        let words = words(question);
        let reading = Reading::new(question, &words);
        let (mut stems, mut events, mut modifier) = (BTreeSet::new(), BTreeSet::new(), None);
        let (mut names, mut required) = (BTreeSet::new(), BTreeSet::new());
        let by_default = qualifiers::default_words(&words);
        let mut capitals = BTreeSet::new();
        for (at, word) in words.iter().enumerate() {
            let is_noun = reading.noun == Some(at);
            let is_qualifier = !is_noun && qualifiers::is_qualifier(&word.lower);
            let is_said = reading.said_by.contains(&at) || by_default.contains(&at);
            if at > 0 && is_in_capitals(word, question) {
                capitals.insert(word.text.to_owned());
            }
            if is_said || is_stop(&word.lower) || is_qualifier {
                continue;
            }
            stems.insert(word.stem.clone());
            if lexicon::is_event(word) {
                events.insert(word.stem.clone());
            }
            if reading.noun == Some(at + 1) {
                modifier = Some(word.stem.clone());
            }
            if reading.noun == Some(at + 1)
                || reading.object == Some(at)
                || lexicon::is_event(word)
                || reading.next == Some(at)
            {
                required.insert(word.stem.clone());
            }
            let is_name = at > 0 && word.text.starts_with(char::is_uppercase);
            if is_name || word.is_number() || word.text.chars().skip(1).any(char::is_uppercase) {
                names.insert(word.lower.clone());
            }
        }

        let is_default = qualifiers::asked(question).contains("default");
        Self {
            text: question.to_owned(),
            noun: reading.noun.map(|at| words[at].stem.clone()),
            modifier,
            object: reading.object.map(|at| words[at].stem.clone()),
            expected: match reading.expected {
                // *When does it give up by default* asks for how long.
                Expected::Date if is_default => Expected::Amount {
                    dimensions: vec!["time".to_owned()],
                },
                expected => expected,
            },
            also: reading.also,
            said: identifiers(question).map(lower).collect(),
            kind: reading.kind.map(|at| words[at].stem.clone()),
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
            capitals,
            is_denied: is_denied(main_clause(&words)),
            is_yes_no: words
                .first()
                .is_some_and(|word| AUXILIARIES.contains(&word.lower.as_str())),
            is_amount: reading
                .noun
                .is_some_and(|at| AMOUNTS.contains(&words[at].lower.as_str())),
            actor: actor(&words),
            selecting: stems_of(&words, |word| SELECTING.contains(&word)),
            adverbs: stems_of(&words, |word| ADVERBS.contains(&word)),
        }
    }

    /// Returns the weight of each stem: its inverse document frequency (Robertson and Spärck Jones,
    /// 1976, with the smoothing of BM25) over the sentences with their headings.
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of sentences are far below 2^52"
    )]
    pub(super) fn weights(&self, sentences: &[Sentence<'_>]) -> BTreeMap<&str, f64> {
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
    pub(super) fn share(&self, sentence: &Sentence<'_>, weights: &BTreeMap<&str, f64>) -> f64 {
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
    pub(super) fn subject<'s>(&'s self, sentences: &[Sentence<'_>]) -> BTreeSet<&'s str> {
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
    pub(super) fn is_about(&self, sentence: &Sentence<'_>, subject: &BTreeSet<&str>) -> bool {
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
    pub(super) fn is_defined_by(&self, sentence: &Sentence<'_>) -> bool {
        let own: BTreeSet<String> = identifiers(sentence.term).map(lower).collect();
        !self.identifiers.is_empty() && self.identifiers.is_subset(&own)
    }

    /// Returns whether a sentence defines another option than the one that is asked for: below its
    /// term, or in a row that begins with it.
    pub(super) fn defines_another(&self, sentence: &Sentence<'_>) -> bool {
        let is_another = |name: &str| {
            let first = identifiers(name).next().filter(|first| is_compound(first));
            first.is_some_and(|first| !self.identifiers.contains(&lower(first)))
        };
        let cell = sentence.text.split_once('\t').map_or("", |(cell, _)| cell);
        let is_row = !cell.trim().is_empty() && is_another(cell);
        let is_below = is_another(sentence.term) && !self.is_defined_by(sentence);
        !self.identifiers.is_empty() && (is_row || is_below)
    }

    /// Returns whether a sentence with the noun that is asked for and the word before it has them
    /// together: *page size*, or *size of a page*.
    pub(super) fn has_phrase(&self, sentence: &Sentence<'_>) -> bool {
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
    pub(super) fn has_part(&self, sentence: &Sentence<'_>) -> bool {
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
    pub(super) fn value_in(
        &self,
        sentence: &Sentence<'_>,
        weights: &BTreeMap<&str, f64>,
    ) -> Option<Value> {
        let all = sentence.values();
        if is_list(all) {
            return None;
        }
        let above = qualifiers::qualifiers(&sentence.above);
        let mut found: Vec<(f64, Value)> = Vec::new();
        for typed in all.iter().filter(|typed| self.fits(typed, sentence)) {
            let is_asked = self
                .names
                .contains(&sentence.text[typed.core.clone()].to_lowercase());
            let range = sentence.clause(typed, all);
            let clause = &sentence.text[range.clone()];
            let own = words(clause);

            let parts = (&sentence.text[..range.start], clause);
            let is_other = !qualifiers::fit(&self.qualifiers, parts, &above, &typed.value);
            let is_denied = is_denied(&own) != self.is_denied;
            let is_setting = own.first().is_some_and(|word| word.lower == "setting");
            let is_asked = is_asked || is_setting || is_change(sentence.text, typed);
            let is_apart = !self.may_measure(typed, sentence) || self.is_end(typed, sentence.text);
            let is_wrong = is_asked || is_other || is_denied || is_apart;
            if is_wrong || !self.counts(sentence.text, typed, &range) {
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
    pub(super) fn fits(&self, typed: &Typed, sentence: &Sentence<'_>) -> bool {
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
    pub(super) fn has_noun(&self, typed: &Typed, sentence: &Sentence<'_>) -> bool {
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
    pub(super) fn counts(&self, sentence: &str, typed: &Typed, clause: &Range<usize>) -> bool {
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
        let counts_other = counts_something(&sentence[typed.core.end..]);
        follows || is_number_of && !counts_other
    }
}

/// Returns whether a word of a question is a name in capitals that is a general word in small
/// letters.
fn is_in_capitals(word: &Word<'_>, question: &str) -> bool {
    let is_name = word.text.len() > 1 && word.text.chars().all(char::is_uppercase);
    let is_general = is_stop(&word.lower) || is_general_word(&word.stem);
    is_name && is_general && question.chars().skip(1).any(char::is_lowercase)
}

/// Returns the stems of those words that are of a kind.
fn stems_of(words: &[Word<'_>], is_it: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let own = words.iter().filter(|word| is_it(&word.lower));
    own.map(|word| word.stem.clone()).collect()
}

/// Returns the stem of the word that follows the first auxiliary verb, with or without an article.
fn actor(words: &[Word<'_>]) -> Option<String> {
    let is_auxiliary = |word: &Word<'_>| AUXILIARIES.contains(&word.lower.as_str());
    let at = words.iter().position(is_auxiliary)? + 1;
    let is_article = words
        .get(at)
        .is_some_and(|word| ARTICLES.contains(&word.lower.as_str()));
    let word = words.get(at + usize::from(is_article))?;
    (!is_stop(&word.lower)).then(|| word.stem.clone())
}

fn is_time(unit: &Unit) -> bool {
    ["time", "calendar"].contains(&unit.dimension.as_str())
}

/// Returns what a question says before a condition: *if it is not set* denies nothing of what is
/// asked.
fn main_clause<'q, 'w>(words: &'q [Word<'w>]) -> &'q [Word<'w>] {
    let is_condition = |word: &Word<'_>| CONDITIONS.contains(&word.lower.as_str());
    let end = words.iter().skip(1).position(is_condition);
    words
        .get(..end.map_or(words.len(), |end| end + 1))
        .unwrap_or_default()
}

/// Returns whether a value is a change: *from 32 to 64*.
pub(super) fn is_change(text: &str, typed: &Typed) -> bool {
    let is_range = matches!(&typed.value, Value::Number(quantity) if quantity.is_range());
    let before = text[..typed.span.start].trim_end().to_lowercase();
    let own = text[typed.span.clone()].to_lowercase();
    is_range && (before.ends_with("from") || own.starts_with("from "))
}

pub(super) fn is_denied(words: &[Word<'_>]) -> bool {
    let denies = |word: &Word<'_>| {
        DENIED.contains(&word.lower.as_str())
            || word.lower.ends_with("n't")
            || word.lower.ends_with("n’t")
    };
    words.iter().any(denies)
}

/// Returns whether two values are of one type, and numbers of one dimension.
pub(super) fn measures_same(a: &Value, b: &Value) -> bool {
    let dimension = |value: &Value| match value {
        Value::Number(quantity) => quantity.unit.as_ref().map(|unit| unit.dimension.clone()),
        _ => None,
    };
    std::mem::discriminant(a) == std::mem::discriminant(b) && dimension(a) == dimension(b)
}
