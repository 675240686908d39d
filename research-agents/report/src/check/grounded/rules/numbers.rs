//! Checks the numbers, dates and versions of a sentence.

use crate::check::grounded::align::{Alignment, Unit};
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::token::Kind;
use crate::trust::value::{Bound, Quantity, Sameness, Value, compare};

/// How a value of the sentence relates to one of the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// It states the same.
    Same,
    /// It is less precise than can be taken for the same without a word such as *about*.
    Coarse,
    /// It is another value.
    Other,
}

/// Checks the values of a part of a sentence. Adds those that are not certain to `missing`.
///
/// # Errors
///
/// Returns the first value that the unit does not give, or gives to something else.
pub(crate) fn check(
    sentence: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    within: impl Fn(usize) -> bool,
    missing: &mut Vec<String>,
) -> Result<(), Mismatch> {
    for (index, typed) in sentence.values.iter().enumerate() {
        let is_own = |at: &usize| sentence.tokens[*at].kind == Kind::Number(index);
        let Some(token) = (0..sentence.tokens.len()).find(is_own) else {
            continue;
        };
        if !within(token) {
            continue;
        }

        let shown = sentence.text[typed.span.clone()].to_owned();
        let fits: Vec<(usize, Fit)> = unit
            .parsed
            .values
            .iter()
            .enumerate()
            .map(|(at, held)| (at, fit(&typed.value, &held.value)))
            .collect();
        if fits.iter().all(|(_, fit)| *fit == Fit::Other) {
            if unit
                .given
                .iter()
                .any(|held| fit(&typed.value, held) == Fit::Same)
            {
                continue;
            }
            return Err(Mismatch::Value { value: shown });
        }
        if fits.iter().all(|(_, fit)| *fit != Fit::Same) {
            missing.push(shown);
            continue;
        }

        // At the place of another value, although it is elsewhere too.
        let slot = alignment.slot(token, unit.parsed.tokens.len());
        let is_replaced = alignment.anchors[token].is_none()
            && slot.len() <= 3
            && alignment.own_slot(token).len() <= 3
            && !has_pair(sentence, token, &unit.parsed, &fits)
            && slot
                .clone()
                .any(|at| matches!(unit.parsed.tokens[at].kind, Kind::Number(_)))
            && !slot.clone().any(|at| match unit.parsed.tokens[at].kind {
                Kind::Number(other) => fits.get(other).is_some_and(|(_, fit)| *fit == Fit::Same),
                _ => false,
            });
        if is_replaced {
            return Err(Mismatch::Value { value: shown });
        }

        let equal: Vec<usize> = fits
            .iter()
            .filter(|(_, fit)| *fit == Fit::Same)
            .map(|(at, _)| *at)
            .collect();
        check_owner(sentence, unit, alignment, index, token, &equal)?;
    }
    Ok(())
}

/// Returns whether the evidence has the same value after the same word: *version 2*.
fn has_pair(sentence: &Parsed, token: usize, held: &Parsed, fits: &[(usize, Fit)]) -> bool {
    let Some(before) = token.checked_sub(1).map(|at| &sentence.tokens[at]) else {
        return false;
    };
    (before.is_content() || matches!(before.kind, Kind::Code | Kind::Name))
        && held.tokens.windows(2).any(|pair| {
            let is_same = match pair[1].kind {
                Kind::Number(value) => fits.get(value).is_some_and(|(_, fit)| *fit == Fit::Same),
                _ => false,
            };
            is_same && pair[0].stem == before.stem
        })
}

/// Compares a value of the sentence with one of the evidence.
fn fit(said: &Value, held: &Value) -> Fit {
    match (said, held) {
        (Value::Number(said), Value::Number(held)) => fit_numbers(said, held),
        (Value::Date(said), Value::Date(held)) => {
            let within = |said: Option<i32>, held: Option<i32>| said.is_none() || said == held;
            let small = |part: Option<u8>| part.map(i32::from);

            let fits = within(said.year, held.year)
                && within(small(said.month), small(held.month))
                && within(small(said.day), small(held.day));
            if fits { Fit::Same } else { Fit::Other }
        }
        (Value::Version(_), Value::Version(_)) => match compare(said, held) {
            Sameness::Same => Fit::Same,
            Sameness::Compatible => Fit::Coarse,
            Sameness::Different => Fit::Other,
        },
        _ => match compare(said, held) {
            Sameness::Same => Fit::Same,
            _ => Fit::Other,
        },
    }
}

