//! Statements of one property in different words: *is 12 km long* and *has a length of 31 km*.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::check::grounded::lexicon::{ENGLISH, Relation};
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::token::Kind;
use crate::trust::value::{Bound, Sameness, Value, compare};

/// A phrase of `rules/en/frames.txt`.
struct Phrase {
    /// The property that it states.
    property: &'static str,
    /// The keys of its words.
    words: Vec<String>,
}

/// The phrases of all properties, the longest first.
static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let lines = include_str!("../../rules/en/frames.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let mut phrases: Vec<Phrase> = lines
        .filter_map(|line| line.split_once(':'))
        .flat_map(|(property, phrases)| {
            phrases.split('|').map(move |phrase| {
                let words = phrase.split_whitespace();
                let words = words.map(|word| ENGLISH.phrase_key(word)).collect();
                Phrase { property, words }
            })
        })
        .collect();
    phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.words.len()));
    phrases
});

/// Name of the line with words that are not compared.
const LIGHT: &str = "light";

/// The property that only one thing has: the latest release.
const ALONE: &str = "latest";

/// What a statement says of which thing.
struct Framed {
    /// The properties that it states.
    properties: BTreeSet<&'static str>,
    /// The stems of the words that say which thing.
    subject: BTreeSet<String>,
}

impl Framed {
    fn new(parsed: &Parsed) -> Self {
        let keys: Vec<Option<String>> = parsed
            .tokens
            .iter()
            .map(|token| match token.kind {
                Kind::Mark(_) | Kind::Number(_) => None,
                _ => Some(ENGLISH.phrase_key(&token.lower)),
            })
            .collect();

        // Most phrases are not there, which their first words tell.
        let known: BTreeSet<&String> = keys.iter().flatten().collect();
        let can_begin = |words: &[String]| words.first().is_some_and(|one| known.contains(one));
        let phrases = PHRASES.iter().filter(|phrase| can_begin(&phrase.words));

        // A word belongs to the longest phrase.
        let mut properties = BTreeSet::new();
        let mut is_cue = vec![false; keys.len()];
        for Phrase { property, words } in phrases {
            for at in 0..keys.len().saturating_sub(words.len() - 1) {
                let mut pairs = keys[at..].iter().zip(words);
                let place = at..at + words.len();
                if is_cue[place.clone()].contains(&true)
                    || !pairs.all(|(word, cue)| word.as_ref() == Some(cue))
                {
                    continue;
                }
                is_cue[place].fill(true);
                if *property != LIGHT {
                    properties.insert(*property);
                }
            }
        }

        // A bound alone is a limit.
        if properties.is_empty() {
            properties.extend(parsed.values.iter().filter_map(|value| limit(&value.value)));
        }

        let words = parsed.tokens.iter().zip(&is_cue);
        let subject = words
            .filter(|(token, is_cue)| token.is_content() && !**is_cue)
            .map(|(token, _)| token.stem.clone())
            .collect();
        Self {
            properties,
            subject,
        }
    }

    /// Returns whether two statements are about the same properties of the same thing.
    fn is_about(&self, other: &Self) -> bool {
        let has = |subject: &BTreeSet<String>, word: &String| {
            subject.iter().any(|one| {
                let relation = ENGLISH.relation(one, word);
                matches!(relation, Some(Relation::Same | Relation::Synonym))
            })
        };
        let all = |a: &Self, b: &Self| a.subject.iter().all(|word| has(&b.subject, word));
        !self.properties.is_empty()
            && self.properties == other.properties
            && (!self.subject.is_empty() || self.properties.contains(ALONE))
            && all(self, other)
            && all(other, self)
    }
}

/// Returns the property that a bound states.
fn limit(value: &Value) -> Option<&'static str> {
    let Value::Number(quantity) = value else {
        return None;
    };
    match quantity.bound {
        Bound::AtMost | Bound::Less => Some("limit"),
        Bound::AtLeast | Bound::More => Some("minimum"),
        Bound::Exact | Bound::About => None,
    }
}

