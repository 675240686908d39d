//! Checks that a sentence is not more certain or more general than its evidence.

use crate::check::grounded::align::{Alignment, Unit};
use crate::check::grounded::lexicon::ENGLISH;
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::token::Kind;

/// Adds words to `missing` that the evidence has and that the sentence leaves out: *may* before a
/// verb of it, and what a statement is limited to at its beginning: *On Windows, …*
pub(crate) fn check(
    sentence: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
    missing: &mut Vec<String>,
) {
    let held = &unit.parsed;

    for (place, token) in held.tokens.iter().enumerate() {
        if !ENGLISH.hedges(&token.lower) {
            continue;
        }
        // The word that is made uncertain, in the sentence.
        let mut after = (place + 1..held.tokens.len())
            .filter(|at| held.tokens[*at].clause == token.clause && held.tokens[*at].is_content());
        let Some(said) = after.next().and_then(|at| alignment.back(at)) else {
            continue;
        };
        let is_hedged = sentence.tokens.iter().any(|other| {
            ENGLISH.hedges(&other.lower)
                || matches!(
                    other.lower.as_str(),
                    "can" | "would" | "should" | "potentially" | "if"
                )
        });
        if within(said) && !is_hedged {
            missing.push(held.shown(place).to_owned());
        }
    }

    // *can be closed* is not *is closed*.
    for (place, pair) in held.tokens.windows(3).enumerate() {
        let is_possible =
            matches!(pair[0].lower.as_str(), "can" | "could") && pair[1].lower == "be";
        let Some(said) = alignment.back(place + 2).filter(|_| is_possible) else {
            continue;
        };
        let before = said.checked_sub(1).map(|at| &sentence.tokens[at]);
        let is_fact = before
            .is_some_and(|token| matches!(token.lower.as_str(), "is" | "are" | "was" | "were"));
        if within(said) && is_fact {
            missing.push(held.shown(place).to_owned());
        }
    }

    // What the whole statement is limited to.
    let Some(first) = held.tokens.iter().position(|token| token.is_word()) else {
        return;
    };
    let limits = matches!(
        held.tokens[first].lower.as_str(),
        "on" | "with" | "without" | "under" | "using"
    );
    let comma = held
        .tokens
        .iter()
        .position(|token| token.kind == Kind::Mark(','));
    if let Some(comma) = comma.filter(|comma| limits && *comma < first + 7) {
        let limit = first..comma;
        let is_named = limit
            .clone()
            .any(|at| matches!(held.tokens[at].kind, Kind::Name | Kind::Code));
        let is_used = limit.clone().any(|at| alignment.back(at).is_some());
        let is_about_rest =
            (comma..held.tokens.len()).any(|at| alignment.back(at).is_some_and(&within));
        if is_named && !is_used && is_about_rest {
            missing.push(
                held.text[held.tokens[first].at.start..held.tokens[comma].at.start].to_owned(),
            );
        }
    }
}
