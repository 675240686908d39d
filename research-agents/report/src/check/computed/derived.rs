//! Numbers that follow from claims on statistics: differences, ratios and shares of two, and the
//! number of groups that have one.

use crate::check::computed::claims::Measured;
use crate::check::computed::scene::{Scene, Stated};
use crate::check::figure::Figure;
use crate::claim::Statistic;
use crate::evidence::table::TableRow;

/// Maximum distance of a word for a difference from its number, in words.
const NEAR: usize = 6;

/// Returns whether a number is a difference, a ratio or a share of two statistics of the claims, or
/// the number of groups, and the sentence says so.
pub(crate) fn explains(scene: &Scene<'_>, figure: &Figure) -> bool {
    counts_groups(scene, figure) || follows(scene, figure)
}

/// Returns whether a number is the number of groups that have the statistic of a claim: *of the 12
/// groups, Gentoo has the highest mean*.
fn counts_groups(scene: &Scene<'_>, figure: &Figure) -> bool {
    let after = scene.words_in(figure.at.end, scene.sentence.text.len());
    let is_said = scene.vocabulary.begins("groups", after);
    let mut claims = scene.claims.iter().filter_map(Measured::of_claim);
    is_said
        && !figure.percent
        && !figure.times
        && claims.any(|measured| {
            let group = measured.group;
            let table = scene.evidence.table(measured.over);
            let Some(((by, _), table)) = group.zip(table) else {
                return false;
            };
            let has_value = |row: &&TableRow| {
                let measure = row.measure(measured.field, measured.statistic);
                !row.value.is_null()
                    && measure.is_some_and(|one| one.number.is_some() || one.text.is_some())
            };
            let groups = table.rows_of(by).filter(has_value).count();
            table.is_complete(by) && figure.shows(groups as f64)
        })
}

/// Returns whether a number is a difference, a ratio or a share of two statistics of the claims.
fn follows(scene: &Scene<'_>, figure: &Figure) -> bool {
    pairs(scene).any(|(a, b)| {
        let (Some(x), Some(y)) = (a.number, b.number) else {
            return false;
        };
        if figure.times {
            return y != 0.0 && figure.shows(x / y);
        }
        if figure.percent {
            let change =
                y != 0.0 && says_difference(scene, figure) && figure.shows(100.0 * (x - y) / y);
            return change || is_share(scene, a, b, figure);
        }
        says_difference(scene, figure) && figure.shows(x - y)
    })
}

/// Returns every ordered pair of statements on the same field and statistic.
fn pairs<'s, 'c>(scene: &'s Scene<'c>) -> impl Iterator<Item = (&'s Stated<'c>, &'s Stated<'c>)> {
    let alike = |a: &Stated<'_>, b: &Stated<'_>| {
        a.claim != b.claim && a.field.eq_ignore_ascii_case(b.field) && a.statistic == b.statistic
    };
    let all = scene.stated.iter();
    all.flat_map(move |a| {
        let others = scene.stated.iter().filter(move |b| alike(a, b));
        others.map(move |b| (a, b))
    })
}

/// Returns whether a number is the share of a group's sum in the sum over all records, which has no
/// negative part.
fn is_share(scene: &Scene<'_>, part: &Stated<'_>, whole: &Stated<'_>, figure: &Figure) -> bool {
    let (Some(x), Some(y)) = (part.number, whole.number) else {
        return false;
    };
    let is_whole = whole.keys.is_empty() && !part.keys.is_empty();
    let is_sum = part.statistic == Some(Statistic::Sum);
    let rows = scene
        .claims
        .get(whole.claim)
        .and_then(|claim| claim.aggregation());
    let table = rows.and_then(|id| scene.evidence.table(id));
    let has_negative = table.is_some_and(|table| {
        let sums = table
            .rows
            .iter()
            .filter_map(|row| row.measure(part.field, Statistic::Sum));
        sums.filter_map(|measure| measure.number)
            .any(|sum| sum < 0.0)
    });
    is_whole && is_sum && y > 0.0 && !has_negative && figure.shows(100.0 * x / y)
}

/// Returns whether a word for a difference is near a number.
fn says_difference(scene: &Scene<'_>, figure: &Figure) -> bool {
    scene.find("difference").iter().any(|place| {
        let between = if place.end <= figure.at.start {
            scene.words_in(place.end, figure.at.start)
        } else {
            scene.words_in(figure.at.end, place.start)
        };
        between.len() <= NEAR
    })
}
