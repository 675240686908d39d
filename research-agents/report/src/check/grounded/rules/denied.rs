//! Checks that what is denied in the sentence is denied in the evidence, and the reverse; and that
//! no word replaces its opposite.

use crate::check::grounded::align::{Alignment, Link, Unit};
use crate::check::grounded::lexicon::{ENGLISH, Relation};
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::parse::{Negation, Parsed};
use crate::check::grounded::token::Kind;
use crate::trust::value::Typed;

/// Number of words around a function word in which the words next to its opposite must be.
const NEAR: usize = 4;

/// Checks negations and opposites.
///
/// # Errors
///
/// Returns the first word that is denied on one side only, or replaced by its opposite.
pub(crate) fn check(
    sentence: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
) -> Result<(), Mismatch> {
    let held = &unit.parsed;
    let denied = |words: &str| {
        Err(Mismatch::Denied {
            words: words.to_owned(),
        })
    };

    // Denials that both texts have at the same place settle each other.
    let place = |head: usize| {
        let number = match sentence.tokens[head].kind {
            Kind::Number(index) => place_of_value(sentence, index, unit),
            _ => None,
        };
        alignment.anchors[head].or(alignment.same(head)).or(number)
    };
    let is_settled = |said: &Negation, other: &Negation| {
        let heads_differ = place(said.head).is_some_and(|place| place != other.head)
            && alignment.back(other.head).is_some();
        alignment.anchors[said.cue] == Some(other.cue) && !heads_differ
    };
    // *power fails* of *a power failure*: the word itself is on both sides.
    let is_word = |parsed: &Parsed, cue: usize| parsed.tokens[cue].kind == Kind::Content;
    let said_left: Vec<&Negation> = sentence
        .negations
        .iter()
        .filter(|said| {
            let is_there = matches!(alignment.link(said.cue), Some(Link::Found(..)));
            !(is_word(sentence, said.cue) && is_there)
        })
        .filter(|said| !held.negations.iter().any(|other| is_settled(said, other)))
        .collect();
    let held_left: Vec<&Negation> = held
        .negations
        .iter()
        .filter(|other| !(is_word(held, other.cue) && alignment.back(other.cue).is_some()))
        .filter(|other| {
            !sentence
                .negations
                .iter()
                .any(|said| is_settled(said, other))
        })
        .collect();

    // What the sentence denies, and what the evidence denies.
    for negation in said_left.iter().filter(|n| within(n.cue)) {
        let around = |at: usize| alignment.anchors.get(at).copied().flatten();
        let before = negation.cue.checked_sub(1).and_then(around);
        if before.is_some() && around(negation.cue + 1) == before.map(|before| before + 1) {
            return denied(sentence.shown(negation.head));
        }
        let is_head = |place: usize| held.negations.iter().any(|other| other.head == place);
        if place(negation.head).is_some_and(is_head) {
            continue;
        }
        if let Some(place) = place(negation.head)
            && !is_denied(held, &held_left, place)
        {
            return denied(sentence.shown(negation.head));
        }
    }
    for negation in &held_left {
        let left_out = alignment.anchors.windows(2).position(|pair| {
            pair[0].is_some_and(|at| at + 1 == negation.cue && pair[1] == Some(at + 2))
        });
        if let Some(at) = left_out.filter(|at| within(*at)) {
            return denied(sentence.shown(at + 1));
        }
        let anchor = alignment
            .anchors
            .iter()
            .position(|at| *at == Some(negation.head));
        let said = anchor.or_else(|| alignment.back(negation.head));
        let is_head = |said: usize| sentence.negations.iter().any(|own| own.head == said);
        if let Some(said) = said.filter(|said| within(*said) && !is_head(*said))
            && !is_denied(sentence, &said_left, said)
        {
            return denied(sentence.shown(said));
        }
    }

    check_opposites(sentence, unit, alignment, &within)?;
    check_function_words(sentence, unit, alignment, &within)
}

