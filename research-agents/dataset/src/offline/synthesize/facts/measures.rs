//! Quantities that differ between groups.

use research_agents_report::claim::{Basis, Claim, Statement, Statistic};
use research_agents_report::text::list;

use crate::data::task::{GroupedMeasure, MeasuredGroup};
use crate::offline::say::{Quantity, percent, ratio, records, spoken, statement};
use crate::offline::synthesize::facts::quantities::{MOSTLY, adds_up, whole};
use crate::offline::synthesize::material::Material;

/// Groups whose numbers are named one by one.
const NAMED: usize = 4;

/// The share of a group in a sum is reported if it differs so much from its share in the records.
const OUT_OF_PROPORTION: f64 = 0.15;

/// Returns how a quantity differs between groups: by a part of its sum that is out of proportion,
/// else by its middle.
pub(crate) fn differing(material: &Material<'_>, measure: &GroupedMeasure) -> Option<Statement> {
    out_of_proportion(material, measure).or_else(|| by_group(material, measure))
}

/// Returns how a quantity differs between groups: by its median, or by its mean if the medians are
/// alike.
///
/// A mean that results from one large number says nothing of its group. For what adds up, such as
/// costs that are mostly zero, few numbers determine the means.
fn by_group(material: &Material<'_>, measure: &GroupedMeasure) -> Option<Statement> {
    let (first, last) = (measure.groups.first()?, measure.groups.last()?);
    let by_median = first.median > last.median;
    if !by_median && (says_little_by_means(material, &measure.field) || !material.is_mostly_read())
    {
        return None;
    }

    let mut groups: Vec<&MeasuredGroup> = measure.groups.iter().collect();
    if !by_median {
        groups.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    }

    let (statistic, name) = if by_median {
        (Statistic::Median, "median")
    } else {
        (Statistic::Mean, "mean")
    };
    let number = |group: &MeasuredGroup| if by_median { group.median } else { group.mean };

    let said = Quantity::from_field(&measure.field);
    let shown =
        |number: f64, labels: &[String]| format!("{} for {}", said.amount(number), list(labels));
    let label = |group: &MeasuredGroup| spoken(&group.value);

    // A few groups are named one by one, of many only the ends.
    let (named, text) = if groups.len() <= NAMED {
        // Groups with the same number share it.
        let same = groups.chunk_by(|a, b| number(a) == number(b));
        let parts = same.map(|same| {
            shown(
                number(same[0]),
                &same.iter().map(|group| label(group)).collect::<Vec<_>>(),
            )
        });
        (
            groups.clone(),
            format!("is {}", list(&parts.collect::<Vec<_>>())),
        )
    } else {
        let ends = vec![groups[groups.len() - 1], groups[0]];
        let [low, high] = [ends[0], ends[1]].map(|group| shown(number(group), &[label(group)]));
        (ends, format!("ranges from {low} to {high}"))
    };

    let text = format!(
        "The {name} {} by {} {text}{}.",
        said.name,
        measure.by,
        left_out(measure)
    );

    let mut claims: Vec<Claim> = named
        .iter()
        .map(|group| measured(measure, group, statistic, number(group)))
        .collect();
    claims.extend(named.first().map(|group| holders(measure, group)));

    // That they are groups of the data.
    claims.extend(
        measure
            .left_out
            .iter()
            .take(NAMED)
            .map(|group| measured(measure, group, Statistic::Sum, group.sum)),
    );

    Some(statement(text, claims))
}

/// Returns the groups that the sentence does not cover, as a part of it.
fn left_out(measure: &GroupedMeasure) -> String {
    let names: Vec<String> = measure
        .left_out
        .iter()
        .map(|group| spoken(&group.value))
        .collect();
    match names.len() {
        0 => String::new(),
        1 => format!("; {} has too few numbers to compare", names[0]),
        2..=NAMED => format!("; {} have too few numbers to compare", list(&names)),
        _ => "; the other groups have too few numbers to compare".to_owned(),
    }
}

fn says_little_by_means(material: &Material<'_>, field: &str) -> bool {
    let numbers = material
        .profile(field)
        .and_then(|profile| profile.numbers.as_ref());
    numbers.is_none_or(|numbers| adds_up(field, numbers)) || is_dominated_by_one(material, field)
}

/// Returns a group whose share of a sum differs from its share of the records.
fn out_of_proportion(material: &Material<'_>, measure: &GroupedMeasure) -> Option<Statement> {
    let numbers = material.profile(&measure.field)?.numbers.as_ref()?;
    if !adds_up(&measure.field, numbers)
        || is_dominated_by_one(material, &measure.field)
        || !material.is_mostly_read()
    {
        return None;
    }

    let gap = |group: &MeasuredGroup| group.sum / numbers.sum - ratio(group.records, material.read);
    let group = measure
        .groups
        .iter()
        .max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    if gap(group) < OUT_OF_PROPORTION {
        return None;
    }

    let said = Quantity::from_field(&measure.field);
    let text = format!(
        "The {} with {} {}, {} of all, hold {:.1} % of the sum of {}: {} of {}.",
        records(group.records),
        measure.by,
        spoken(&group.value),
        percent(group.records, material.read),
        100.0 * group.sum / numbers.sum,
        said.name,
        said.amount(group.sum),
        said.amount(numbers.sum)
    );

    let claims = vec![
        holders(measure, group),
        material.read_claim(),
        measured(measure, group, Statistic::Sum, group.sum),
        whole(&measure.field, Statistic::Sum, numbers.sum, None),
    ];

    Some(statement(text, claims))
}

/// Returns whether one record holds most of the sum of a field.
fn is_dominated_by_one(material: &Material<'_>, field: &str) -> bool {
    let numbers = material
        .profile(field)
        .and_then(|profile| profile.numbers.as_ref());
    numbers.is_none_or(|numbers| numbers.max.0 > MOSTLY * numbers.sum)
}

fn measured(
    measure: &GroupedMeasure,
    group: &MeasuredGroup,
    statistic: Statistic,
    number: f64,
) -> Claim {
    let (field, by, value) = (
        measure.field.clone(),
        measure.by.clone(),
        group.value.clone(),
    );
    Claim::GroupStatistic {
        field,
        statistic,
        number,
        by,
        value,
    }
}

fn holders(measure: &GroupedMeasure, group: &MeasuredGroup) -> Claim {
    let (field, value, number) = (measure.by.clone(), group.value.clone(), group.records);
    Claim::Count {
        over: Basis::Records,
        field,
        value,
        number,
    }
}