fn fit_numbers(said: &Quantity, held: &Quantity) -> Fit {
    let exact = |bound: Bound| matches!(bound, Bound::Exact | Bound::About);
    let bounds = said.bound == held.bound || exact(said.bound) && exact(held.bound);
    let units = match (&said.unit, &held.unit) {
        (Some(said), Some(held)) => said.dimension == held.dimension,
        (None, None) => true,
        // The sentence may leave out a unit that the passage states in other words.
        (None, Some(_)) | (Some(_), None) => false,
    };
    if !bounds || !units {
        return Fit::Other;
    }

    let plain = |quantity: &Quantity| Quantity {
        bound: Bound::Exact,
        ..quantity.clone()
    };
    let factor = |quantity: &Quantity| quantity.unit.as_ref().map_or(1.0, |unit| unit.factor);
    let equal = |a: f64, b: f64| (a - b).abs() <= 1e-6 * a.abs().max(b.abs());
    let is_equal = equal(said.low * factor(said), held.low * factor(held))
        && equal(said.high * factor(said), held.high * factor(held));
    if is_equal {
        // *about 5* where the passage says *5* is true; *5* where it says *about 5* is more exact.
        let sharpened = said.bound == Bound::Exact && held.bound == Bound::About;
        return if sharpened { Fit::Coarse } else { Fit::Same };
    }

    let is_rounded = said.precision * factor(said) > held.precision * factor(held);
    match compare(&Value::Number(plain(said)), &Value::Number(plain(held))) {
        Sameness::Same if is_rounded && (said.bound == Bound::About || said.precision != 0.5) => {
            Fit::Same
        }
        Sameness::Same if is_rounded => Fit::Coarse,
        _ if said.bound == Bound::About
            && compare(&Value::Number(said.clone()), &Value::Number(plain(held)))
                == Sameness::Same =>
        {
            Fit::Same
        }
        _ => Fit::Other,
    }
}

/// Checks that a number is stated of the same thing: *3 servers and 5 clients* is not *5 servers*.
fn check_owner(
    sentence: &Parsed,
    unit: &Unit,
    alignment: &Alignment,
    index: usize,
    token: usize,
    equal: &[usize],
) -> Result<(), Mismatch> {
    let held = &unit.parsed;
    if held.values.len() < 2 {
        return Ok(());
    }
    let other = |owner: usize| {
        Err(Mismatch::OtherOwner {
            value: sentence.text[sentence.values[index].span.clone()].to_owned(),
            of: sentence.shown(owner).to_owned(),
        })
    };

    // The thing that is counted, directly after the number.
    let owner = owner_of(sentence, index);
    if let Some((owner, stem)) = owner.map(|at| (at, sentence.tokens[at].stem.as_str())) {
        let mut owned = Vec::new();
        for value in 0..held.values.len() {
            if owner_of(held, value).is_some_and(|at| held.tokens[at].stem == stem) {
                owned.push(value);
            }
        }
        if !owned.is_empty() {
            let is_own = owned.iter().any(|value| equal.contains(value));
            return if is_own { Ok(()) } else { other(owner) };
        }
    }

    // The clause of the number shares a word with a clause of the other text that gives it.
    let clause = sentence.tokens[token].clause;
    let shares = |value: usize| -> usize {
        let Some(place) = held
            .tokens
            .iter()
            .position(|token| token.kind == Kind::Number(value))
        else {
            return 0;
        };
        let other = held.tokens[place].clause;
        sentence
            .clause(clause)
            .filter_map(|at| alignment.same(at))
            .filter(|at| held.tokens[*at].clause == other)
            .count()
    };
    let own = equal.iter().copied().map(&shares).max().unwrap_or(0);
    let rival = (0..held.values.len())
        .filter(|value| !equal.contains(value))
        .map(&shares)
        .max()
        .unwrap_or(0);
    let words = sentence
        .clause(clause)
        .filter(|at| alignment.same(*at).is_some());
    match words.into_iter().next() {
        Some(owner) if own == 0 && rival >= 2 => other(owner),
        _ => Ok(()),
    }
}

/// Returns the first content word after a number and its unit, within its clause.
fn owner_of(parsed: &Parsed, value: usize) -> Option<usize> {
    let last = parsed
        .tokens
        .iter()
        .rposition(|token| token.kind == Kind::Number(value))?;
    let mut at = last + 1;
    while parsed.tokens.get(at)?.kind == Kind::Part {
        at += 1;
    }
    let next = parsed.tokens.get(at)?;
    (next.is_content() && next.clause == parsed.tokens[last].clause).then_some(at)
}
