//! Words that say which of several values a value is: the default, the maximum, an old one.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use research_agents_report::text::words;
use research_agents_report::trust::value::{Bound, Value};

/// Words of a question that ask for the most that is possible: *how large may a page be*.
const POSSIBLE: [&str; 2] = ["may", "can"];

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

/// Returns the qualifiers in a string.
pub(super) fn qualifiers(text: &str) -> BTreeSet<&'static str> {
    let found = all(text).into_iter();
    found.filter(|name| !name.ends_with(IF_ASKED)).collect()
}

/// Returns the qualifiers in a string, with those that only count if they are asked for.
fn all(text: &str) -> BTreeSet<&'static str> {
    let words: Vec<String> = words(text).into_iter().map(|word| word.lower).collect();
    let holds = |phrase: &Phrase| words.windows(phrase.len()).any(|part| part == phrase);
    QUALIFIERS
        .iter()
        .filter(|(_, phrases)| phrases.iter().any(holds))
        .map(|(name, _)| *name)
        .collect()
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
