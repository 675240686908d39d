//! Checks that a sentence adds no cause, and leaves out no condition.

use std::ops::Range;

use crate::check::grounded::align::{Alignment, Unit};
use crate::check::grounded::lexicon::ENGLISH;
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::token::Kind;

/// A phrase that states a cause, at its tokens.
struct Cause {
    at: Range<usize>,
    /// Whether the cause follows the phrase, rather than the effect.
    is_before_cause: bool,
}

/// Checks that every cause of the sentence is one in the evidence, of the same thing.
///
/// # Errors
///
/// Returns the first cause that was added.
pub(crate) fn check_causes(
    sentence: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
) -> Result<(), Mismatch> {
    let held = causes(&unit.parsed);
    let own = causes(sentence);
    // Causes that both texts have at the same place settle each other.
    let is_settled = |cause: &Cause, other: &Cause| {
        alignment.anchors[cause.at.start] == Some(other.at.start)
            && cause.is_before_cause == other.is_before_cause
    };
    let held: Vec<&Cause> = held
        .iter()
        .filter(|other| !own.iter().any(|cause| is_settled(cause, other)) || own.len() == 1)
        .collect();

    for cause in own.iter().filter(|cause| within(cause.at.start)) {
        if own.len() > 1
            && alignment.anchors[cause.at.start].is_some_and(|at| {
                causes(&unit.parsed)
                    .iter()
                    .any(|other| other.at.start == at)
            })
        {
            continue;
        }
        let added = || Mismatch::AddedCause {
            words: words(sentence, &cause.at),
        };
        if held.is_empty() {
            return Err(added());
        }

        // What follows the phrase must be on the same side of a cause in the evidence.
        let after: Vec<usize> = (cause.at.end..sentence.tokens.len())
            .take_while(|at| !is_end(sentence, *at))
            .filter_map(|at| alignment.same(at))
            .take(5)
            .collect();
        if after.is_empty() {
            continue;
        }
        let fits = held.iter().any(|other| {
            let region = cause_region(&unit.parsed, other);
            let is_after = |at: &&usize| region.contains(*at);
            let count = after.iter().filter(is_after).count();
            let same_side = other.is_before_cause == cause.is_before_cause;
            if same_side {
                2 * count >= after.len()
            } else {
                2 * count <= after.len()
            }
        });
        if !fits {
            return Err(added());
        }
    }
    Ok(())
}

/// Returns the tokens after a phrase that states a cause: to the comma where it begins its
/// sentence, as in *Because the seal is worn, the pump leaks*.
fn cause_region(parsed: &Parsed, cause: &Cause) -> Range<usize> {
    let mut after = cause.at.end..parsed.tokens.len();
    if cause.at.start == 0 {
        let is_comma = |at: &usize| matches!(parsed.tokens[*at].kind, Kind::Mark(','));
        after.end = after.clone().find(is_comma).unwrap_or(after.end);
    }
    after
}

/// Returns whether a sentence states a cause.
pub(crate) fn states_cause(parsed: &Parsed) -> bool {
    !causes(parsed).is_empty()
}

/// Returns the phrases of causes. *since* and *as* count only before a clause with its own subject,
/// and verbs such as *causes* everywhere.
fn causes(parsed: &Parsed) -> Vec<Cause> {
    let mut found: Vec<Cause> = Vec::new();
    for (phrase, is_before_cause) in ENGLISH.causes() {
        for at in parsed.phrase(phrase) {
            let is_taken = found
                .iter()
                .any(|cause| cause.at.start < at.end && at.start < cause.at.end);
            if is_taken || !is_causal(parsed, phrase, &at) {
                continue;
            }
            found.push(Cause {
                at,
                is_before_cause: *is_before_cause,
            });
        }
    }
    found
}

