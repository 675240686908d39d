//! Answers of sentences that are about the question only together with what is around them: *The
//! default is 150*, below an option and its description.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use research_agents_report::check::grounded::{have_one_meaning, is_general_verb, is_general_word};
use research_agents_report::trust::value::{Sameness, Value};

use crate::answers::extract::asked::{Asked, LEAST_WORDS, MOST_QUOTES, measures_same};
use crate::answers::extract::bound::Terms;
use crate::answers::extract::expected::Expected;
use crate::answers::extract::lexicon::{identifiers, lower};
use crate::answers::extract::qualifiers;
use crate::answers::extract::sentence::{Near, Sentence};
use crate::answers::table::answered;

/// Minimum share of the weight of a question's words that a sentence holds with what is around it.
const LEAST_SHARE: f64 = 0.3;
/// The same, if no default is asked for or stated.
const LEAST_SHARE_PLAIN: f64 = 0.55;
/// Minimum rank of a sentence with a value.
const LEAST_RANK: f64 = 0.6;
/// The same, if no default is asked for.
const LEAST_RANK_PLAIN: f64 = 0.8;
/// The same, if a default is asked for and it states none.
const LEAST_RANK_APART: f64 = 0.95;
/// Minimum rank of a sentence without one.
const LEAST_RANK_OTHER: f64 = 0.75;
/// Share of the best rank that a sentence of another publisher must have.
const NEAR_BEST: f64 = 0.75;
/// Minimum share of a sentence of another publisher than the one that answers.
const LEAST_OF_OTHERS: f64 = 0.4;
/// The same, if it gives the same value, and the number from which a value without a unit tells.
const LEAST_OF_SAME: f64 = 0.2;
const TELLING: f64 = 50.0;

/// Weight of a word that is only before the sentence, less for each sentence between.
const BEFORE: [f64; 4] = [0.9, 0.8, 0.75, 0.75];
/// Weight of a word that is only in the term or the nearest heading.
const NAMED: f64 = 0.95;
/// Weight of a word that is only above the sentence.
const ABOVE: f64 = 0.7;
/// Weight of a word that is only in the sentence after it.
const AFTER: f64 = 0.5;
/// Part of these weights that counts for a sentence that states no default: it must say itself what
/// it is about.
const NOT_DEFAULT: f64 = 0.6;
/// Weight of another word with the same meaning.
const ANOTHER_WORD: f64 = 0.6;
/// How much more a name or a technical term weighs than a general word, and how much less a verb.
const TECHNICAL: f64 = 1.5;
const VERB: f64 = 0.7;
/// How much less the noun of *which option* weighs.
const KIND: f64 = 0.4;
/// Share from which the names of a sentence count in full.
const ENOUGH_SHARE: f64 = 0.6;
/// What the score of the passage adds to the rank of a sentence, at most.
const BY_SCORE: f64 = 0.3;
/// What it adds that the question has all words of the term, and most words of one.
const BY_TERM: f64 = 0.2;
const LONGEST_TERM: usize = 5;
/// What each name costs that is not near.
const LACKING: f64 = 0.15;
/// What it costs that the word before the noun that is asked for is not near.
const LACKING_PART: f64 = 0.25;
/// What it adds that a sentence answers by itself.
const BY_ITSELF: f64 = 0.2;
/// What a default adds to the rank of a sentence.
const BY_DEFAULT: f64 = 0.15;

/// Range of the weight of a word. It is narrow: passages are found by words of the subject, which
/// are therefore frequent in them, and a rare word is often only another way to say something.
const LEAST_WEIGHT: f64 = 0.6;
const MOST_WEIGHT: f64 = 1.0;
/// Weight of a word that no sentence has.
const UNKNOWN: f64 = 0.25;
/// Share of the sentences from which a word says little, and how much less it weighs.
const COMMON: f64 = 0.8;
const BY_COMMON: f64 = 0.4;
/// Minimum number of words of a sentence that states a default.
const LEAST_OF_DEFAULT: usize = 3;

/// Bytes of the longest quote that begins with a term.
pub(super) const LONGEST_QUOTE: usize = 400;
/// Maximum number of sentences before one that is quoted with its term, with the term.
const MOST_BETWEEN: usize = 2;

