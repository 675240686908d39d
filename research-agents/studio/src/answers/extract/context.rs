//! Answers of sentences that are about the question only together with what is before them: *The
//! default is 150*, below an option and its description.

use std::collections::{BTreeMap, BTreeSet};

use research_agents_report::check::grounded::{have_one_meaning, is_general_verb, is_general_word};
use research_agents_report::text::{Word, is_stop, words};
use research_agents_report::trust::value::{
    Bound, Quantity, Sameness, Typed, Value, compare, values,
};

use crate::answers::extract::asked::{
    Asked, LEAST_WORDS, MOST_QUOTES, TIMES, is_change, is_denied, measures_same,
};
use crate::answers::extract::expected::Expected;
use crate::answers::extract::qualifiers;
use crate::answers::extract::sentence::Sentence;

/// Minimum share of the weight of a question's words that a sentence holds with what is before it.
const LEAST_SHARE: f64 = 0.3;
/// Minimum rank of a sentence with a value.
const LEAST_RANK: f64 = 0.65;
/// Minimum rank of a sentence without one.
const LEAST_RANK_OTHER: f64 = 0.75;
/// Share of the best rank that a sentence of another publisher must have.
const NEAR_BEST: f64 = 0.75;
/// Minimum share of a sentence of another publisher than the one that answers.
const LEAST_OF_OTHERS: f64 = 0.4;
/// Share of the best rank from which another value of the same publisher makes it uncertain which
/// one is meant.
const AS_GOOD: f64 = 0.95;

/// Weight of a word that is only before the sentence, less for each sentence between.
const BEFORE: [f64; 4] = [0.9, 0.75, 0.6, 0.5];
/// Weight of a word that is only above the sentence.
const ABOVE: f64 = 0.7;
/// Part of these weights that counts for a sentence without a value.
const QUOTED_AROUND: f64 = 0.6;
/// Weight of another word with the same meaning.
const ANOTHER_WORD: f64 = 0.6;
/// How much more a name or a technical term weighs than a general word, and how much less a verb.
const TECHNICAL: f64 = 1.5;
const VERB: f64 = 0.7;
/// What the score of the passage adds to the rank of a sentence, at most.
const BY_SCORE: f64 = 0.3;
/// What a default adds to the rank of a sentence.
const BY_DEFAULT: f64 = 0.15;
/// What a unit that fits adds to the rank of a sentence.
const BY_UNIT: f64 = 0.1;

/// Range of the weight of a word. It is narrow: passages are found by words of the subject, which
/// are therefore frequent in them, and a rare word is often only another way to say something.
const LEAST_WEIGHT: f64 = 0.6;
const MOST_WEIGHT: f64 = 1.0;
/// Weight of a word that no sentence has.
const UNKNOWN: f64 = 0.25;
/// Minimum number of words of a sentence that states a default.
const LEAST_OF_DEFAULT: usize = 3;

/// Words between *default* and what it is the default of.
const FILLERS: [&str; 7] = [
    "value", "values", "setting", "number", "limit", "size", "built",
];

/// A sentence with its rank and its value.
pub(super) type Found<'s, 'p> = (f64, &'s Sentence<'p>, Option<Value>);

