//! Whether a sentence is bound to what tells a question from its neighbours.
//!
//! Many sentences of a manual share words with a question. Those that answer it have its rare and
//! technical words in them, in their term or heading, or in the definition that they belong to.

use std::collections::{BTreeMap, BTreeSet};

use research_agents_report::check::grounded::{have_one_meaning, is_general_verb, is_general_word};
use research_agents_report::text::{content_stems, words};

use crate::answers::extract::asked::Asked;
use crate::answers::extract::expected::Expected;
use crate::answers::extract::named::Naming;
use crate::answers::extract::sentence::Sentence;

/// Minimum share of the question that a sentence is bound to if its answer has no type.
const LEAST_BOUND: f64 = 0.7;
/// The same of *which option does it*, if the sentence names or defines an option, and if it names
/// nothing.
const LEAST_WITH_NAME: f64 = 0.55;
const LEAST_WITHOUT_NAME: f64 = 0.85;
/// The same, if the answer has a type.
const LEAST_OF_VALUE: f64 = 0.5;

/// Weight of a technical term or a name, of a general word, and of a verb.
const TECHNICAL: f64 = 1.0;
const GENERAL: f64 = 0.8;
const VERB: f64 = 0.5;
/// Weight of a verb that only says that something has an effect.
const CAUSE: f64 = 0.2;
/// How much less a word weighs that no sentence has, and one that nearly all have.
const UNKNOWN: f64 = 0.6;
const BY_COMMON: f64 = 0.4;
/// Share of the sentences from which nearly all have a word.
const COMMON: f64 = 0.8;

/// How much a word counts before a sentence, as another word with the same meaning, as such a word
/// before it, only above it, and only after it.
const BEFORE: f64 = 0.9;
const ANOTHER: f64 = 0.7;
const ANOTHER_BEFORE: f64 = 0.6;
const ABOVE: f64 = 0.6;
const AFTER: f64 = 0.4;

/// Stems of verbs that say that something has an effect: *which option makes it stop*.
const CAUSES: [&str; 5] = ["make", "let", "caus", "allow", "enabl"];

/// What a question asks about, by how much it tells.
pub(super) struct Terms<'a> {
    asked: &'a Asked,
    weights: BTreeMap<&'a str, f64>,
    technical: Vec<&'a str>,
}

