//! Checks the direction between two points in time against the counts: *higher at the end than at
//! the beginning*, *rose from 3 in 1990 to 7 in 1992*.

use std::cmp::Ordering;
use std::ops::Range;

use crate::check::counts::parsed::{Group, ParsedSentence, Row};
use crate::check::failure::Failure;
use crate::check::words::time_of;
use crate::check::words::{NEGATING, phrases, word_before};

/// Verbs of an increase.
const RISES: [&str; 10] = [
    "rose",
    "rises",
    "risen",
    "increased",
    "increases",
    "grew",
    "grows",
    "grown",
    "climbed",
    "doubled",
];

/// Verbs of a decrease.
const FALLS: [&str; 11] = [
    "fell",
    "falls",
    "fallen",
    "decreased",
    "decreases",
    "declined",
    "declines",
    "dropped",
    "drops",
    "shrank",
    "halved",
];

/// Checks the direction that a sentence states for a group.
///
/// # Errors
///
/// Returns [`Failure::WrongComparison`] for one that contradicts the counts.
pub(crate) fn check(sentence: &ParsedSentence<'_>, group: &Group<'_>) -> Result<(), Failure> {
    // The direction is clear only if the sentence names exactly two points in time.
    let mut named: Vec<(String, &Row)> = Vec::new();
    for mention in &group.mentions {
        let row = &group.rows[mention.row];
        if let Some(time) = time_of(&row.value)
            && !named.iter().any(|(known, _)| *known == time)
        {
            named.push((time, row));
        }
    }

    named.sort_by(|a, b| a.0.cmp(&b.0));
    let [(beginning, first), (_, last)] = named.as_slice() else {
        return Ok(());
    };

    // *Begins with* must be followed by the earlier one.
    if let Some(place) = phrases(
        &sentence.folded,
        &["begins with", "starts with", "began with", "started with"],
    )
    .pop()
        && let Some(next) = group
            .mentions
            .iter()
            .find(|mention| mention.at.start >= place.end)
        && time_of(&group.rows[next.row].value).is_some_and(|time| time != *beginning)
    {
        return Err(group.rows[next.row].wrong_comparison(&sentence.text[place]));
    }

    // The words that state a direction.
    let actual = last.count.cmp(&first.count);
    let ends = phrases(
        &sentence.folded,
        &["higher at the end than", "more at the end than"],
    );
    let lower = phrases(
        &sentence.folded,
        &[
            "lower at the end than",
            "fewer at the end than",
            "less at the end than",
        ],
    );
    let same = phrases(&sentence.folded, &["the same at the end as"]);
    let verb = |places: Vec<Range<usize>>| {
        places
            .into_iter()
            .filter(|place| is_direction(&sentence.folded, place))
    };
    let (up, down): (Vec<_>, Vec<_>) = (
        verb(phrases(&sentence.folded, &RISES)).collect(),
        verb(phrases(&sentence.folded, &FALLS)).collect(),
    );

    // With several directions, such as a rise and a fall, the two points do not decide.
    let stated = ends.len() + lower.len() + same.len() + up.len() + down.len();
    if stated != 1 {
        return Ok(());
    }

    let rising = ends
        .into_iter()
        .chain(up)
        .map(|place| (place, Ordering::Greater));
    let falling = lower
        .into_iter()
        .chain(down)
        .map(|place| (place, Ordering::Less));

    for (place, direction) in rising
        .chain(falling)
        .chain(same.into_iter().map(|place| (place, Ordering::Equal)))
    {
        let is_denied = NEGATING.contains(&word_before(&sentence.folded, place.start));
        if (direction == actual) == is_denied {
            return Err(last.wrong_comparison(&sentence.text[place]));
        }
    }

    Ok(())
}

/// Returns whether a verb states a direction, as in *fell from 7 to 3*, but not in *fell into 1990*
/// or *fell in Ohio*.
fn is_direction(folded: &str, place: &Range<usize>) -> bool {
    let rest = folded[place.end..].trim_start();
    let next = rest
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    [
        "from", "to", "by", "between", "over", "since", "steadily", "sharply", "slightly", "again",
    ]
    .contains(&next)
}
