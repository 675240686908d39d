//! Decides whether a difference shows that a sentence is false, or only makes it doubtful.
//!
//! A difference is a contradiction where the sentence otherwise repeats its passage:
//! then the one word that differs makes the difference. In a free paraphrase the same difference
//! may be the work of the paraphrase, so that the sentence is unsure.

use crate::check::grounded::align::{Alignment, Link, Unit};
use crate::check::grounded::lexicon::{ENGLISH, Relation};
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::rules::conditions;
use crate::language::Language;
use crate::text::words::fold;
use crate::trust::value::values;

/// The least share of content words that a sentence has from its passage, in any form, if it
/// repeats it.
const REPEATED: f64 = 0.75;

/// Words that turn a statement into its opposite for some cases: *not … until* is *only when*.
const EXCLUSIVE: [&str; 8] = [
    "unless", "until", "till", "only", "except", "without", "instead", "rather",
];

/// The least share of words for an exchange to be one: a paraphrase that turns a statement round
/// has some other words.
const REPEATED_TURNED: f64 = 0.9;

/// Phrases that draw a conclusion from the sentence before.
const CONCLUSIONS: [&str; 4] = ["that means", "this means", "which means", "as a result"];

/// Words that state a possibility and not a fact.
const POSSIBLE: [&str; 5] = ["can", "could", "may", "might", "would"];

/// Returns the words that make a sentence doubtful, if a difference does not show that it is false.
pub(crate) fn doubts(
    mismatch: &Mismatch,
    sentence: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    passage: &str,
    within: impl Fn(usize) -> bool + Copy,
) -> Option<Vec<String>> {
    let share = repeated(alignment, within);
    let is_free = share < REPEATED;
    let own = |words: &[&String]| Some(words.iter().map(|word| (*word).clone()).collect());

    match mismatch {
        // The passage has it in another sentence.
        Mismatch::Name { name } if has_words(passage, name) => own(&[name]),
        Mismatch::Value { value } if is_free && gives(passage, value) => own(&[value]),
        Mismatch::OtherOwner { value, .. } if is_free || is_in_brackets(&unit.parsed, value) => {
            own(&[value])
        }
        Mismatch::Denied { words } if is_free || other_scope(sentence, &unit.parsed, alignment) => {
            own(&[words])
        }
        Mismatch::Opposite { said, .. } if is_free || has_words(&unit.parsed.text, said) => {
            own(&[said])
        }
        Mismatch::Exchanged { first, second }
            if share < REPEATED_TURNED || has_be(sentence) != has_be(&unit.parsed) =>
        {
            own(&[first, second])
        }
        Mismatch::AddedCause { words }
            if is_free && conditions::states_cause(&unit.parsed) || concludes(passage) =>
        {
            own(&[words])
        }
        Mismatch::DroppedCondition { words } if is_free || is_possible(sentence, within) => {
            own(&[words])
        }
        _ => None,
    }
}

/// Returns the share of the content words of a sentence that are those of the unit.
fn repeated(alignment: &Alignment, within: impl Fn(usize) -> bool) -> f64 {
    let mut same = 0_u32;
    let mut all = 0_u32;
    for (at, link) in alignment.links.iter().enumerate() {
        let Some(link) = link.filter(|_| within(at)) else {
            continue;
        };
        // The word that differs is not counted.
        if !matches!(link, Link::Found(_, Relation::Opposite)) {
            all += 1;
            same += u32::from(matches!(
                link,
                Link::Found(_, Relation::Same) | Link::Context
            ));
        }
    }
    f64::from(same) / f64::from(all.max(1))
}

/// Returns whether a sentence has a form of *be*: without one on one side, the voice differs.
fn has_be(parsed: &Parsed) -> bool {
    let mut tokens = parsed.tokens.iter();
    tokens.any(|token| ENGLISH.is_be(&token.lower))
}