/// Returns values, one of each statement, that one property of one thing cannot both have.
pub(crate) fn differing_in_frame(said: &Parsed, held: &Parsed) -> Option<(usize, usize)> {
    // The values that no value of the other statement agrees with.
    let open = |parsed: &Parsed, other: &Parsed| -> Vec<usize> {
        let values = parsed.values.iter().enumerate();
        let open = values.filter(|(_, value)| {
            let mut others = other.values.iter();
            !others.any(|other| agree(&value.value, &other.value))
        });
        open.map(|(at, _)| at).collect()
    };
    let (first, second) = (open(said, held), open(held, said));

    let ([first], [second]) = (first.as_slice(), second.as_slice()) else {
        return None;
    };

    let one = Framed::new(said);
    if one.properties.is_empty() {
        return None;
    }
    let two = Framed::new(held);
    if !one.is_about(&two) {
        return None;
    }
    // *No longer* is a phrase of a property and not a denial.
    let is_denied = |parsed: &Parsed| !parsed.negations.is_empty();
    if is_denied(said) != is_denied(held) && !one.properties.contains("removal") {
        return None;
    }
    let (a, b) = (&said.values[*first].value, &held.values[*second].value);
    let fits = |property: &&str| fits(property, a) && fits(property, b);
    if !one.properties.iter().any(fits) {
        return None;
    }
    is_comparable(a, b).then_some((*first, *second))
}

/// Returns whether two values agree. Bounds of a rule agree only if they are the same.
fn agree(a: &Value, b: &Value) -> bool {
    let is_same_bound = match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a.bound == Bound::Exact || b.bound == Bound::Exact || (a.low, a.high) == (b.low, b.high)
        }
        _ => true,
    };
    is_same_bound && compare(a, b) != Sameness::Different
}

/// Properties whose values are dates.
const DATED: [&str; 8] = [
    "founding", "building", "effect", "launch", "birth", "death", "opening", "closing",
];
/// Properties of software, whose values are dates or versions.
const VERSIONED: [&str; 3] = ["introduction", "removal", "deprecation"];
/// Properties whose values are spans of time.
const TIMED: [&str; 2] = ["duration", "retention"];
/// Properties that values of every type can have.
const ANY: [&str; 2] = ["minimum", "default"];

/// Returns whether a value can be one of a property.
fn fits(property: &str, value: &Value) -> bool {
    let dimension = match value {
        Value::Number(number) => number.unit.as_ref().map(|unit| unit.dimension.as_str()),
        _ => None,
    };
    let is_date = matches!(value, Value::Date(_));
    let is_version = matches!(value, Value::Version(_));

    match property {
        one if DATED.contains(&one) => is_date,
        one if VERSIONED.contains(&one) => is_date || is_version,
        one if TIMED.contains(&one) => dimension == Some("time"),
        one if ANY.contains(&one) => true,
        ALONE => is_version,
        _ => matches!(value, Value::Number(_)),
    }
}

/// Returns whether two values can answer the same question.
pub(crate) fn is_comparable(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (&a.unit, &b.unit) {
            (Some(a), Some(b)) => a.dimension == b.dimension,
            (None, None) => true,
            _ => false,
        },
        (Value::Date(_), Value::Date(_)) | (Value::Version(_), Value::Version(_)) => true,
        (Value::Version(_), Value::Number(number)) | (Value::Number(number), Value::Version(_)) => {
            number.unit.is_none()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;

    #[track_caller]
    fn check(a: &str, b: &str, expected: bool) {
        let (a, b) = (
            Parsed::new(a, Language::ENGLISH),
            Parsed::new(b, Language::ENGLISH),
        );
        assert_eq!(differing_in_frame(&a, &b).is_some(), expected);
        assert_eq!(differing_in_frame(&b, &a).is_some(), expected);
    }

    #[test]
    fn one_property_in_other_words_is_compared() {
        check(
            "The path is 12 km long.",
            "The path has a length of 31 km.",
            true,
        );
        check("The path is 12 km long.", "The path is 31 m wide.", false);
        check(
            "The path is 12 km long.",
            "The southern path is 31 km long.",
            false,
        );
        check(
            "The path is 12 km long.",
            "The path has a length of 12,000 m.",
            false,
        );
    }
}