/// Returns whether one of some denials is in the clause of a token.
fn is_denied(parsed: &Parsed, negations: &[&Negation], token: usize) -> bool {
    let clause = parsed.tokens[token].clause;
    negations
        .iter()
        .any(|negation| negation.head == token || parsed.tokens[negation.cue].clause == clause)
}

/// Checks content words that are linked with their opposites: they hold only if one of the two is
/// denied.
fn check_opposites(
    sentence: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
) -> Result<(), Mismatch> {
    let held = &unit.parsed;

    for (said, link) in alignment.links.iter().enumerate() {
        let Some(Link::Found(place, Relation::Opposite)) = link else {
            continue;
        };
        if !within(said) {
            continue;
        }
        let is_denied = sentence.negations.iter().any(|n| n.head == said);
        let held_denied = held.negations.iter().any(|n| n.head == *place);
        if is_denied == held_denied {
            return Err(Mismatch::Opposite {
                said: sentence.shown(said).to_owned(),
                held: held.shown(*place).to_owned(),
            });
        }
    }
    Ok(())
}

/// Checks function words with opposites, such as *before*: the words next to them must not be next
/// to the opposite in the evidence.
fn check_function_words(
    sentence: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
) -> Result<(), Mismatch> {
    let held = &unit.parsed;
    let has = |parsed: &Parsed, lower: &str| {
        parsed
            .tokens
            .iter()
            .any(|token| token.is_word() && token.lower == lower)
    };

    for (said, token) in sentence.tokens.iter().enumerate() {
        if token.kind != Kind::Function || !within(said) || !ENGLISH.has_opposite(&token.stem) {
            continue;
        }
        // At the place of its opposite, although it is elsewhere too.
        if alignment.anchors[said].is_none() {
            let mut slot = alignment.slot(said, held.tokens.len());
            let opposite = slot.len() <= 3;
            let opposite = opposite.then(|| {
                slot.find(|at| {
                    let other = &held.tokens[*at];
                    ENGLISH.relation(&token.stem, &other.stem) == Some(Relation::Opposite)
                        && !has(sentence, &other.lower)
                })
            });
            if let Some(place) = opposite.flatten() {
                return Err(Mismatch::Opposite {
                    said: sentence.shown(said).to_owned(),
                    held: held.shown(place).to_owned(),
                });
            }
        }
        if has(held, &token.lower) {
            continue;
        }
        let near = |at: usize| at.abs_diff(said) <= NEAR;
        let linked: Vec<usize> = (0..sentence.tokens.len())
            .filter(|at| near(*at) && sentence.tokens[*at].clause.abs_diff(token.clause) <= 1)
            .filter_map(|at| alignment.same(at))
            .collect();

        for (place, other) in held.tokens.iter().enumerate() {
            let is_opposite = matches!(other.kind, Kind::Function | Kind::Content)
                && ENGLISH.relation(&token.stem, &other.stem) == Some(Relation::Opposite)
                && !has(sentence, &other.lower);
            let is_near = linked.iter().any(|at| at.abs_diff(place) <= NEAR);
            if is_opposite && is_near {
                return Err(Mismatch::Opposite {
                    said: sentence.shown(said).to_owned(),
                    held: held.shown(place).to_owned(),
                });
            }
        }
    }
    Ok(())
}

/// Returns the token of the unit with the same value.
fn place_of_value(sentence: &Parsed, index: usize, unit: &Unit) -> Option<usize> {
    let value = &sentence.values.get(index)?.value;
    let is_same = |held: &&Typed| &held.value == value;
    if unit.parsed.values.iter().filter(is_same).count() > 1 {
        return None;
    }
    let same = unit
        .parsed
        .values
        .iter()
        .position(|held| &held.value == value)?;
    unit.parsed
        .tokens
        .iter()
        .position(|token| token.kind == Kind::Number(same))
}
