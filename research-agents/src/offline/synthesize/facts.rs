//! What is worth knowing besides the answer: how things run over time, what goes together, what differs by group, and what
//! the quantities amount to.

use serde_json::Value;

use super::super::lexicon;
use super::super::say::{Group, Grouping, Quantity, percent, records, spoken, statement};
use super::super::text::{list, words};
use super::material::Material;
use super::part;
use crate::dataset::relations::is_clearer;
use crate::dataset::task::{FieldProfile, GroupedMeasure, MeasuredGroup, NumberProfile, ValuePair};
use crate::kernel::claim::{Basis, Claim, Statement, Statistic};
use crate::kernel::evidence::plain;

/// Groups whose numbers are named one by one.
const NAMED: usize = 4;

/// The share of a group in a sum is told when it differs so much from its share in the records.
const OUT_OF_PROPORTION: f64 = 0.15;

/// Groups inside groups are told from so many records, standard deviations from chance, and difference in their shares on.
const FEWEST: f64 = 5.0;
const FROM_CHANCE: f64 = 3.5;
const APART: f64 = 0.05;

/// A number that so large a share of the values has is told first.
const MOSTLY: f64 = 0.5;

/// How far the share of one of two values among the records with the other is from its share among all, seen as [`together`]
/// does.
pub(super) fn gap(material: &Material<'_>, pair: &ValuePair, main: Option<&str>) -> f64 {
    gap_from(material, pair, seen_from(material, pair, main))
}

fn gap_from(material: &Material<'_>, pair: &ValuePair, from: usize) -> f64 {
    (ratio(pair.together, pair.each[from]) - ratio(pair.each[1 - from], material.read)).abs()
}

/// A pair is seen from the field of the question, else from where the difference is larger.
fn seen_from(material: &Material<'_>, pair: &ValuePair, main: Option<&str>) -> usize {
    let asked = pair.fields.iter().position(|field| Some(field.as_str()) == main);
    asked.unwrap_or_else(|| usize::from(gap_from(material, pair, 1) > gap_from(material, pair, 0)))
}

/// Two values that go together, or do not: how frequent one is among the records with the other, and among all.
pub(super) fn together(material: &Material<'_>, pair: &ValuePair, main: Option<&str>) -> Statement {
    let from = seen_from(material, pair, main);
    let count = |field: String, value: Value, number| Claim::Count { over: Basis::Records, field, value, number };
    let one = |at: usize| count(pair.fields[at].clone(), pair.values[at].clone(), pair.each[at]);
    let both = count(pair.fields.join(","), Value::Array(pair.values.to_vec()), pair.together);
    let named = |at: usize| (pair.fields[at].as_str(), spoken(&pair.values[at]), pair.each[at]);
    let text = among(named(from), pair.together, named(1 - from), material.read);
    statement(text, vec![both, one(from), one(1 - from), material.read_claim()])
}