impl<'a> Terms<'a> {
    /// Reads the terms of a question, which tell the more the fewer sentences have them.
    pub(super) fn new(asked: &'a Asked, sentences: &[Sentence<'_>]) -> Self {
        let is_open = |stem: &&String| {
            asked.kind.as_ref() != Some(*stem) && asked.noun.as_ref() != Some(*stem)
        };
        let is_technical = |stem: &&String| {
            let is_word = is_general_verb(stem) || is_general_word(stem);
            !is_word && asked.actor.as_ref() != Some(*stem) && !asked.adverbs.contains(*stem)
        };
        let open = || asked.stems.iter().filter(is_open);
        let weights = open().map(|stem| (stem.as_str(), weight(asked, stem, sentences)));
        Self {
            asked,
            weights: weights.collect(),
            technical: open().filter(is_technical).map(String::as_str).collect(),
        }
    }

    /// Returns whether a sentence may answer the question.
    pub(super) fn bind(&self, sentence: &Sentence<'_>) -> bool {
        let is_default = self.asked.qualifiers.contains("default");

        match self.asked.expected {
            Expected::Other if is_default => true,
            Expected::Other => {
                let least = match self.asked.naming(sentence) {
                    Naming::Open => LEAST_BOUND,
                    Naming::Named => LEAST_WITH_NAME,
                    Naming::Nothing => LEAST_WITHOUT_NAME,
                };
                let is_enough = self.coverage(sentence) >= least;
                is_enough && self.lacking(sentence) == 0 && !is_told_by_somebody(sentence)
            }
            Expected::Version | Expected::Date => {
                self.selects(sentence) && !self.is_about_a_part(sentence)
            }
            _ => {
                let is_enough = is_default || self.coverage(sentence) >= LEAST_OF_VALUE;
                is_enough && self.selects(sentence) && self.has_capitals(sentence)
            }
        }
    }

    /// Returns whether the names in capitals that are words as well are near a sentence as such.
    fn has_capitals(&self, sentence: &Sentence<'_>) -> bool {
        let near = [&*sentence.above, &*sentence.before, sentence.text];
        let is_near = |name: &String| {
            let mut all = near.iter().flat_map(|text| words(text));
            all.any(|word| word.text == name)
        };
        self.asked.capitals.iter().all(is_near)
    }

    /// Returns the technical terms of the question.
    pub(super) fn technical(&self) -> &[&'a str] {
        &self.technical
    }

    /// Returns the number of technical terms of the question that are not near a sentence.
    pub(super) fn lacking(&self, sentence: &Sentence<'_>) -> usize {
        if self.asked.is_defined_by(sentence) {
            return 0;
        }
        let is_far = |stem: &&&str| place(stem, sentence) < ABOVE;
        self.technical.iter().filter(is_far).count()
    }

    /// Returns the technical terms of the question.
    pub(super) fn coverage(&self, sentence: &Sentence<'_>) -> f64 {
        let total: f64 = self.weights.values().sum();
        let held = self.weights.iter();
        let held = held.map(|(stem, weight)| weight * place(stem, sentence));
        if total > 0.0 {
            held.sum::<f64>() / total
        } else {
            0.0
        }
    }

    /// Returns whether a sentence has what the question selects one of several by:
    /// of *the first release*, another one does not answer.
    fn selects(&self, sentence: &Sentence<'_>) -> bool {
        let mut selecting = self.asked.selecting.iter();
        selecting.all(|stem| place(stem, sentence) >= ANOTHER_BEFORE)
    }

    /// Returns whether a sentence says what happened to something that only is below what the
    /// question asks about: *added in version 2*, below the heading of a part.
    fn is_about_a_part(&self, sentence: &Sentence<'_>) -> bool {
        let site = content_stems(sentence.site);
        let is_subject = |stem: &&str| {
            let is_said = self.asked.events.contains(*stem) || site.iter().any(|own| own == *stem);
            !is_said && self.asked.actor.as_deref() != Some(*stem)
        };
        let stems: Vec<&str> = self.weights.keys().copied().filter(is_subject).collect();
        let is_own = stems.iter().any(|stem| sentence.stems.contains(*stem));
        let is_above = |stem: &&str| {
            let place = place(stem, sentence);
            place > 0.0 && place <= ABOVE
        };
        !is_own && stems.iter().any(is_above)
    }
}

/// Returns how much a stem of a question tells.
#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of sentences are far below 2^52"
)]
fn weight(asked: &Asked, stem: &str, sentences: &[Sentence<'_>]) -> f64 {
    let kind = if CAUSES.contains(&stem) {
        CAUSE
    } else if is_general_verb(stem) && !asked.is_yes_no {
        VERB
    } else if is_general_word(stem) {
        GENERAL
    } else {
        TECHNICAL
    };

    let has = |one: &&Sentence<'_>| one.holds(stem) || one.distance_of(stem).is_some();
    let own = sentences.iter().filter(has).count() as f64;
    let by_number = if own < 1.0 {
        UNKNOWN
    } else if own > COMMON * sentences.len() as f64 {
        BY_COMMON
    } else {
        1.0
    };
    kind * by_number
}

/// Returns how much a stem counts for a sentence by where it is: 1 in the sentence, in its term or
/// in the nearest heading, 0 if it is nowhere near.
fn place(stem: &str, sentence: &Sentence<'_>) -> f64 {
    let has_other = |stems: &BTreeSet<String>| stems.iter().any(|own| have_one_meaning(stem, own));
    if sentence.stems.contains(stem) || sentence.stems_named.contains(stem) {
        1.0
    } else if sentence.distance_of(stem).is_some() {
        BEFORE
    } else if has_other(&sentence.stems) || has_other(&sentence.stems_named) {
        ANOTHER
    } else if sentence.holds(stem) || sentence.stems_before.iter().any(|stems| has_other(stems)) {
        ABOVE
    } else if sentence.stems_after.contains(stem) {
        AFTER
    } else {
        0.0
    }
}

/// Returns whether somebody tells a sentence of himself, as in lists of frequent questions.
fn is_told_by_somebody(sentence: &Sentence<'_>) -> bool {
    let mut own = sentence.text.split_whitespace();
    own.any(|word| ["I", "I'm", "I've", "my"].contains(&word))
}
