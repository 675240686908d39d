//! Checks superlatives: *Gentoo has the highest mean body mass* holds only if no other group of the
//! whole table has a higher one, and *the highest record* only with the place in a ranking.

use std::cmp::Ordering;
use std::ops::Range;

use serde_json::Value;

use crate::check::computed::binding::field_after;
use crate::check::computed::ranking;
use crate::check::computed::scene::{Dimension, RECORD, Scene, Stated, is_same};
use crate::check::computed::vocabulary::Named;
use crate::check::counts::measured::Measured;
use crate::check::failure::Failure;
use crate::claim::{Claim, Statistic};
use crate::evidence::table::{Table, TableRow};
use crate::evidence::value::plain;

/// The words for the second to the fifth place.
const ORDINALS: [(&str, u64); 4] = [
    ("ordinal2", 2),
    ("ordinal3", 3),
    ("ordinal4", 4),
    ("ordinal5", 5),
];

/// Checks every superlative of a sentence with claims on statistics or rankings.
///
/// # Errors
///
/// Returns [`Failure::WrongComparison`] for one that the tables do not prove.
pub(crate) fn check(scene: &Scene<'_>) -> Result<(), Failure> {
    for (meaning, sign) in [("high", Ordering::Greater), ("low", Ordering::Less)] {
        for place in scene.find(meaning) {
            if !is_comparison(scene, &place) {
                check_at(scene, &place, sign)?;
            }
        }
    }
    Ok(())
}

/// Returns whether a word compares with a group that follows.
fn is_comparison(scene: &Scene<'_>, place: &Range<usize>) -> bool {
    scene
        .dimensions
        .iter()
        .any(|one| other(scene, one, place).is_some())
}

/// Returns the group that a comparative compares with: after a word such as *than*, or right after
/// a word such as *exceeds*.
pub(crate) fn other<'s>(
    scene: &Scene<'_>,
    dimension: &'s Dimension,
    place: &Range<usize>,
) -> Option<&'s Named<Value>> {
    /// Words between a comparative and what it compares with.
    const MOST: usize = 10;
    let after = dimension
        .named
        .iter()
        .filter(|named| named.at.start >= place.end);
    after.into_iter().find(|next| {
        let between = scene.sentence.between(place.end, next.at.start);
        let all = scene.words_in(place.end, next.at.start);
        if between.contains([',', ';', '.', ':']) || all.len() > MOST {
            return false;
        }

        let mut words = all;
        while let [rest @ .., last] = words
            && scene.vocabulary.is("filler", last)
            && !scene.vocabulary.is("than", last)
        {
            words = rest;
        }
        let own = scene.words_in(place.start, place.end);
        scene.vocabulary.ends("than", words)
            || (words.is_empty() && scene.vocabulary.ends("object", own))
    })
}

fn check_at(scene: &Scene<'_>, place: &Range<usize>, sign: Ordering) -> Result<(), Failure> {
    let before = scene.words_before(place.start);
    if scene.vocabulary.ends("weak", before)
        || scene
            .vocabulary
            .ends("weak", scene.words_in(0, place.start))
    {
        return Ok(());
    }

    let wanted = ordinal(scene, place).unwrap_or(1);
    let is_denied = scene.vocabulary.ends("not", before);
    let verdict = ranking::verdict(scene, place, sign, wanted)
        .or_else(|| of_groups(scene, place, sign, wanted))
        .or_else(|| of_values(scene, sign))
        .unwrap_or(false);
    if verdict != is_denied {
        return Ok(());
    }
    Err(Failure::WrongComparison {
        words: scene.sentence.text[place.clone()].to_owned(),
        value: subject(scene, place).map_or_else(String::new, |(_, key)| plain(&key)),
    })
}

/// Returns the place that a word next to a superlative names: *the second highest*.
fn ordinal(scene: &Scene<'_>, place: &Range<usize>) -> Option<u64> {
    let before = scene.words_before(place.start);
    let after = scene.words_in(place.end, scene.sentence.text.len());
    let is = |meaning: &str| {
        scene.vocabulary.ends(meaning, before)
            || scene.vocabulary.begins(meaning, after)
            || (place.len() > 7 && {
                let own = scene.words_in(place.start, place.end);
                own.first()
                    .is_some_and(|word| scene.vocabulary.is(meaning, word))
            })
    };
    ORDINALS
        .iter()
        .find(|(meaning, _)| is(meaning))
        .map(|(_, wanted)| *wanted)
}

