//! The groups that compete in a comparison.

use std::cmp::Ordering;

use crate::check::counts::parsed::{Group, Mention, ParsedSentence, Row};
use crate::check::words::phrases;
use crate::evidence::value::plain;

/// Words that exclude groups from a comparison.
const EXCEPT: [&str; 14] = [
    "other than",
    "apart from",
    "except",
    "excluding",
    "besides",
    "aside from",
    "after",
    "behind",
    "without",
    "known",
    "named",
    "identified",
    "specified",
    "remaining",
];

/// Returns whether a group outside of `held` has more (or fewer) records than one of them.
pub(crate) fn is_beaten(
    sentence: &ParsedSentence<'_>,
    group: &Group<'_>,
    held: &[&Mention],
    sign: Ordering,
) -> bool {
    let excepts = !phrases(&sentence.folded, &EXCEPT).is_empty();
    let is_out = |at: usize| {
        let value = plain(&group.rows[at].value).to_lowercase();
        let unknown = ["unknown", "other", "unspecified", "n/a"]
            .iter()
            .any(|word| value.starts_with(word));
        excepts && (unknown || group.is_named(at))
    };

    rivals(group, held)
        .filter(|(at, _)| !is_out(*at))
        .any(|(_, rival)| {
            held.iter()
                .any(|mention| rival.count.cmp(&group.rows[mention.row].count) == sign)
        })
}

/// Returns whether the groups of `held` are certainly the only largest ones. Nothing is certain
/// about the smallest ones, because the list of groups may be incomplete.
pub(crate) fn is_alone(group: &Group<'_>, held: &[&Mention], sign: Ordering) -> bool {
    sign == Ordering::Greater
        && rivals(group, held).all(|(_, rival)| {
            held.iter()
                .all(|mention| rival.count < group.rows[mention.row].count)
        })
}

/// Returns the groups outside of `held` that have a value.
fn rivals<'g>(
    group: &'g Group<'_>,
    held: &'g [&Mention],
) -> impl Iterator<Item = (usize, &'g Row)> {
    let is_blank = |row: &Row| row.value.is_null() || plain(&row.value).is_empty();
    let rows = group.rows.iter().enumerate();
    rows.filter(move |(at, row)| !is_blank(row) && held.iter().all(|mention| mention.row != *at))
}
