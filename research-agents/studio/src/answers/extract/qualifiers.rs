//! Words that say which of several values a value is: the default, the maximum, an old one.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use research_agents_report::text::{Word, words};
use research_agents_report::trust::value::{Bound, Value};

/// Words of a question that ask for the most that is possible: *how large may a page be*.
const POSSIBLE: [&str; 2] = ["may", "can"];

/// Words that say of a value that it is old, if a time or a version follows.
const OLD_UP_TO: [&str; 3] = ["before", "until", "till"];

/// Words that follow each other.
type Phrase = Vec<&'static str>;

/// By qualifier, its phrases.
static QUALIFIERS: LazyLock<Vec<(&str, Vec<Phrase>)>> = LazyLock::new(|| {
    let lines = include_str!("../../../rules/en/qualifiers.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(':'))
        .map(|(name, phrases)| {
            let phrases = phrases.split('|');
            (
                name,
                phrases
                    .map(|one| one.split_whitespace().collect())
                    .collect(),
            )
        })
        .collect()
});

/// What follows the name of a qualifier whose phrases never say that a value is another one.
const IF_ASKED: &str = " if asked";

/// What follows the name of a qualifier whose phrases count in questions alone.
const IN_QUESTIONS: &str = " in questions";

/// Returns the qualifiers in a string.
pub(super) fn qualifiers(text: &str) -> BTreeSet<&'static str> {
    let found = all(text).into_iter();
    found.filter(|name| !name.ends_with(IF_ASKED)).collect()
}

/// Returns the qualifiers that a string may state, if one is asked for.
pub(super) fn said(text: &str) -> BTreeSet<&'static str> {
    let all = all(text).into_iter();
    all.map(|name| name.strip_suffix(IF_ASKED).unwrap_or(name))
        .collect()
}

/// Returns the qualifiers in a string, with those that only count if they are asked for.
fn all(text: &str) -> BTreeSet<&'static str> {
    let words: Vec<String> = words(text).into_iter().map(|word| word.lower).collect();
    let holds = |phrase: &Phrase| {
        let mut places = words.windows(phrase.len()).enumerate();
        places.any(|(at, part)| {
            let is_denied = at > 0 && words[at - 1] == "non";
            let next = words.get(at + 1).map(String::as_str).unwrap_or_default();
            let has_time = next == "version" || next.starts_with(|c: char| !c.is_alphabetic());
            // *Until a client has sent it* is about an order.
            let is_order = phrase.len() == 1 && OLD_UP_TO.contains(&phrase[0]) && !has_time;
            part == phrase && !is_denied && !is_order
        })
    };
    QUALIFIERS
        .iter()
        .filter(|(name, phrases)| !name.ends_with(IN_QUESTIONS) && phrases.iter().any(holds))
        .map(|(name, _)| *name)
        .collect()
}

/// Returns the places of the words that ask for a default in another way, as *unless
/// told otherwise* does.
pub(super) fn default_words(words: &[Word<'_>]) -> BTreeSet<usize> {
    let name = format!("default{IN_QUESTIONS}");
    let phrases = QUALIFIERS.iter().filter(|(own, _)| *own == name);
    let mut places = BTreeSet::new();
    for phrase in phrases.flat_map(|(_, phrases)| phrases) {
        for (at, part) in words.windows(phrase.len()).enumerate() {
            let own = part.iter().map(|word| word.lower.as_str());
            if own.eq(phrase.iter().copied()) {
                places.extend(at..at + phrase.len());
            }
        }
    }
    places
}

/// Whether a sentence is about now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Age {
    /// About what was true once.
    Old,
    /// It does not say.
    Open,
    /// About a value that replaced another one.
    New,
}

/// Returns whether a sentence is about now.
pub(super) fn age(text: &str) -> Age {
    let all = all(text);
    let new = format!("changed{IF_ASKED}");
    if all.contains(new.as_str()) {
        Age::New
    } else if all.contains("old") {
        Age::Old
    } else {
        Age::Open
    }
}

/// Returns the qualifiers that a question asks for.
pub(super) fn asked(question: &str) -> BTreeSet<&'static str> {
    let mut found = qualifiers(question);
    let words = words(question);
    if !default_words(&words).is_empty() {
        found.insert("default");
    }

    // *Before it closes* is about an order, and *before version 3* about what is old.
    let is_number = |word: &Word<'_>| word.is_number() || word.lower == "version";
    let has_time = words
        .windows(2)
        .any(|pair| OLD_UP_TO.contains(&pair[0].lower.as_str()) && is_number(&pair[1]));
    let is_up_to = |word: &Word<'_>| OLD_UP_TO.contains(&word.lower.as_str());
    if words.iter().any(is_up_to) && !has_time {
        found.remove("old");
    }

    let is_how = words.first().is_some_and(|word| word.lower == "how");
    let is_possible = words
        .iter()
        .any(|word| POSSIBLE.contains(&word.lower.as_str()));
    if is_how && is_possible && !found.contains("minimum") {
        found.insert("maximum");
    }
    found
}

/// Returns whether a word is a qualifier by itself.
pub(super) fn is_qualifier(word: &str) -> bool {
    let mut phrases = QUALIFIERS.iter().flat_map(|(_, phrases)| phrases);
    phrases.any(|phrase| phrase == &[word])
}

/// Returns whether a value in a clause is the one that is asked for. The clauses before it, and
/// what is `above` the sentence, may say that it is, and not that it is another one.
pub(super) fn fit(
    asked: &BTreeSet<&'static str>,
    (before, clause): (&str, &str),
    above: &BTreeSet<&'static str>,
    value: &Value,
) -> bool {
    let bound = match value {
        Value::Number(quantity) => quantity.bound,
        _ => Bound::Exact,
    };
    let by_bound = match bound {
        Bound::AtMost | Bound::Less => Some("maximum"),
        Bound::AtLeast | Bound::More => Some("minimum"),
        _ => None,
    };

    let (before, clause) = (all(before), all(clause));
    let is_held = |name: &&'static str| {
        let weak = format!("{name}{IF_ASKED}");
        clause.contains(name)
            || clause.contains(weak.as_str())
            || before.contains(name)
            || above.contains(name)
            || by_bound == Some(*name)
    };
    // *At least two* says how few, and not how many.
    let is_other_bound = by_bound.is_some_and(|name| !asked.contains(name));
    let is_allowed = |name: &&str| name.ends_with(IF_ASKED) || asked.contains(name);
    !is_other_bound && asked.iter().all(is_held) && clause.iter().all(is_allowed)
}