/// Returns whether a passage draws a conclusion, so that a sentence of it may name its cause.
fn concludes(passage: &str) -> bool {
    CONCLUSIONS.iter().any(|phrase| has_words(passage, phrase))
}

/// Returns whether a value is alone in brackets: *as of this writing (2015)*.
fn is_in_brackets(held: &Parsed, value: &str) -> bool {
    held.text.contains(&format!("({value})"))
}

/// Returns whether both texts deny equally many things, or one of them limits what it says by
/// another word: then what is denied is a matter of scope. What the passage denies in a clause of
/// which the sentence has no word does not count.
fn other_scope(sentence: &Parsed, held: &Parsed, alignment: &Alignment) -> bool {
    let has = |parsed: &Parsed, word: &str| parsed.tokens.iter().any(|token| token.lower == word);
    let is_used = |clause: usize| {
        let mut words = held.clause(clause);
        words.any(|at| held.tokens[at].is_content() && alignment.back(at).is_some())
    };
    let denials = held.negations.iter();
    let used = denials.filter(|negation| {
        let mut places = [negation.cue, negation.head].into_iter();
        places.any(|at| is_used(held.tokens[at].clause))
    });
    let both_deny = !sentence.negations.is_empty() && sentence.negations.len() == used.count();
    both_deny
        || EXCLUSIVE
            .iter()
            .any(|word| has(sentence, word) != has(held, word))
}

/// Returns whether a sentence states a possibility.
fn is_possible(sentence: &Parsed, within: impl Fn(usize) -> bool) -> bool {
    let mut words = sentence.tokens.iter().enumerate();
    words.any(|(at, token)| within(at) && POSSIBLE.contains(&token.lower.as_str()))
}

/// Returns whether a string contains whole words, in capitals or not.
fn has_words(text: &str, words: &str) -> bool {
    let (text, words) = (fold(text), fold(words));
    let is_edge = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    !words.is_empty()
        && text.match_indices(&words).any(|(at, found)| {
            is_edge(text[..at].chars().next_back())
                && is_edge(text[at + found.len()..].chars().next())
        })
}

/// Returns whether a string contains a value.
fn gives(text: &str, value: &str) -> bool {
    let said = values(value, Language::ENGLISH);
    let held = values(text, Language::ENGLISH);
    !said.is_empty()
        && said
            .iter()
            .all(|said| held.iter().any(|held| held.value == said.value))
}

#[cfg(test)]
mod tests {
    use crate::check::grounded::{Cited, Grounded, ground};
    use crate::language::Language;

    fn verdict(sentence: &str, text: &str) -> Grounded {
        let cited = [Cited::text("E1", "S1", text)];
        ground(sentence, Language::ENGLISH, &cited).verdict
    }

    #[test]
    fn a_difference_in_the_words_of_the_passage_refutes() {
        let text = "The cache is cleared before the server starts.";
        let refuted = verdict("The cache is cleared after the server starts.", text);
        assert!(matches!(refuted, Grounded::Fails(_)), "{refuted:?}");
    }

    #[test]
    fn a_difference_of_scope_is_unsure() {
        let text = "The value will be dropped unless its ownership has been moved.";
        let found = verdict(
            "The value is not dropped if its ownership has been moved.",
            text,
        );
        assert!(matches!(found, Grounded::Unsure { .. }), "{found:?}");

        let text = "The limits are enforced only in the slow path, not in the hot path.";
        let found = verdict("The limits are not enforced in the hot path.", text);
        assert!(matches!(found, Grounded::Unsure { .. }), "{found:?}");
    }

    #[test]
    fn a_name_of_another_sentence_is_unsure() {
        let text = "The server was written by Ada. It has a cache of the last hundred answers.";
        let found = verdict("The cache of the last hundred answers is by Ada.", text);
        assert!(!matches!(found, Grounded::Fails(_)), "{found:?}");
        let found = verdict("The cache of the last hundred answers is by Grace.", text);
        assert!(matches!(found, Grounded::Fails(_)), "{found:?}");
    }
}