/// Returns whether a phrase that has several meanings states a cause.
fn is_causal(parsed: &Parsed, phrase: &[&str], at: &Range<usize>) -> bool {
    let next = parsed.tokens.get(at.end);
    let before = at.start.checked_sub(1).and_then(|at| parsed.tokens.get(at));
    let begins = before.is_none_or(|token| matches!(token.kind, Kind::Mark(_)));

    match phrase {
        // *since 2020*, *since the release*.
        ["since"] => {
            let is_pronoun = next.is_some_and(|next| {
                matches!(
                    next.lower.as_str(),
                    "it" | "they"
                        | "this"
                        | "that"
                        | "there"
                        | "we"
                        | "you"
                        | "he"
                        | "she"
                        | "these"
                )
            });
            let is_dated =
                next.is_some_and(|next| matches!(next.kind, Kind::Number(_) | Kind::Name));
            is_pronoun
                || begins && !is_dated
                || has_verb(parsed, at.end)
                    && !next.is_some_and(|next| matches!(next.kind, Kind::Number(_)))
        }
        // *, as the file is old*; not *, as described above* and *as a file*.
        ["as"] => {
            let is_there = next.is_some_and(|next| next.lower == "there");
            is_there
                || begins
                    && next.is_some_and(|next| {
                        let is_pronoun = matches!(
                            next.lower.as_str(),
                            "it" | "they" | "this" | "we" | "you" | "these"
                        );
                        let is_thing = !ENGLISH.is_verb(&next.stem)
                            && !matches!(
                                next.lower.as_str(),
                                "a" | "an" | "of" | "if" | "in" | "with"
                            );
                        is_pronoun || is_thing && has_finite_verb(parsed, at.end)
                    })
        }
        ["so"] => begins || before.is_some_and(|token| token.lower == "and"),
        // *thus* and *hence* everywhere; *triggers* and *causes* may be nouns.
        ["triggers"] | ["causes"] => before.is_some_and(|token| {
            !matches!(
                token.lower.as_str(),
                "the" | "of" | "and" | "these" | "all" | "a" | "for"
            )
        }),
        _ => true,
    }
}

/// Returns whether there is a finite verb between a token and the end of its clause.
fn has_verb(parsed: &Parsed, from: usize) -> bool {
    const AUXILIARY: &str =
        "is are was were has have had can will must may does do did would could";
    (from..parsed.tokens.len())
        .take_while(|at| !is_end(parsed, *at))
        .any(|at| {
            let token = &parsed.tokens[at];
            AUXILIARY.split_whitespace().any(|verb| verb == token.lower)
                || token.kind == Kind::Content
                    && ENGLISH.is_verb(&token.stem)
                    && (token.lower.ends_with('s') || token.lower.ends_with("ed"))
        })
}

/// Returns whether there is a form of *be*, *have* or *do*, or a modal verb, after a noun between a
/// token and the end of its clause.
fn has_finite_verb(parsed: &Parsed, from: usize) -> bool {
    const AUXILIARY: &str = "is are was were has have had can will must may does do did could";
    (from + 1..parsed.tokens.len())
        .take_while(|at| !is_end(parsed, *at))
        .any(|at| {
            let lower = parsed.tokens[at].lower.as_str();
            AUXILIARY.split_whitespace().any(|verb| verb == lower)
        })
}

/// Returns whether a token ends a clause by a mark.
fn is_end(parsed: &Parsed, at: usize) -> bool {
    matches!(
        parsed.tokens[at].kind,
        Kind::Mark(',' | ';' | ':' | '.' | '(' | ')' | '—')
    )
}

/// Checks that the sentence has a condition where its evidence has one of the same statement. Adds
/// those to `missing` that may be left out.
///
/// # Errors
///
/// Returns the first strict condition that was left out.
pub(crate) fn check_conditions(
    sentence: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
    missing: &mut Vec<String>,
) -> Result<(), Mismatch> {
    let held = &unit.parsed;
    let own = conditions(sentence);

    for (place, is_strict) in conditions(held) {
        // The condition is a part of the statement only if the words around it are used.
        let region = condition_region(held, &place);
        let used = |range: Range<usize>| {
            range
                .filter(|at| {
                    held.tokens[*at].is_content()
                        || matches!(held.tokens[*at].kind, Kind::Number(_))
                })
                .filter(|at| {
                    alignment.back(*at).is_some_and(&within) || value_used(sentence, held, *at)
                })
                .count()
        };
        let content = region
            .clone()
            .filter(|at| held.tokens[*at].is_content())
            .count();
        if content == 0 {
            continue;
        }

        // The condition itself is there, in its words.
        let inside = used(region.clone());
        let has_own = own.iter().any(|(at, _)| within(at.start));
        if has_own && 2 * inside >= content.min(4) {
            continue;
        }
        // What it is a condition of: the sentence up to a semicolon, without the condition.
        let main = main_region(held, &place);
        let outside: usize = main
            .filter(|at| !region.contains(at))
            .filter(|at| alignment.back(*at).is_some_and(&within))
            .count();
        if outside == 0 {
            continue;
        }
        // All of the condition is there without its first word: as another phrase.
        if inside == content && has_own {
            continue;
        }
        // The sentence is about the condition alone: *the file is empty* of *if the file is empty*.
        let words = words(held, &place);
        // *with the option set to full* of *if the option is set to full*.
        if is_strict && inside < content {
            return Err(Mismatch::DroppedCondition { words });
        }
        // *during shutdown*, *with a long list* of *when the list is long*.
        if is_strict || 3 * inside < 2 * content {
            missing.push(words);
        }
    }
    Ok(())
}