/// Finds the sentences that answer a question with what is before them: the best one of each
/// publisher, or the best ones if the answer has no type. Nothing is found if a publisher gives
/// another value that may be meant as well.
pub(super) fn by_context<'s, 'p>(
    asked: &Asked,
    sentences: &'s [Sentence<'p>],
    site: impl Fn(&Sentence<'p>) -> String,
) -> Vec<Found<'s, 'p>> {
    let weights = weights(asked, sentences);
    let scores = best_scores(sentences, &site);
    let mut found: Vec<Found<'s, 'p>> = Vec::new();
    for sentence in sentences {
        // What has no type must be said by the sentence itself.
        let around = if asked.expected == Expected::Other {
            QUOTED_AROUND
        } else {
            1.0
        };
        let share = share(sentence, &weights, around);
        if share < LEAST_SHARE || !asked.is_named_near(sentence) {
            continue;
        }
        let best = scores.get(&site(sentence)).copied().unwrap_or_default();
        let own = sentence.passage.found.score.unwrap_or_default();
        let relative = if best > 0.0 {
            f64::from(own / best)
        } else {
            0.0
        };
        let is_default = qualifiers::qualifiers(sentence.text).contains("default");
        let by_default = if is_default { BY_DEFAULT } else { 0.0 };
        let rank = share + BY_SCORE * relative + by_default;

        if asked.expected == Expected::Other {
            // Who asks for a default is not helped by what else is said about the option.
            let asks_default = asked.qualifiers.contains("default");
            let least = if asks_default {
                LEAST_OF_DEFAULT
            } else {
                LEAST_WORDS
            };
            let is_apart = asks_default && !qualifiers::said(sentence.text).contains("default");
            if rank >= LEAST_RANK_OTHER && !is_apart && sentence.says_something(least) {
                found.push((rank, sentence, None));
            }
        } else if rank >= LEAST_RANK
            && let Some(value) = asked.value_near(sentence)
        {
            let by_unit = if has_unit(&value) { BY_UNIT } else { 0.0 };
            found.push((rank + by_unit, sentence, Some(value)));
        }
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut kept = chosen(found, &site);
    let others = of_others(asked, sentences, &weights, &site, &kept);
    kept.extend(others);
    kept
}

/// Finds what other publishers say to a question that one has answered: the best sentence of each
/// that gives a value of the same measure. It need not call it a default.
fn of_others<'s, 'p>(
    asked: &Asked,
    sentences: &'s [Sentence<'p>],
    weights: &BTreeMap<&str, f64>,
    site: impl Fn(&Sentence<'p>) -> String,
    kept: &[Found<'s, 'p>],
) -> Vec<Found<'s, 'p>> {
    let Some((rank, _, Some(known))) = kept.first() else {
        return Vec::new();
    };
    let sites: BTreeSet<String> = kept.iter().map(|(_, one, _)| site(one)).collect();
    let mut best: BTreeMap<String, Found<'s, 'p>> = BTreeMap::new();
    for sentence in sentences {
        let own = site(sentence);
        let share = share(sentence, weights, 1.0);
        if sites.contains(&own) || share < LEAST_OF_OTHERS || !asked.is_named_near(sentence) {
            continue;
        }
        let Some(value) = asked.value_beside(sentence, known) else {
            continue;
        };
        let is_better = best.get(&own).is_none_or(|(known, ..)| share > *known);
        if is_better {
            best.insert(own, (share, sentence, Some(value)));
        }
    }

    // They get the rank of the first answer, so that no later limit on ranks removes them.
    let ranked = best.into_values();
    ranked
        .map(|(_, sentence, value)| (*rank, sentence, value))
        .collect()
}

/// Chooses among sentences, which are sorted by their ranks.
fn chosen<'s, 'p>(
    found: Vec<Found<'s, 'p>>,
    site: &impl Fn(&Sentence<'p>) -> String,
) -> Vec<Found<'s, 'p>> {
    let best = found.first().map_or(0.0, |(rank, ..)| *rank);
    let mut kept: Vec<Found<'s, 'p>> = Vec::new();
    for (rank, sentence, value) in found {
        let mut same_site = kept
            .iter()
            .filter(|(_, other, _)| site(other) == site(sentence));
        let first = same_site.next();
        let differs = |other: &Option<Value>| match (&value, other) {
            (Some(a), Some(b)) => compare(a, b) != Sameness::Same,
            _ => false,
        };

        match first {
            Some((first, _, other)) if rank >= AS_GOOD * first && differs(other) => {
                return Vec::new();
            }
            None if rank >= NEAR_BEST * best => kept.push((rank, sentence, value)),
            Some(_) if value.is_none() && kept.len() < MOST_QUOTES => {
                kept.push((rank, sentence, None));
            }
            _ => {}
        }
    }
    kept
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
fn weights<'a>(asked: &'a Asked, sentences: &[Sentence<'_>]) -> BTreeMap<&'a str, f64> {
    let all = sentences.len() as f64;
    let weight = |stem: &String| {
        let has = |one: &&Sentence<'_>| one.holds(stem) || one.distance_of(stem).is_some();
        let own = sentences.iter().filter(has).count() as f64;
        if own > 0.0 {
            let weight = (1.0 + (all - own + 0.5) / (own + 0.5)).ln();
            let weight = weight.clamp(LEAST_WEIGHT, MOST_WEIGHT);
            if is_general_verb(stem) {
                VERB * weight
            } else if is_general_word(stem) {
                weight
            } else {
                TECHNICAL * weight
            }
        } else {
            UNKNOWN
        }
    };

    let stems = asked.stems.iter();
    stems.map(|stem| (stem.as_str(), weight(stem))).collect()
}

/// Returns the share of the weight that a sentence holds with what is before and above it, of which
/// `around` counts.
fn share(sentence: &Sentence<'_>, weights: &BTreeMap<&str, f64>, around: f64) -> f64 {
    let total: f64 = weights.values().sum();
    let part = |stem: &str| {
        if sentence.stems.contains(stem) {
            return 1.0;
        }
        let before = sentence.distance_of(stem);
        let before = before.and_then(|distance| BEFORE.get(distance)).copied();
        let above = if sentence.holds(stem) { ABOVE } else { 0.0 };
        let own = before.unwrap_or_default().max(above);
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
        let before = sentence.stems_before.iter().position(has_other);
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

fn has_unit(value: &Value) -> bool {
    matches!(value, Value::Number(quantity) if quantity.unit.is_some())
}

/// Returns whether a value is one that somebody may set: *setting this to 0 disables it*.
fn is_set_to(text: &str, typed: &Typed) -> bool {
    let before = words(&text[..typed.core.start]);
    let last = before.iter().rev().take(4).map(|word| word.lower.as_str());
    let last: Vec<&str> = last.collect();
    last.first() == Some(&"to") && last.iter().any(|word| ["set", "setting"].contains(word))
}

/// Returns whether what follows a number is a word for things, so that the number counts them.
fn counts_something(after: &str) -> bool {
    let next = after.trim_start();
    let is_word = next.starts_with(char::is_alphabetic) && next.len() < after.len();
    let first = words(next).into_iter().next();
    is_word && first.is_some_and(|word| !is_stop(&word.lower))
}

impl Asked {
    /// Returns whether the names, numbers and identifiers of the question are near a sentence.
    fn is_named_near(&self, sentence: &Sentence<'_>) -> bool {
        let near = [&*sentence.above, &*sentence.before, sentence.text].join(" ");
        let held: BTreeSet<&str> = words(&near).into_iter().map(|word| word.text).collect();
        let has_acronym = |name: &String| held.contains(name.as_str());

        let near = near.to_lowercase();
        let held: BTreeSet<String> = words(&near).into_iter().map(|word| word.lower).collect();
        let has_name = |name: &String| held.contains(name);
        let has_identifier = |one: &String| near.contains(one.as_str());
        self.acronyms.iter().all(has_acronym)
            && self.names.iter().all(has_name)
            && self.identifiers.iter().all(has_identifier)
    }

    /// Returns whether what is counted is near a sentence. When something happened and in which
    /// version is for one sentence to say.
    fn is_counted_near(&self, sentence: &Sentence<'_>) -> bool {
        let noun = match &self.expected {
            Expected::Count { noun } => noun,
            Expected::Date | Expected::Version => return false,
            _ => return true,
        };
        let has_other = |stems: &BTreeSet<String>| {
            let mut stems = stems.iter();
            stems.any(|other| have_one_meaning(noun, other))
        };
        let is_own = sentence.stems.contains(noun) || sentence.distance_of(noun).is_some();
        is_own || has_other(&sentence.stems) || sentence.stems_before.iter().any(has_other)
    }

    /// Returns the value of a sentence that can be compared with a known answer, if it is the only
    /// one.
    fn value_beside(&self, sentence: &Sentence<'_>, known: &Value) -> Option<Value> {
        let all = values(sentence.text, sentence.language);
        let mut fitting = all.iter().filter(|typed| {
            let fits = self.fits_near(typed, sentence.text);
            let same = compare(&typed.value, known);
            fits && (same == Sameness::Same || measures_same(&typed.value, known))
        });
        let first = fitting.next()?;
        fitting.next().is_none().then(|| first.value.clone())
    }

    /// Returns the value that a sentence gives as the answer, if what is before it says what it is.
    fn value_near(&self, sentence: &Sentence<'_>) -> Option<Value> {
        if !self.is_counted_near(sentence) {
            return None;
        }
        let own = qualifiers::qualifiers(sentence.text);
        let before = qualifiers::qualifiers(&sentence.before);
        // A default is stated by its own sentence; that it is a maximum may be said before it.
        let said = qualifiers::said(sentence.text);
        let is_held = |name: &&'static str| {
            said.contains(*name) || *name != "default" && before.contains(name)
        };
        let is_default = said.contains("default");
        let is_other = |name: &&'static str| {
            let is_asked = self.qualifiers.contains(name);
            !(is_asked || *name == "default" && self.qualifiers.is_empty())
        };
        // Only the default of an option is stated apart from what it is the default of.
        if !is_default || !self.qualifiers.iter().all(is_held) || own.iter().any(is_other) {
            return None;
        }

        let all = values(sentence.text, sentence.language);
        let fitting: Vec<&Typed> = all
            .iter()
            .filter(|typed| self.fits_near(typed, sentence.text))
            .filter(|typed| own.contains("default") || !is_set_to(sentence.text, typed))
            .collect();
        let default = sentence.text.to_lowercase().find("default");
        let chosen = match default {
            Some(start) => {
                let after = fitting.iter().find(|typed| typed.core.start > start);
                after.or(fitting.last())
            }
            None => fitting.first().filter(|_| fitting.len() == 1),
        };
        let typed = chosen?;

        // What is said between the word and the value must not deny it, or be about something else.
        let start = default.filter(|start| *start < typed.core.start);
        let stated = start.and_then(|start| sentence.text.get(start..typed.core.end));
        let stated = words(stated.unwrap_or_default());
        let is_apart = stated
            .first()
            .zip(stated.get(1))
            .is_none_or(|(word, next)| {
                let text = sentence.text.get(start.unwrap_or_default()..);
                let between = text.and_then(|text| text.get(word.end..next.start));
                between.is_none_or(|between| !between.trim().is_empty())
            });
        let is_own = is_apart || self.is_default_of(&stated[1..]);
        let is_denied = is_denied(&stated) != self.is_denied;
        (is_own && !is_denied).then(|| typed.value.clone())
    }

    /// Returns whether the words after *default* name what is asked for, or nothing.
    fn is_default_of(&self, stated: &[Word<'_>]) -> bool {
        let is_filler = |word: &&Word<'_>| {
            let lower = word.lower.as_str();
            FILLERS.contains(&lower) || qualifiers::is_qualifier(lower)
        };
        let named = stated.iter().find(|word| !is_filler(word));
        named.is_none_or(|word| {
            let is_time = TIMES.contains(&word.lower.as_str());
            let is_asked = self
                .stems
                .iter()
                .any(|stem| *stem == word.stem || have_one_meaning(stem, &word.stem));
            let is_noun = self.noun.as_ref() == Some(&word.stem);
            is_stop(&word.lower) || word.is_number() || is_asked || is_noun || is_time
        })
    }

    /// Returns whether a value is of the expected type, where the noun and the unit may be before
    /// the sentence.
    fn fits_near(&self, typed: &Typed, text: &str) -> bool {
        let core = &text[typed.core.clone()];
        let before = &text[..typed.core.start];
        let is_part = before.ends_with(['/', '.', '-', '_'])
            || before.ends_with('(') && !before.ends_with(" (");
        let is_asked = self.names.contains(&core.to_lowercase());
        if is_part || is_asked || is_change(text, typed) {
            return false;
        }

        let is_pronoun = core.eq_ignore_ascii_case("one");
        let is_exact = |quantity: &Quantity| {
            let bounds = [Bound::Exact, Bound::About, Bound::AtMost];
            bounds.contains(&quantity.bound) && !quantity.is_range()
        };
        match (&self.expected, &typed.value) {
            (Expected::Count { .. }, Value::Number(quantity)) => {
                quantity.unit.is_none() && is_exact(quantity) && !is_pronoun
            }
            (Expected::Amount { dimensions }, Value::Number(quantity)) => {
                let fits = match &quantity.unit {
                    Some(unit) => dimensions.is_empty() || dimensions.contains(&unit.dimension),
                    None => !is_pronoun && !counts_something(&text[typed.core.end..]),
                };
                fits && is_exact(quantity)
            }
            (expected, value) => expected.fits(value),
        }
    }
}