/// A sentence with its rank and its value.
pub(super) type Found<'s, 'p> = (f64, &'s Sentence<'p>, Option<Value>);

/// Finds the sentences that answer a question with what is around them: the best one of each
/// publisher, or the best ones if the answer has no type. `strict` is the value of a sentence that
/// answers by itself.
pub(super) fn by_context<'s, 'p>(
    asked: &Asked,
    terms: &Terms<'_>,
    sentences: &'s [Sentence<'p>],
    site: impl Fn(&Sentence<'p>) -> String,
    strict: impl Fn(&Sentence<'p>) -> Option<Value>,
) -> Vec<Found<'s, 'p>> {
    let weights = weights(asked, sentences);
    let scores = best_scores(sentences, &site);
    let known = Known::new(asked, sentences);
    let mut found: Vec<Found<'s, 'p>> = Vec::new();
    for sentence in sentences {
        let asks_default = asked.qualifiers.contains("default");
        let share = share(sentence, &weights, asked.around(sentence));
        let Some(lacking) = asked
            .lacking(sentence, &known)
            .filter(|_| share >= LEAST_SHARE && terms.bind(sentence))
        else {
            continue;
        };
        let relative = relative_score(sentence, scores.get(&site(sentence)));
        let rank = share + BY_SCORE * relative + by_term(asked, sentence) - lacking;

        if asked.expected == Expected::Other {
            let own = qualifiers::qualifiers(sentence.text);
            let said = qualifiers::said(sentence.text);
            let by_default = match (
                asks_default && said.contains("default"),
                own.contains("default"),
            ) {
                (true, true) => 3.0 * BY_DEFAULT,
                (true, false) | (false, true) => BY_DEFAULT,
                (false, false) => 0.0,
            };
            let names = asked.by_names(sentence, own.contains("example"));
            let names = names * (share / ENOUGH_SHARE).min(1.0);
            let rank = rank + by_default + names - lacking_terms(sentence, &weights);
            // Who asks for a default is not helped by what else is said about the option.
            let least = if asks_default {
                LEAST_OF_DEFAULT
            } else {
                LEAST_WORDS
            };
            let is_apart = asks_default && !said.contains("default");
            if rank >= LEAST_RANK_OTHER && !is_apart && sentence.says_something(least) {
                found.push((rank, sentence, None));
            }
        } else if let Some(value) = strict(sentence) {
            let mut stated = asked.stated(sentence, &weights).into_iter();
            let fit = stated.find(|(_, own)| *own == value);
            let fit = fit.map_or(0.0, |(fit, _)| fit);
            found.push((rank + fit + BY_ITSELF, sentence, Some(value)));
        } else if let Some((fit, value)) = asked.stated(sentence, &weights).into_iter().next() {
            let fit = fit - LACKING * count(terms.lacking(sentence));
            let states_default = qualifiers::said(sentence.text).contains("default");
            let least = match (asks_default, states_default) {
                (true, true) => LEAST_RANK,
                (true, false) => LEAST_RANK_APART,
                (false, _) => LEAST_RANK_PLAIN,
            };
            let is_near = |stem: &String| {
                let is_it = sentence.holds(stem) || sentence.distance_of(stem).is_some();
                is_it && asked.noun.as_ref() != Some(stem)
            };
            let is_about = share >= LEAST_SHARE_PLAIN && asked.stems.iter().any(is_near);
            let is_enough = asks_default || states_default || is_about;
            if rank + fit >= least && is_enough {
                found.push((rank + fit, sentence, Some(value)));
            }
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    chosen(found, &site)
}

/// Finds what other publishers say to a question that one has answered: the best sentence of each
/// that gives a value of the same measure. It need not call it a default.
pub(super) fn of_others<'s, 'p>(
    asked: &Asked,
    sentences: &'s [Sentence<'p>],
    site: impl Fn(&Sentence<'p>) -> String,
    kept: &[Found<'s, 'p>],
) -> Vec<Found<'s, 'p>> {
    let Some((rank, _, Some(known))) = kept.first() else {
        return Vec::new();
    };
    let weights = weights(asked, sentences);
    let known_names = Known::new(asked, sentences);
    let scores = best_scores(sentences, &site);
    let sites: BTreeSet<String> = kept.iter().map(|(_, one, _)| site(one)).collect();
    let mut best: BTreeMap<String, Found<'s, 'p>> = BTreeMap::new();
    let mut same: BTreeMap<String, Found<'s, 'p>> = BTreeMap::new();
    for sentence in sentences {
        let own = site(sentence);
        let share = share(sentence, &weights, asked.around(sentence));
        if sites.contains(&own) || share < LEAST_OF_SAME {
            continue;
        }
        let Some(lacking) = asked.lacking(sentence, &known_names) else {
            continue;
        };
        let is_comparable = |value: &Value| {
            let is_measure = measures_same(value, known) || has_unit(value) != has_unit(known);
            is_measure || answered(value, known) == Sameness::Same
        };
        let relative = relative_score(sentence, scores.get(&own));
        let around = share + by_term(asked, sentence) + BY_SCORE * relative - lacking;
        for (fit, value) in asked.stated(sentence, &weights) {
            let rank = around + fit;
            let is_same = answered(&value, known) == Sameness::Same;
            let is_enough = share >= LEAST_OF_OTHERS && rank >= LEAST_OF_OTHERS;
            if !is_comparable(&value) || !(is_enough || is_same && tells(&value)) {
                continue;
            }
            let of_site = if is_same { &mut same } else { &mut best };
            let is_better = of_site.get(&own).is_none_or(|(known, ..)| rank > *known);
            if is_better {
                of_site.insert(own.clone(), (rank, sentence, Some(value)));
            }
        }
    }

    // That another publisher gives the same value by chance is unlikely.
    for (site, agreeing) in same {
        let other = best.get(&site).map_or(0.0, |(rank, ..)| *rank);
        if agreeing.0 >= NEAR_BEST * other {
            best.insert(site, agreeing);
        }
    }

    // They get the rank of the first answer, so that no later limit on ranks removes them.
    let ranked = best.into_values();
    ranked
        .map(|(_, sentence, value)| (*rank, sentence, value))
        .collect()
}

/// Chooses among sentences, which are sorted by their ranks: the best one with a value, and of
/// those without one the best ones.
fn chosen<'s, 'p>(
    found: Vec<Found<'s, 'p>>,
    site: &impl Fn(&Sentence<'p>) -> String,
) -> Vec<Found<'s, 'p>> {
    let best = found.first().map_or(0.0, |(rank, ..)| *rank);
    let mut kept: Vec<Found<'s, 'p>> = Vec::new();
    for (rank, sentence, value) in found {
        if value.is_some() {
            return vec![(rank, sentence, value)];
        }
        let is_first = !kept
            .iter()
            .any(|(_, other, _)| site(other) == site(sentence));
        if is_first && rank >= NEAR_BEST * best || !is_first && kept.len() < MOST_QUOTES {
            kept.push((rank, sentence, value));
        }
    }
    kept
}

/// Returns the score of the passage of a sentence, by that of the best one.
fn relative_score(sentence: &Sentence<'_>, best: Option<&f32>) -> f64 {
    let own = sentence.passage.found.score.unwrap_or_default();
    let best = best.copied().filter(|best| *best > 0.0);
    best.map_or(0.0, |best| f64::from(own / best))
}

/// Returns the highest score of a passage by site.
fn best_scores<'p>(
    sentences: &[Sentence<'p>],
    site: &impl Fn(&Sentence<'p>) -> String,
) -> BTreeMap<String, f32> {
    let mut best: BTreeMap<String, f32> = BTreeMap::new();
    for sentence in sentences {
        let score = sentence.passage.found.score.unwrap_or_default();
        let known = best.entry(site(sentence)).or_default();
        *known = known.max(score);
    }
    best
}

/// Returns the weight of each stem of a question: its inverse document frequency over the sentences
/// with what is before and above them.
#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of sentences are far below 2^52"
)]
pub(super) fn weights<'a>(asked: &'a Asked, sentences: &[Sentence<'_>]) -> BTreeMap<&'a str, f64> {
    let all = sentences.len() as f64;
    let weight = |stem: &String| {
        let kind = if asked.kind.as_ref() == Some(stem) {
            KIND
        } else {
            1.0
        };
        let has = |one: &&Sentence<'_>| one.holds(stem) || one.distance_of(stem).is_some();
        let own = sentences.iter().filter(has).count() as f64;
        if own > 0.0 {
            let weight = (1.0 + (all - own + 0.5) / (own + 0.5)).ln();
            let weight = weight.clamp(LEAST_WEIGHT, MOST_WEIGHT);
            let by_word = if is_general_verb(stem) {
                VERB
            } else if is_general_word(stem) {
                1.0
            } else {
                TECHNICAL
            };
            // What all have, as the name of the product, says little.
            let general = if own > COMMON * all { BY_COMMON } else { 1.0 };
            kind * by_word * weight * general
        } else {
            kind * UNKNOWN
        }
    };

    let stems = asked.stems.iter();
    stems.map(|stem| (stem.as_str(), weight(stem))).collect()
}

/// Returns the share of the weight that a sentence holds with what is around and above it, of which
/// `around` counts.
pub(super) fn share(sentence: &Sentence<'_>, weights: &BTreeMap<&str, f64>, around: f64) -> f64 {
    let total: f64 = weights.values().sum();
    let part = |stem: &str| {
        if sentence.stems.contains(stem) {
            return 1.0;
        }
        let before = sentence.distance_of(stem);
        let before = before.and_then(|distance| BEFORE.get(distance)).copied();
        let named = if sentence.stems_named.contains(stem) {
            NAMED
        } else {
            0.0
        };
        let above = if sentence.holds(stem) { ABOVE } else { 0.0 };
        let is_after = around >= 1.0 && sentence.stems_after.contains(stem);
        let after = if is_after { AFTER } else { 0.0 };
        let own = before.unwrap_or_default().max(above).max(named).max(after);
        if own > 0.0 {
            return around * own;
        }

        // Another word for it counts less, and most in the sentence itself.
        let has_other = |stems: &BTreeSet<String>| {
            let mut stems = stems.iter();
            stems.any(|other| have_one_meaning(stem, other))
        };
        if has_other(&sentence.stems) {
            return ANOTHER_WORD;
        }
        if has_other(&sentence.stems_named) {
            return around * ANOTHER_WORD * NAMED;
        }
        let before = sentence
            .stems_before
            .iter()
            .position(|stems| has_other(stems));
        let before = before.and_then(|distance| BEFORE.get(distance)).copied();
        around * ANOTHER_WORD * before.unwrap_or_default()
    };
    if total > 0.0 {
        let held = weights.iter().map(|(stem, weight)| part(stem) * weight);
        held.sum::<f64>() / total
    } else {
        0.0
    }
}

/// Returns whether two publishers hardly give a value by chance: it has a unit, or more
/// than one digit.
fn tells(value: &Value) -> bool {
    match value {
        Value::Number(quantity) => quantity.unit.is_some() || quantity.low >= TELLING,
        _ => true,
    }
}

/// Returns what it costs that a sentence without a value does not have the technical terms of the
/// question near it.
fn lacking_terms(sentence: &Sentence<'_>, weights: &BTreeMap<&str, f64>) -> f64 {
    let is_technical = |stem: &&&str| !is_general_verb(stem) && !is_general_word(stem);
    let is_near = |stem: &&str| sentence.holds(stem) || sentence.distance_of(stem).is_some();
    let terms = weights.keys().filter(is_technical);
    terms.filter(|stem| !is_near(stem)).map(|_| LACKING).sum()
}

#[expect(clippy::cast_precision_loss, reason = "a question has few words")]
fn count(number: usize) -> f64 {
    number as f64
}

pub(super) fn has_unit(value: &Value) -> bool {
    matches!(value, Value::Number(quantity) if quantity.unit.is_some())
}

impl Asked {
    /// Returns how much of what is around a sentence counts. Only the default of an option, and
    /// what happened to it, is stated apart from what it is about.
    pub(super) fn around(&self, sentence: &Sentence<'_>) -> f64 {
        let is_event = matches!(self.expected, Expected::Version | Expected::Date);
        let states_default = || qualifiers::said(sentence.text).contains("default");
        let asks_default = self.qualifiers.contains("default");
        let is_other = self.expected == Expected::Other;
        if is_event || is_other && asks_default || !is_other && states_default() {
            1.0
        } else {
            NOT_DEFAULT
        }
    }

    /// Returns the place of the quote of a sentence: with the term that it defines, if the question
    /// asks for a name.
    pub(super) fn quote(&self, sentence: &Sentence<'_>) -> Range<usize> {
        let whole = sentence.with_term.clone();
        let is_near = sentence.stems_before.len() <= MOST_BETWEEN;
        if self.kind.is_some() && is_near && whole.len() <= LONGEST_QUOTE {
            whole
        } else {
            sentence.span.clone()
        }
    }

    /// Returns what it costs that names and identifiers of the question are not near a sentence.
    /// `None` if it lacks what is defined elsewhere, or what no sentence has.
    pub(super) fn lacking(&self, sentence: &Sentence<'_>, known: &Known) -> Option<f64> {
        let near = sentence.near();
        let mut cost = 0.0;
        for name in &self.names {
            if name.chars().count() > 1 && !near.holds(name) {
                cost += LACKING;
                if !known.names.contains(name) {
                    return None;
                }
            }
        }
        // Of *stripe size*, the size of something else does not answer.
        let is_without = |stem: &String| {
            let mut near = near.words.iter();
            !near.any(|own| own == stem || have_one_meaning(stem, own))
        };
        if self.modifier.as_ref().is_some_and(is_without) {
            cost += LACKING_PART;
        }
        // Neither does the size of something else of *size of a stripe*.
        if self.object.as_ref().is_some_and(is_without) {
            cost += LACKING;
            if !self.is_amount && known.has_object {
                return None;
            }
        }

        let lacks = |one: &&String| !near.tells(one);
        cost += self
            .identifiers
            .iter()
            .filter(lacks)
            .map(|_| LACKING)
            .sum::<f64>();
        // What no sentence has is something else; a file may be named in passing.
        let is_unknown = |one: &&String| !one.contains('.') && !known.told.contains(*one);
        if self.identifiers.iter().any(|one| is_unknown(&one)) {
            return None;
        }
        if self.defines_another(sentence) {
            return None;
        }
        let lacks_defined = known.defined.iter().any(|one| lacks(&one));
        (!lacks_defined).then_some(cost)
    }
}

/// The names and identifiers of a question that sentences have, and those that they define.
pub(super) struct Known {
    names: BTreeSet<String>,
    told: BTreeSet<String>,
    defined: BTreeSet<String>,
    /// Whether a sentence has what the noun of the question is of.
    has_object: bool,
}

impl Known {
    pub(super) fn new(asked: &Asked, sentences: &[Sentence<'_>]) -> Self {
        let near: Vec<&Near> = sentences.iter().map(Sentence::near).collect();
        let is_known = |name: &&String| near.iter().any(|one| one.holds(name));
        let is_told = |one: &&String| near.iter().any(|own| own.tells(one));
        let terms: BTreeSet<String> = sentences
            .iter()
            .flat_map(|sentence| identifiers(sentence.term).map(lower))
            .collect();

        let joined = asked
            .said
            .iter()
            .filter(|one| one.contains(['-', '_', '.']));
        let compound = asked.identifiers.iter().chain(joined);
        let is_defined = |one: &&String| terms.contains(*one);
        Self {
            names: asked.names.iter().filter(is_known).cloned().collect(),
            told: asked.identifiers.iter().filter(is_told).cloned().collect(),
            defined: compound.filter(is_defined).cloned().collect(),
            has_object: asked
                .object
                .as_ref()
                .is_some_and(|object| is_known(&object)),
        }
    }
}

/// Returns what it adds that the question has words that the term or heading of a sentence has.
#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of words are far below 2^52"
)]
pub(super) fn by_term(asked: &Asked, sentence: &Sentence<'_>) -> f64 {
    let named = &sentence.stems_named;
    if named.is_empty() || named.len() > LONGEST_TERM {
        return 0.0;
    }
    let is_asked = |stem: &&String| {
        let mut asked = asked.stems.iter();
        asked.any(|own| own == *stem || have_one_meaning(own, stem))
    };
    BY_TERM * named.iter().filter(is_asked).count() as f64 / named.len() as f64
}