/// Returns whether a group has the extreme value of its table. `None` without claims on groups.
fn of_groups(scene: &Scene<'_>, place: &Range<usize>, sign: Ordering, wanted: u64) -> Option<bool> {
    let grouped: Vec<Measured<'_>> = scene
        .claims
        .iter()
        .filter_map(Measured::of_claim)
        .filter(|measured| measured.group.is_some())
        .collect();
    if grouped.is_empty() {
        return None;
    }

    // *The largest number of records* is about the counts of groups, and *the highest value* of one
    // group about its maximum.
    let own = if sign == Ordering::Greater {
        Statistic::Max
    } else {
        Statistic::Min
    };
    if wanted == 1 && names_values(scene, place) && grouped.iter().any(|one| one.statistic == own) {
        return Some(true);
    }

    let subject = subject(scene, place);
    let field = field_after(scene, place);
    let kind = statistic_after(scene, place);
    let is_meant = |measured: &&Measured<'_>| {
        let is_other = field.is_some_and(|field| !field.eq_ignore_ascii_case(measured.field));
        !is_other && kind.is_none_or(|kind| kind == measured.statistic)
    };
    let rank_of = |measured: &Measured<'_>| {
        let table = scene.evidence.table(measured.over)?;
        let (by, value) = measured.group?;
        rank(table, table.row(by, value)?, measured, sign)
    };
    let meant: Vec<&Measured<'_>> = grouped.iter().filter(is_meant).collect();
    let Some((field, key)) = subject else {
        let mut ranks = meant.into_iter().filter_map(rank_of);
        return Some(ranks.any(|rank| rank.contains(&wanted)));
    };

    // *Ada, Ben and Cleo have the highest totals*: each is among the first three.
    let named = listed(scene, &field, &key, place);
    let most = named.len() as u64;
    let is_among = |rank: std::ops::RangeInclusive<u64>| match most {
        2.. if wanted == 1 => *rank.start() <= most,
        _ => rank.contains(&wanted),
    };
    let holds = |key: &Value| {
        let of_group = meant.iter().filter(|one| is_of_group(one, &field, key));
        let mut ranks = of_group.filter_map(|one| rank_of(one));
        ranks.any(is_among)
    };
    Some(named.iter().all(holds))
}

/// Returns whether a claim is about the group with this value of a field; it may be about no value
/// of that field.
fn is_of_group(measured: &Measured<'_>, field: &str, key: &Value) -> bool {
    let keys = measured
        .group
        .map_or_else(Vec::new, |(by, value)| super::scene::keys(by, value));
    let mut same = keys
        .iter()
        .filter(|(own, _)| own.eq_ignore_ascii_case(field));
    same.all(|(_, value)| is_same(value, key))
}

/// Returns the groups of the list before a superlative that ends with its subject, which may be the
/// only one: *Ada 91, Ben 84 and Cleo 77 have the highest totals*.
fn listed(scene: &Scene<'_>, field: &str, subject: &Value, place: &Range<usize>) -> Vec<Value> {
    let dimension = scene.dimensions.iter().find(|one| one.field == field);
    let named = dimension.map_or(&[][..], |one| one.named.as_slice());
    let is_subject = |one: &Named<Value>| one.at.end <= place.start && one.key == *subject;
    let Some(last) = named.iter().rposition(is_subject) else {
        return vec![subject.clone()];
    };

    let joins = |at: usize| ranking::is_list(scene, named[at - 1].at.end, named[at].at.start);
    let mut first = last;
    while first > 0 && joins(first) {
        first -= 1;
    }
    let mut found: Vec<Value> = Vec::new();
    for one in &named[first..=last] {
        if !found.contains(&one.key) {
            found.push(one.key.clone());
        }
    }
    found
}

/// Returns the statistic that a superlative is about.
fn statistic_after(scene: &Scene<'_>, place: &Range<usize>) -> Option<Statistic> {
    let mut hard = scene
        .statistics
        .iter()
        .filter(|named| !named.key.is_superlative);
    let next = hard.find(|named| named.at.start >= place.end)?;
    let is_near = scene.words_in(place.end, next.at.start).len() <= 1;
    is_near.then_some(next.key.statistic)
}