/// Returns whether a token of the evidence is a part of a value that the sentence has.
fn value_used(sentence: &Parsed, held: &Parsed, at: usize) -> bool {
    match held.tokens[at].kind {
        Kind::Number(index) => held
            .values
            .get(index)
            .is_some_and(|value| sentence.values.iter().any(|said| said.value == value.value)),
        _ => false,
    }
}

/// Returns the phrases that begin a condition, and whether they are strict.
fn conditions(parsed: &Parsed) -> Vec<(Range<usize>, bool)> {
    let mut found: Vec<(Range<usize>, bool)> = Vec::new();
    for (phrase, is_strict) in ENGLISH.conditions() {
        for at in parsed.phrase(phrase) {
            let is_taken = found
                .iter()
                .any(|(known, _)| known.start < at.end && at.start < known.end);
            let before = at
                .start
                .checked_sub(1)
                .map_or("", |at| parsed.tokens[at].lower.as_str());
            // *check if*, *as if*, *even if*, *what if*: no condition.
            let is_question = phrase == &["if"]
                && (matches!(before, "as" | "even" | "what" | "see" | "know")
                    || at
                        .start
                        .checked_sub(1)
                        .is_some_and(|before| asks(&parsed.tokens[before].stem)));
            // *a function provided by*.
            let is_participle = phrase == &["provided"]
                && at.start > 0
                && !matches!(parsed.tokens[at.start - 1].kind, Kind::Mark(','));
            let is_time = phrase == &["once"] && matches!(before, "at" | "more" | "only" | "than");
            if !is_taken && !is_question && !is_time && !is_participle {
                found.push((at, *is_strict));
            }
        }
    }

    found.sort_by_key(|(at, _)| at.start);
    found
}

/// Returns whether a verb, by its stem, takes a question with *if*.
fn asks(stem: &str) -> bool {
    matches!(
        stem,
        "check"
            | "test"
            | "determin"
            | "ask"
            | "wonder"
            | "decid"
            | "verifi"
            | "tell"
            | "detect"
            | "specifi"
            | "control"
            | "indic"
    )
}

/// Returns the tokens that belong to a condition: up to the next comma or the end of its part. A
/// comma before *or* and *and* does not end it, unless another condition follows: *if the disk
/// is full, or even lost, …*.
fn condition_region(held: &Parsed, place: &Range<usize>) -> Range<usize> {
    let joins = |at: usize| {
        let word = |at: usize| held.tokens.get(at).map_or("", |token| token.lower.as_str());
        held.tokens[at].kind == Kind::Mark(',')
            && matches!(word(at + 1), "or" | "and")
            && !matches!(word(at + 2), "if" | "when" | "unless" | "where")
    };
    let end = (place.end..held.tokens.len())
        .find(|at| {
            let is_mark = matches!(
                held.tokens[*at].kind,
                Kind::Mark(',' | ';' | ':' | '.' | ')' | '—')
            );
            is_mark && !joins(*at)
        })
        .unwrap_or(held.tokens.len());
    place.end..end
}

/// Returns the tokens of the part of a sentence, between semicolons and brackets, that a condition
/// belongs to.
fn main_region(held: &Parsed, place: &Range<usize>) -> Range<usize> {
    let ends = |at: &usize| matches!(held.tokens[*at].kind, Kind::Mark(';' | '(' | ')' | '.'));
    let begins = |at: &usize| {
        ends(at)
            || matches!(
                held.tokens[*at].lower.as_str(),
                "which"
                    | "who"
                    | "whose"
                    | "where"
                    | "because"
                    | "whereas"
                    | "while"
                    | "but"
                    | "so"
            )
    };

    let start = (0..place.start).rev().find(begins).map_or(0, |at| at + 1);
    let end = (place.end..held.tokens.len())
        .find(ends)
        .unwrap_or(held.tokens.len());
    start..end
}

/// Returns the words in a range of tokens as they are written.
fn words(parsed: &Parsed, at: &Range<usize>) -> String {
    let first = parsed
        .tokens
        .get(at.start)
        .map_or(0, |token| token.at.start);
    let last = parsed
        .tokens
        .get(at.end.saturating_sub(1))
        .map_or(first, |token| token.at.end);
    parsed.text.get(first..last).unwrap_or_default().to_owned()
}
