//! Judges a sentence, or a part of it, by one sentence of the evidence.

use std::collections::HashSet;

use crate::check::grounded::align::{Alignment, Link, Unit};
use crate::check::grounded::lexicon::ENGLISH;
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::rules::{conditions, denied, doubt, hedges, numbers, order, replaced};
use crate::check::grounded::token::Kind;
use crate::check::grounded::verdict::Grounded;
use crate::check::quote;

/// The least share of words of a sentence that its passage must have to carry it.
const CARRIED: f64 = 0.5;

/// The least share of words of a sentence that its passage must have to be about the same. Below
/// it, the passage is about something else.
const ABOUT: f64 = 0.34;

/// The verdict of one unit, with how many words it has.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) verdict: Grounded,
    covered: usize,
    /// Number of content words that are in the unit in the same order.
    in_order: usize,
}

impl Judged {
    /// Returns whether it says more about the sentence than another one.
    pub(crate) fn is_nearer(&self, other: &Self) -> bool {
        let rank = |judged: &Self| match judged.verdict {
            Grounded::Holds => 2,
            Grounded::Unsure { .. } => 1,
            Grounded::Fails(_) => 0,
        };
        let key = |judged: &Self| (judged.covered, judged.in_order, rank(judged));
        key(self) > key(other)
    }

    /// Returns whether it has as many words of the sentence as another one, or one less.
    pub(crate) fn has_as_many(&self, other: &Self, or_one_less: bool) -> bool {
        self.covered + usize::from(or_one_less) >= other.covered
    }

    /// Returns whether it has more words of the sentence in the same order than another one.
    pub(crate) fn repeats_more(&self, other: &Self) -> bool {
        self.in_order > other.in_order
    }
}

/// Judges a part of a sentence by one unit.
pub(crate) fn judge(
    said: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    passage: &str,
    within: impl Fn(usize) -> bool + Copy,
) -> Judged {
    let coverage = alignment.coverage(within);
    let (covered, all) = (coverage.unit + coverage.context, coverage.all);
    let anchored = alignment.anchors.iter().enumerate();
    let in_order = anchored
        .filter(|(at, anchor)| within(*at) && anchor.is_some() && said.tokens[*at].is_content())
        .count();
    let judged = |verdict| Judged {
        verdict,
        covered,
        in_order,
    };
    let fails = |mismatch| judged(Grounded::Fails(mismatch));

    // Names and quotes.
    let mut missing: Vec<String> = Vec::new();
    let mut name = None;
    for (at, token) in said.tokens.iter().enumerate().filter(|(at, _)| within(*at)) {
        if alignment.link(at) != Some(Link::Missing) {
            continue;
        }
        let is_name = matches!(token.kind, Kind::Name | Kind::Code)
            || token.is_capital && !ENGLISH.knows(&token.stem) && !ENGLISH.negates(&token.lower);
        if is_name && name.is_none() {
            name = Some(said.shown(at).to_owned());
        }
        let beside = |at: Option<usize>| {
            let token = at.and_then(|at| said.tokens.get(at));
            token.is_some_and(|token| matches!(token.kind, Kind::Code | Kind::Name))
        };
        let is_kind = ENGLISH.is_kind(&token.stem)
            && (beside(at.checked_sub(1)) || beside(Some(at + 1)) || beside(at.checked_sub(2)));
        let is_strong = ENGLISH.strong(&token.lower).is_some();
        if !ENGLISH.may_be_added(&token.stem) && !is_kind && !is_strong {
            missing.push(said.shown(at).to_owned());
        }
    }
    let has_values = said
        .tokens
        .iter()
        .enumerate()
        .any(|(at, token)| within(at) && matches!(token.kind, Kind::Number(_)));
    #[expect(clippy::cast_precision_loss, reason = "a sentence has few words")]
    let share = |count: usize| count as f64 / all.max(1) as f64;
    if share(covered) < ABOUT && all > 0 || all == 0 && !has_values {
        return fails(Mismatch::NotCarried { missing });
    }
    // The unit itself must say something of it, and not only what it refers to.
    if share(coverage.unit) < CARRIED {
        missing.extend(elsewhere(said, alignment, within));
    }
    if let Some(name) = unquoted(said, passage, within) {
        return fails(Mismatch::Name { name });
    }

    // What the words say together.
    let mut found: Vec<Mismatch> = name
        .map(|name| Mismatch::Name { name })
        .into_iter()
        .collect();
    let checks = [
        numbers::check(said, unit, alignment, within, &mut missing),
        denied::check(said, unit, alignment, within),
        replaced::check(said, unit, alignment, within, &mut missing),
        order::check(said, unit, alignment, within),
        conditions::check_causes(said, unit, alignment, within),
        conditions::check_conditions(said, unit, alignment, within, &mut missing),
    ];
    found.extend(checks.into_iter().filter_map(Result::err));
    for mismatch in found {
        match doubt::doubts(&mismatch, said, unit, alignment, passage, within) {
            Some(words) => missing.extend(words),
            None => return fails(mismatch),
        }
    }
    strong_words(said, unit, alignment, within, &mut missing);
    hedges::check(said, unit, alignment, within, &mut missing);

    let verdict = if missing.is_empty() {
        Grounded::Holds
    } else {
        let mut known = HashSet::new();
        missing.retain(|word| known.insert(word.clone()));
        Grounded::Unsure { missing }
    };
    judged(verdict)
}

/// Returns which words only the context of a unit has.
fn elsewhere(said: &Parsed, alignment: &Alignment, within: impl Fn(usize) -> bool) -> Vec<String> {
    (0..said.tokens.len())
        .filter(|at| within(*at) && alignment.link(*at) == Some(Link::Context))
        .map(|at| said.shown(at).to_owned())
        .collect()
}

/// Returns the first part in quotation marks that is not in the passage word for word.
fn unquoted(said: &Parsed, passage: &str, within: impl Fn(usize) -> bool) -> Option<String> {
    let mut open: Option<(usize, char)> = None;
    for (at, token) in said.tokens.iter().enumerate() {
        let Kind::Mark(c) = token.kind else { continue };

        match (open, c) {
            (None, '“' | '"' | '«' | '„') => {
                let close = match c {
                    '“' => '”',
                    '„' => '“',
                    '«' => '»',
                    _ => '"',
                };
                open = Some((at, close));
            }
            (Some((start, close)), c) if c == close => {
                open = None;
                let first = said.tokens[start].at.end;
                let quoted = said.text.get(first..token.at.start).unwrap_or_default();
                let bare = quoted.trim_end_matches([',', '.']);
                let is_there = quote::find(passage, bare, None).is_some();
                let has_words = quoted.contains(char::is_alphanumeric);
                if within(start) && has_words && !is_there {
                    return Some(quoted.to_owned());
                }
            }
            _ => {}
        }
    }
    None
}

/// Adds words that a sentence may not add, such as *all* and *only*.
fn strong_words(
    said: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
    missing: &mut Vec<String>,
) {
    for (at, token) in said.tokens.iter().enumerate() {
        if !within(at) || !matches!(token.kind, Kind::Function | Kind::Content) {
            continue;
        }
        let Some(group) = ENGLISH.strong(&token.lower) else {
            continue;
        };

        let is_there = alignment.same(at).is_some()
            || group.iter().any(|word| {
                unit.context.contains(*word)
                    || unit.parsed.tokens.iter().any(|held| held.lower == *word)
            });
        // *not … all* and the like are the matter of negations.
        let is_negation = ENGLISH.negates(&token.lower);
        if !is_there && !is_negation {
            missing.push(said.shown(at).to_owned());
        }
    }
}
