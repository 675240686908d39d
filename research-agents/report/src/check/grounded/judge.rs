//! Judges a sentence, or a part of it, by one sentence of the evidence.

use crate::check::grounded::align::{Alignment, Link, Unit};
use crate::check::grounded::lexicon::ENGLISH;
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::rules::{conditions, denied, hedges, numbers, order, replaced};
use crate::check::grounded::token::Kind;
use crate::check::grounded::verdict::Grounded;
use crate::check::quote;

/// The least share of words of a sentence that its passage must have. Below it, the passage is
/// about something else.
const CARRIED: f64 = 0.5;

/// The verdict of one unit, with how many words it has.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) verdict: Grounded,
    covered: usize,
}

impl Judged {
    /// Returns whether it says more about the sentence than another one.
    pub(crate) fn is_nearer(&self, other: &Self) -> bool {
        let rank = |judged: &Self| match judged.verdict {
            Grounded::Holds => 2,
            Grounded::Unsure { .. } => 1,
            Grounded::Fails(_) => 0,
        };
        (self.covered, rank(self)) > (other.covered, rank(other))
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
    let fails = |mismatch| Judged {
        verdict: Grounded::Fails(mismatch),
        covered,
    };

    // Names and quotes.
    let mut missing: Vec<String> = Vec::new();
    let mut name = None;
    for (at, token) in said.tokens.iter().enumerate().filter(|(at, _)| within(*at)) {
        if alignment.link(at) != Some(Link::Missing) {
            continue;
        }
        let is_name = matches!(token.kind, Kind::Name | Kind::Code)
            || token.is_capital && !ENGLISH.knows(&token.stem);
        if is_name && name.is_none() {
            name = Some(said.shown(at).to_owned());
        }
        let beside = |at: Option<usize>| {
            let token = at.and_then(|at| said.tokens.get(at));
            token.is_some_and(|token| matches!(token.kind, Kind::Code | Kind::Name))
        };
        let is_kind = ENGLISH.is_kind(&token.stem)
            && (beside(at.checked_sub(1)) || beside(Some(at + 1)) || beside(at.checked_sub(2)));
        if !ENGLISH.may_be_added(&token.stem) && !is_kind {
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
    // The unit itself must say something of it, and not only what it refers to.
    let is_about = share(coverage.unit) >= CARRIED && share(covered) >= CARRIED;
    if !is_about && all > 0 || all == 0 && !has_values {
        return fails(Mismatch::NotCarried { missing });
    }
    if let Some(name) = name.or_else(|| unquoted(said, passage, within)) {
        return fails(Mismatch::Name { name });
    }

    // What the words say together.
    let checked = numbers::check(said, unit, alignment, within, &mut missing)
        .and_then(|()| denied::check(said, unit, alignment, within))
        .and_then(|()| replaced::check(said, unit, alignment, within, &mut missing))
        .and_then(|()| order::check(said, unit, alignment, within))
        .and_then(|()| conditions::check_causes(said, unit, alignment, within))
        .and_then(|()| conditions::check_conditions(said, unit, alignment, within, &mut missing));
    if let Err(mismatch) = checked {
        return fails(mismatch);
    }
    strong_words(said, unit, within, &mut missing);
    hedges::check(said, unit, alignment, within, &mut missing);

    let verdict = if missing.is_empty() {
        Grounded::Holds
    } else {
        missing.dedup();
        Grounded::Unsure { missing }
    };
    Judged { verdict, covered }
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

        let is_there = group.iter().any(|word| {
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