/// *Among the 17 records with size Large, 12 (70.6 %) have damage Minor, against 30 of 165 overall (18.2 %).*
fn among(from: (&str, String, u64), both: u64, to: (&str, String, u64), all: u64) -> String {
    let is_below = ratio(both, from.2) < ratio(to.2, all);
    let start = if both == from.2 {
        format!("All {} with {} {} have {} {}", records(from.2), from.0, from.1, to.0, to.1)
    } else if both == 0 {
        format!("Of the {} with {} {}, none has {} {}", records(from.2), from.0, from.1, to.0, to.1)
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
    format!("{start}, against {} of {all} overall ({}).", to.2, percent(to.2, all))
}

/// What groupings by two fields show: for each two fields the group that is furthest from what it would be if they had nothing
/// to do with each other.
pub(super) fn crossed(material: &Material<'_>) -> Vec<Statement> {
    let inner = material.aggregations().filter_map(Grouping::inner);
    let flat = material.aggregations().filter(|table| table.field.contains(',')).map(Grouping::of);
    let mut tables: Vec<Grouping> = inner.chain(flat.filter(Grouping::has_pairs)).collect();
    tables.dedup_by(|a, b| a.name == b.name);
    tables.iter().filter_map(|pairs| furthest(material, pairs)).collect()
}

/// The group by two fields that is furthest from chance, seen from the group of one field that it lies in.
fn furthest(material: &Material<'_>, inner: &Grouping) -> Option<Statement> {
    let (outer, field) = inner.name.split_once(" and ")?;
    let (outer, whole) = (material.grouping(outer)?, material.grouping(field)?);
    if outer.total != inner.total || whole.total != inner.total {
        return None;
    }
    let of = |grouping: &Grouping, wanted: &Value| {
        let is_it = |group: &&Group| matches!(&group.claim, Claim::Count { value, .. } if value == wanted);
        grouping.groups.iter().find(is_it).cloned()
    };
    let mut best: Option<(f64, f64, Statement)> = None;
    for both in &inner.groups {
        let Claim::Count { value: Value::Array(values), .. } = &both.claim else { continue };
        let [x, y] = values.as_slice() else { continue };
        let (Some(from), Some(to)) = (of(outer, x), of(whole, y)) else { continue };
        let is_inside = |pair: &&Group| matches!(&pair.claim, Claim::Count { value, .. } if value.get(0) == Some(x));
        let inside = inner.groups.iter().filter(is_inside).map(|pair| pair.count);
        if crate::kernel::evidence::sum_of(inside) != from.count {
            continue;
        }
        let all = outer.total;
        let (with_x, with_y) = (ratio(from.count, all), ratio(to.count, all));
        #[expect(clippy::cast_precision_loss, reason = "counts of records are far below 2^52")]
        let expected = with_x * to.count as f64;
        #[expect(clippy::cast_precision_loss, reason = "counts of records are far below 2^52")]
        let count = both.count as f64;
        let from_chance = (count - expected) / (expected * (1.0 - with_x) * (1.0 - with_y)).sqrt();
        let apart = (ratio(both.count, from.count) - with_y).abs();
        let is_clear = count.max(expected) >= FEWEST && from_chance.abs() >= FROM_CHANCE && apart >= APART;
        let is_clearest = best.as_ref().is_none_or(|(z, gap, _)| is_clearer((from_chance, apart), (*z, *gap)));
        if !is_clear || !is_clearest {
            continue;
        }
        let named = |name: &str, group: &Group| (name.to_owned(), group.label.clone(), group.count);
        let (a, b) = (named(&outer.name, &from), named(field, &to));
        let text = among((&a.0, a.1, a.2), both.count, (&b.0, b.1, b.2), all);
        let claims = vec![both.claim.clone(), from.claim, to.claim, outer.total_claim.clone()];
        best = Some((from_chance, apart, statement(text, claims)));
    }
    best.map(|(_, _, statement)| statement)
}

/// How a quantity differs between groups: by a part of its sum that is out of proportion, or else by its middle.
pub(super) fn differing(material: &Material<'_>, measure: &GroupedMeasure) -> Option<Statement> {
    out_of_proportion(material, measure).or_else(|| by_group(material, measure))
}

/// How a quantity differs between groups: by its median, or by its mean where the medians are alike.
///
/// A mean that one large number makes says nothing of its group, and of what adds up, such as costs that are mostly nothing,
/// few numbers make the means.
fn by_group(material: &Material<'_>, measure: &GroupedMeasure) -> Option<Statement> {
    let (first, last) = (measure.groups.first()?, measure.groups.last()?);
    let by_median = first.median > last.median;
    if !by_median && (says_little_by_means(material, &measure.field) || !material.is_mostly_read()) {
        return None;
    }
    let mut groups: Vec<&MeasuredGroup> = measure.groups.iter().collect();
    if !by_median {
        groups.sort_by(|a, b| b.mean.total_cmp(&a.mean));
    }
    let (statistic, name) = if by_median { (Statistic::Median, "median") } else { (Statistic::Mean, "mean") };
    let number = |group: &MeasuredGroup| if by_median { group.median } else { group.mean };
    let said = Quantity::of(&measure.field);
    let shown = |number: f64, labels: &[String]| format!("{} for {}", said.amount(number), list(labels));
    let label = |group: &MeasuredGroup| spoken(&group.value);
    let (named, text) = if groups.len() <= NAMED {
        // Groups with the same number share it.
        let same = groups.chunk_by(|a, b| number(a) == number(b));
        let parts = same.map(|same| shown(number(same[0]), &same.iter().map(|group| label(group)).collect::<Vec<_>>()));
        (groups.clone(), format!("is {}", list(&parts.collect::<Vec<_>>())))
    } else {
        let ends = vec![groups[groups.len() - 1], groups[0]];
        let [low, high] = [ends[0], ends[1]].map(|group| shown(number(group), &[label(group)]));
        (ends, format!("ranges from {low} to {high}"))
    };
    let text = format!("The {name} {} by {} {text}{}.", said.name, measure.by, left_out(measure));
    let mut claims: Vec<Claim> = named.iter().map(|group| measured(measure, group, statistic, number(group))).collect();
    claims.extend(named.first().map(|group| holders(measure, group)));
    // That they are groups of the data.
    claims.extend(measure.left_out.iter().take(NAMED).map(|group| measured(measure, group, Statistic::Sum, group.sum)));
    Some(statement(text, claims))
}

/// Groups that nothing is said of, as a part of the sentence.
fn left_out(measure: &GroupedMeasure) -> String {
    let names: Vec<String> = measure.left_out.iter().map(|group| spoken(&group.value)).collect();
    match names.len() {
        0 => String::new(),
        1 => format!("; {} has too few numbers to compare", names[0]),
        2..=NAMED => format!("; {} have too few numbers to compare", list(&names)),
        _ => "; the other groups have too few numbers to compare".to_owned(),
    }
}

fn says_little_by_means(material: &Material<'_>, field: &str) -> bool {
    let numbers = material.profile(field).and_then(|profile| profile.numbers.as_ref());
    numbers.is_none_or(|numbers| adds_up(field, numbers)) || is_made_by_one(material, field)
}

/// A group that holds another part of a sum than of the records.
fn out_of_proportion(material: &Material<'_>, measure: &GroupedMeasure) -> Option<Statement> {
    let numbers = material.profile(&measure.field)?.numbers.as_ref()?;
    if !adds_up(&measure.field, numbers) || is_made_by_one(material, &measure.field) || !material.is_mostly_read() {
        return None;
    }
    let gap = |group: &MeasuredGroup| group.sum / numbers.sum - ratio(group.records, material.read);
    let group = measure.groups.iter().max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    if gap(group) < OUT_OF_PROPORTION {
        return None;
    }
    let said = Quantity::of(&measure.field);
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

/// One record holds most of the sum of a field.
fn is_made_by_one(material: &Material<'_>, field: &str) -> bool {
    let numbers = material.profile(field).and_then(|profile| profile.numbers.as_ref());
    numbers.is_none_or(|numbers| numbers.max.0 > MOSTLY * numbers.sum)
}

fn measured(measure: &GroupedMeasure, group: &MeasuredGroup, statistic: Statistic, number: f64) -> Claim {
    let (field, by, value) = (measure.field.clone(), measure.by.clone(), group.value.clone());
    Claim::GroupStatistic { field, statistic, number, by, value }
}

fn holders(measure: &GroupedMeasure, group: &MeasuredGroup) -> Claim {
    let (field, value, number) = (measure.by.clone(), group.value.clone(), group.records);
    Claim::Count { over: Basis::Records, field, value, number }
}

fn whole(field: &str, statistic: Statistic, number: f64, source: Option<&String>) -> Claim {
    Claim::Statistic { field: field.to_owned(), statistic, number, source: source.cloned() }
}

/// What a quantity amounts to: its sum and the largest part of it where it adds up, else its range and its middle; before them
/// the number that it mostly is.
pub(super) fn quantity(material: &Material<'_>, profile: &FieldProfile) -> Vec<Statement> {
    let Some(numbers) = &profile.numbers else { return Vec::new() };
    let field = &profile.field;
    let said = Quantity::of(field);
    let smallest = whole(field, Statistic::Min, numbers.min.0, Some(&numbers.min.1));
    let largest = whole(field, Statistic::Max, numbers.max.0, Some(&numbers.max.1));
    if numbers.min.0 == numbers.max.0 {
        let text = format!("{} is {} in every record read that has one.", said.name, said.amount(numbers.min.0));
        return vec![statement(text, vec![smallest, largest])];
    }
    let sum = sum(material, profile);
    let usual = usual(profile);
    if let Some(sum) = sum.clone().filter(|_| usual.is_some_and(|(number, _)| number == 0.0)) {
        return vec![sum];
    }
    let mut found = Vec::new();
    if let Some(((_, number), (value, claim))) = usual.zip(usual_claim(profile)) {
        let text = format!("{field} is {} in {} that were read.", plain(value), part(number, material.read));
        found.push(statement(text, vec![claim, material.read_claim()]));
    }
    found.extend(sum);
    found.extend(middle(profile));
    found
}

/// Where a quantity lies: its ends, its median and its mean.
pub(super) fn middle(profile: &FieldProfile) -> Option<Statement> {
    let numbers = profile.numbers.as_ref()?;
    let (field, said) = (&profile.field, Quantity::of(&profile.field));
    let text = format!(
        "{} lies between {} and {}; its median is {} and its mean {}.",
        said.name,
        said.amount(numbers.min.0),
        said.amount(numbers.max.0),
        said.amount(numbers.median),
        said.amount(numbers.mean)
    );
    let claims = vec![
        whole(field, Statistic::Min, numbers.min.0, Some(&numbers.min.1)),
        whole(field, Statistic::Max, numbers.max.0, Some(&numbers.max.1)),
        whole(field, Statistic::Median, numbers.median, None),
        whole(field, Statistic::Mean, numbers.mean, None),
    ];
    Some(statement(text, claims))
}

/// What a quantity adds up to, and the largest part of it. Where it is mostly nothing, that is said first: the sum is that of few.
pub(super) fn sum(material: &Material<'_>, profile: &FieldProfile) -> Option<Statement> {
    let numbers = profile.numbers.as_ref().filter(|numbers| adds_up(&profile.field, numbers))?;
    if numbers.min.0 == numbers.max.0 {
        return None;
    }
    let (field, said) = (&profile.field, Quantity::of(&profile.field));
    let share = format!("{:.1} %", 100.0 * numbers.max.0 / numbers.sum);
    let (sum, largest) = (said.amount(numbers.sum), said.amount(numbers.max.0));
    let mut claims = vec![
        whole(field, Statistic::Max, numbers.max.0, Some(&numbers.max.1)),
        whole(field, Statistic::Sum, numbers.sum, None),
    ];
    let nothing = usual(profile).filter(|(number, _)| *number == 0.0).zip(usual_claim(profile));
    let text = match nothing {
        Some(((_, number), (_, claim))) => {
            claims.extend([claim, material.read_claim()]);
            let start =
                format!("{} is {} in {} that were read", said.name, said.amount(0.0), part(number, material.read));
            if profile.present - number == 1 {
                format!("{start}; the one other number is {largest}.")
            } else {
                format!("{start}; the others add up to {sum}, of which the largest is {largest} ({share}).")
            }
        }
        None => format!("{} adds up to {sum}; the largest single number is {largest}, {share} of the sum.", said.name),
    };
    Some(statement(text, claims))
}

/// The number that most records have in a field, with how many of them.
fn usual(profile: &FieldProfile) -> Option<(f64, u64)> {
    let (value, number) = profile.top.first().filter(|(_, number)| *number > 1)?;
    let number = (value.as_f64()?, *number);
    (ratio(number.1, profile.present) >= MOSTLY).then_some(number)
}

/// The most frequent value as it is in the data, with the claim that it is so frequent.
fn usual_claim(profile: &FieldProfile) -> Option<(&Value, Claim)> {
    let (value, number) = profile.top.first()?;
    let field = profile.field.clone();
    Some((value, Claim::Count { over: Basis::Records, field, value: value.clone(), number: *number }))
}

/// Whether the sum of a field says something: of money, people or pieces it does, of speeds or ages it does not.
fn adds_up(field: &str, numbers: &NumberProfile) -> bool {
    let is_named = field.contains(['$', '€', '£']) || words(field).iter().any(|word| lexicon::adds_up(&word.stem));
    is_named && numbers.min.0 >= 0.0 && numbers.sum > 0.0
}

/// How often a field is not given, when a question names it.
pub(super) fn missing(material: &Material<'_>, profile: &FieldProfile) -> Option<Statement> {
    if profile.missing == 0 {
        return None;
    }
    let text = format!("{} is not given in {} that were read.", profile.field, part(profile.missing, material.read));
    let (field, number) = (profile.field.clone(), profile.missing);
    let count = Claim::Count { over: Basis::Records, field, value: Value::Null, number };
    Some(statement(text, vec![count, material.read_claim()]))
}

/// Where a complete grouping has its long tail: values with one record each.
pub(super) fn tail(grouping: &Grouping) -> Option<Statement> {
    let single: Vec<_> = grouping.groups.iter().filter(|group| group.count == 1).collect();
    let few = single.len() < 5 || single.len() == grouping.groups.len() || !grouping.complete;
    (!few).then(|| {
        let text = format!(
            "{} of the {} values of {} have a single record each.",
            single.len(),
            grouping.groups.len() + usize::from(grouping.missing.is_some()),
            grouping.name
        );
        statement(text, grouping.claims(single))
    })
}

pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of records are far below 2^52")]
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