/// Returns whether a superlative is about the values of a field, and not about groups: no statistic
/// but the minimum and the maximum is named after it.
fn names_values(scene: &Scene<'_>, place: &Range<usize>) -> bool {
    let next = scene
        .statistics
        .iter()
        .find(|named| named.at.start >= place.start);
    next.is_none_or(|named| {
        named.key.is_superlative
            || matches!(named.key.statistic, Statistic::Min | Statistic::Max)
            || scene.words_in(place.end, named.at.start).len() > 2
    })
}

/// Returns whether a claim states the extreme value of a field.
fn of_values(scene: &Scene<'_>, sign: Ordering) -> Option<bool> {
    let own = if sign == Ordering::Greater {
        Statistic::Max
    } else {
        Statistic::Min
    };

    let is_own = |claim: &Claim| match claim {
        Claim::Statistic { statistic, .. } | Claim::GroupStatistic { statistic, .. } => {
            *statistic == own
        }
        other => Measured::of_claim(other).is_some_and(|measured| measured.statistic == own),
    };
    // The superlatives of counts are checked with the counts.
    let is_count = |claim: &Claim| matches!(claim, Claim::Count { .. } | Claim::Statistic { .. });
    Some(
        scene
            .claims
            .iter()
            .any(|claim| is_own(claim) || is_count(claim)),
    )
}

/// Returns the places that a group has among the groups of a table: several if others have the
/// same value. `None` if the table does not tell.
pub(crate) fn rank(
    table: &Table,
    row: &TableRow,
    measured: &Measured<'_>,
    sign: Ordering,
) -> Option<std::ops::RangeInclusive<u64>> {
    let number = |row: &TableRow| {
        let measure = row.measure(measured.field, measured.statistic)?;
        measure
            .number
            .map(Extreme::Number)
            .or_else(|| measure.text.clone().map(Extreme::Text))
    };
    let own = number(row)?;
    let is_ordered = table.order.as_ref().is_some_and(|order| {
        order.field.eq_ignore_ascii_case(measured.field)
            && order.statistic == Some(measured.statistic)
            && order.highest == (sign == Ordering::Greater)
    });
    if !table.is_complete(&row.field) && !is_ordered {
        return None;
    }

    let others = table
        .rows_of(&row.field)
        .filter(|other| !other.value.is_null());
    let others = others.filter(|other| other.value != row.value);
    let (mut better, mut equal) = (0, 0);
    for other in others.filter_map(number) {
        match other.partial_cmp(&own)? {
            Ordering::Equal => equal += 1,
            order if order == sign => better += 1,
            _ => {}
        }
    }
    Some(better + 1..=better + 1 + equal)
}

/// A value that can be the highest: a number, or a date as text.
#[derive(PartialEq, PartialOrd)]
enum Extreme {
    Number(f64),
    Text(String),
}

/// Returns the group that a superlative is about, with its field.
pub(crate) fn subject(scene: &Scene<'_>, place: &Range<usize>) -> Option<(String, Value)> {
    let groups = scene.dimensions.iter().filter(|one| one.field != RECORD);
    let mut found: Vec<(usize, String, Value)> = groups
        .filter_map(|dimension| {
            let key = subject_in(scene, dimension, place)?;
            let at = dimension.named.iter().find(|named| named.key == key)?;
            let distance = at.at.start.abs_diff(place.start);
            Some((distance, dimension.field.clone(), key))
        })
        .collect();
    found.sort_by_key(|(distance, ..)| *distance);
    found.into_iter().next().map(|(_, field, key)| (field, key))
}

/// Returns the value of a dimension that a superlative is about: the nearest before it in its
/// clause that is not compared with, else the next one.
fn subject_in(scene: &Scene<'_>, dimension: &Dimension, place: &Range<usize>) -> Option<Value> {
    let breaks = |from: usize, to: usize| {
        let between = scene.sentence.between(from, to);
        between.contains(". ") || between.contains("; ")
    };
    let before = dimension.named.iter().rfind(|named| {
        named.at.end <= place.start
            && !breaks(named.at.end, place.start)
            && !scene.is_object(named.at.start)
    });
    let after = dimension
        .named
        .iter()
        .find(|named| named.at.start >= place.end && !breaks(place.end, named.at.start));
    before.or(after).map(|named| named.key.clone())
}

/// Returns whether the claims of a statement and of another one are about the same statistic.
pub(crate) fn is_alike(a: &Stated<'_>, b: &Stated<'_>) -> bool {
    a.field.eq_ignore_ascii_case(b.field) && a.statistic == b.statistic
}
