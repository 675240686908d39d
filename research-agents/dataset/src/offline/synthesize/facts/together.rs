//! Values that go together, or do not, more often than by chance.

use research_agents_report::claim::{Basis, Claim, Statement};
use research_agents_report::evidence::sum_of;
use serde_json::Value;

use crate::data::task::ValuePair;
use crate::found::relations::is_clearer;
use crate::offline::say::{Group, Grouping, percent, ratio, records, spoken, statement};
use crate::offline::synthesize::material::Material;

/// Groups inside groups are reported from so many records, standard deviations from chance, and
/// difference in their shares on.
const FEWEST: f64 = 5.0;
const FROM_CHANCE: f64 = 3.5;
const APART: f64 = 0.05;

/// Returns how far the share of one of two values among the records with the other is from its
/// share among all, seen as [`together`] does.
pub(crate) fn gap(material: &Material<'_>, pair: &ValuePair, main: Option<&str>) -> f64 {
    gap_from(material, pair, seen_from(material, pair, main))
}

fn gap_from(material: &Material<'_>, pair: &ValuePair, from: usize) -> f64 {
    (ratio(pair.together, pair.each[from]) - ratio(pair.each[1 - from], material.read)).abs()
}

/// Returns the value that a pair is seen from: the field of the question, else where the difference
/// is larger.
fn seen_from(material: &Material<'_>, pair: &ValuePair, main: Option<&str>) -> usize {
    let asked = pair
        .fields
        .iter()
        .position(|field| Some(field.as_str()) == main);
    asked.unwrap_or_else(|| usize::from(gap_from(material, pair, 1) > gap_from(material, pair, 0)))
}

/// Returns two values that go together, or do not: how frequent one is among the records with the
/// other, and among all.
pub(crate) fn together(material: &Material<'_>, pair: &ValuePair, main: Option<&str>) -> Statement {
    let from = seen_from(material, pair, main);

    let count = |field: String, value: Value, number| Claim::Count {
        over: Basis::Records,
        field,
        value,
        number,
    };
    let one = |at: usize| {
        count(
            pair.fields[at].clone(),
            pair.values[at].clone(),
            pair.each[at],
        )
    };
    let both = count(
        pair.fields.join(","),
        Value::Array(pair.values.to_vec()),
        pair.together,
    );

    let named = |at: usize| {
        (
            pair.fields[at].as_str(),
            spoken(&pair.values[at]),
            pair.each[at],
        )
    };
    let text = among(named(from), pair.together, named(1 - from), material.read);

    statement(
        text,
        vec![both, one(from), one(1 - from), material.read_claim()],
    )
}

/// Compares a share with the overall one: *Among the 17 records with size Large, 12 (70.6 %) have
/// damage Minor, against 30 of 165 overall (18.2 %).*
fn among(from: (&str, String, u64), both: u64, to: (&str, String, u64), all: u64) -> String {
    let is_below = ratio(both, from.2) < ratio(to.2, all);

    let start = if both == from.2 {
        format!(
            "All {} with {} {} have {} {}",
            records(from.2),
            from.0,
            from.1,
            to.0,
            to.1
        )
    } else if both == 0 {
        format!(
            "Of the {} with {} {}, none has {} {}",
            records(from.2),
            from.0,
            from.1,
            to.0,
            to.1
        )
    } else {
        let (only, share) = (if is_below { "only " } else { "" }, percent(both, from.2));
        let have = if both == 1 { "has" } else { "have" };
        format!(
            "Among the {} with {} {}, {only}{both} ({share}) {have} {} {}",
            records(from.2),
            from.0,
            from.1,
            to.0,
            to.1
        )
    };

    format!(
        "{start}, against {} of {all} overall ({}).",
        to.2,
        percent(to.2, all)
    )
}

/// Returns what groupings by two fields show: for each two fields the group that is furthest from
/// what it would be if the fields were independent.
pub(crate) fn crossed(material: &Material<'_>) -> Vec<Statement> {
    let inner = material.aggregations().filter_map(Grouping::inner);
    let flat = material
        .aggregations()
        .filter(|table| table.field.contains(','))
        .map(Grouping::from_aggregation);
    let mut tables: Vec<Grouping> = inner.chain(flat.filter(Grouping::has_pairs)).collect();
    tables.dedup_by(|a, b| a.name == b.name);
    tables
        .iter()
        .filter_map(|pairs| furthest(material, pairs))
        .collect()
}

/// Returns the group by two fields that is furthest from chance, seen from the group of one field
/// that it lies in.
fn furthest(material: &Material<'_>, inner: &Grouping) -> Option<Statement> {
    let (outer, field) = inner.name.split_once(" and ")?;
    let (outer, whole) = (material.grouping(outer)?, material.grouping(field)?);
    if outer.total != inner.total || whole.total != inner.total {
        return None;
    }

    let of = |grouping: &Grouping, wanted: &Value| {
        let is_it =
            |group: &&Group| matches!(&group.claim, Claim::Count { value, .. } if value == wanted);
        grouping.groups.iter().find(is_it).cloned()
    };

    let mut best: Option<(f64, f64, Statement)> = None;
    for both in &inner.groups {
        let Claim::Count {
            value: Value::Array(values),
            ..
        } = &both.claim
        else {
            continue;
        };
        let [x, y] = values.as_slice() else { continue };
        let (Some(from), Some(to)) = (of(outer, x), of(whole, y)) else {
            continue;
        };

        // A tool that lists only some inner groups would distort the shares.
        let is_inside = |pair: &&Group| match &pair.claim {
            Claim::Count { value, .. } => value.get(0) == Some(x),
            _ => false,
        };
        let inside = inner.groups.iter().filter(is_inside).map(|pair| pair.count);
        if sum_of(inside) != from.count {
            continue;
        }

        // The deviation from independent fields, in standard deviations.
        let all = outer.total;
        let (with_x, with_y) = (ratio(from.count, all), ratio(to.count, all));
        #[expect(
            clippy::cast_precision_loss,
            reason = "counts of records are far below 2^52"
        )]
        let expected = with_x * to.count as f64;
        #[expect(
            clippy::cast_precision_loss,
            reason = "counts of records are far below 2^52"
        )]
        let count = both.count as f64;
        let from_chance = (count - expected) / (expected * (1.0 - with_x) * (1.0 - with_y)).sqrt();
        let apart = (ratio(both.count, from.count) - with_y).abs();

        let is_clear =
            count.max(expected) >= FEWEST && from_chance.abs() >= FROM_CHANCE && apart >= APART;
        let is_clearest = best
            .as_ref()
            .is_none_or(|(z, gap, _)| is_clearer((from_chance, apart), (*z, *gap)));
        if !is_clear || !is_clearest {
            continue;
        }

        let named = |name: &str, group: &Group| (name.to_owned(), group.label.clone(), group.count);
        let (a, b) = (named(&outer.name, &from), named(field, &to));
        let text = among((&a.0, a.1, a.2), both.count, (&b.0, b.1, b.2), all);
        let claims = vec![
            both.claim.clone(),
            from.claim,
            to.claim,
            outer.total_claim.clone(),
        ];
        best = Some((from_chance, apart, statement(text, claims)));
    }

    best.map(|(_, _, statement)| statement)
}
