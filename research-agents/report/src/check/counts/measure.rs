//! Checks statistics in words: a number that is called the median must be the median.

use std::ops::Range;

use crate::check::counts::parsed::ParsedSentence;
use crate::check::failure::Failure;
use crate::check::figure::Figure;
use crate::check::words::fold;
use crate::claim::{Claim, Statistic};
use crate::evidence::value::plain;

/// Words for statistics, which precede the number or the field.
const NAMES: [(&str, Statistic); 13] = [
    ("median", Statistic::Median),
    ("mean", Statistic::Mean),
    ("average", Statistic::Mean),
    ("minimum", Statistic::Min),
    ("smallest", Statistic::Min),
    ("lowest", Statistic::Min),
    ("least", Statistic::Min),
    ("shortest", Statistic::Min),
    ("maximum", Statistic::Max),
    ("largest", Statistic::Max),
    ("highest", Statistic::Max),
    ("greatest", Statistic::Max),
    ("longest", Statistic::Max),
];

/// Words that can occur between the name of a statistic and its number.
const BETWEEN: [&str; 13] = [
    "is", "was", "of", "are", "were", "at", "and", "its", "the", "value", "being", "single",
    "number",
];

/// A claimed statistic: its field, its kind and its value.
type Measure<'c> = (&'c str, Statistic, f64);

/// Checks the statistics of a sentence.
///
/// # Errors
///
/// Returns [`Failure::WrongComparison`] for a number that is called another statistic than it is.
pub(crate) fn check(sentence: &ParsedSentence<'_>, claims: &[Claim]) -> Result<(), Failure> {
    let measures: Vec<Measure<'_>> = claims
        .iter()
        .filter_map(|claim| match claim {
            Claim::Statistic {
                field,
                statistic,
                number,
                ..
            }
            | Claim::GroupStatistic {
                field,
                statistic,
                number,
                ..
            } => Some((field.as_str(), *statistic, *number)),
            _ => None,
        })
        .collect();

    if measures.is_empty() {
        return Ok(());
    }

    let fields: Vec<Range<usize>> = measures
        .iter()
        .flat_map(|(field, ..)| places(&sentence.folded, &fold(field)))
        .collect();

    for (name, statistic) in NAMES {
        for place in places(&sentence.folded, name) {
            // `Mean speed` may be the name of a field.
            if fields
                .iter()
                .all(|field| place.end <= field.start || field.end <= place.start)
            {
                named(sentence, &measures, &place, statistic)?;
            }
        }
    }

    between(sentence, &measures)?;
    of_groups(sentence, claims)
}

/// Refuses the statistic of one group for the value of another: *216 for Gentoo*.
fn of_groups(sentence: &ParsedSentence<'_>, claims: &[Claim]) -> Result<(), Failure> {
    let groups = claims.iter().filter_map(|claim| match claim {
        Claim::GroupStatistic { number, value, .. } => Some((plain(value), number.abs())),
        _ => None,
    });
    let groups: Vec<(String, f64)> = groups.collect();

    for figure in sentence
        .figures
        .iter()
        .filter(|figure| groups.iter().any(|(_, number)| figure.shows(*number)))
    {
        let Some(after) = sentence.folded[figure.at.end..]
            .trim_start()
            .strip_prefix("for ")
        else {
            continue;
        };
        let named = groups
            .iter()
            .filter(|(name, _)| after.starts_with(&fold(name)));
        let Some((name, _)) = named.max_by_key(|(name, _)| name.len()) else {
            continue;
        };
        if !groups
            .iter()
            .any(|(own, number)| fold(own) == fold(name) && figure.shows(*number))
        {
            return Err(Failure::WrongComparison {
                words: figure.text.clone(),
                value: name.clone(),
            });
        }
    }

    Ok(())
}

/// Checks a word for a statistic at a position.
fn named(
    sentence: &ParsedSentence<'_>,
    measures: &[Measure<'_>],
    place: &Range<usize>,
    statistic: Statistic,
) -> Result<(), Failure> {
    let wrong = |what: &str| Failure::WrongComparison {
        words: sentence.text[place.clone()].to_owned(),
        value: what.to_owned(),
    };

    // *The largest cost* needs a claim on the maximum of the cost.
    let rest = sentence.folded[place.end..].trim_start();
    let field = measures
        .iter()
        .map(|measure| measure.0)
        .find(|field| rest.starts_with(&fold(field)));
    let is_claimed = |field: &str| {
        measures
            .iter()
            .any(|measure| measure.0 == field && measure.1 == statistic)
    };

    if let Some(field) = field.filter(|field| !is_claimed(field)) {
        return Err(wrong(field));
    }

    let named = place.end
        + field.map_or(0, |field| {
            sentence.folded.len() - place.end - rest.len() + field.len()
        });
    let Some(figure) = sentence
        .figures
        .iter()
        .find(|figure| figure.at.start >= named)
    else {
        return Ok(());
    };
    let mut words = sentence
        .between(named, figure.at.start)
        .split(|c: char| !c.is_alphanumeric());

    if !words.all(|word| word.is_empty() || BETWEEN.contains(&word)) {
        return Ok(());
    }

    let is = |kind: &dyn Fn(Statistic) -> bool| {
        measures
            .iter()
            .any(|(_, other, number)| kind(*other) && figure.shows(number.abs()))
    };
    let is_claimed = measures.iter().any(|measure| measure.1 == statistic);
    let is_opposite = |other| {
        matches!(
            (statistic, other),
            (Statistic::Min, Statistic::Max) | (Statistic::Max, Statistic::Min)
        )
    };
    let is_another = if is_claimed {
        is(&|other| other != statistic)
    } else {
        is(&is_opposite)
    };
    let fails = is_another && !is(&|other| other == statistic);

    if fails {
        Err(wrong(&figure.text))
    } else {
        Ok(())
    }
}

/// Refuses a range whose larger number comes first: *lies between 100 and 3*.
fn between(sentence: &ParsedSentence<'_>, measures: &[Measure<'_>]) -> Result<(), Failure> {
    for place in places(&sentence.folded, "between") {
        let mut after = sentence
            .figures
            .iter()
            .filter(|figure| figure.at.start >= place.end);
        let (Some(low), Some(high)) = (after.next(), after.next()) else {
            continue;
        };
        let joined = sentence
            .between(place.end, low.at.start)
            .trim()
            .trim_start_matches(['-', '$', '€'])
            .is_empty()
            && sentence
                .between(low.at.end, high.at.start)
                .trim_start()
                .starts_with("and ");
        let of = |figure: &Figure, kind: Statistic| {
            measures
                .iter()
                .any(|(_, statistic, number)| *statistic == kind && figure.shows(number.abs()))
        };
        let swapped = of(low, Statistic::Max) && of(high, Statistic::Min);
        if joined && swapped && !(of(low, Statistic::Min) && of(high, Statistic::Max)) {
            let value = format!("{} and {}", low.text, high.text);
            return Err(Failure::WrongComparison {
                words: sentence.text[place].to_owned(),
                value,
            });
        }
    }

    Ok(())
}

/// Returns the positions of a name as whole words.
fn places(folded: &str, name: &str) -> Vec<Range<usize>> {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let whole = |place: &Range<usize>| {
        !is_letter(folded[..place.start].chars().next_back())
            && !is_letter(folded[place.end..].chars().next())
    };
    folded
        .match_indices(name)
        .map(|(at, _)| at..at + name.len())
        .filter(whole)
        .collect()
}
