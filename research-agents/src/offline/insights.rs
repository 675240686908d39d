//! What the groups of an aggregation show, in exact numbers.

use super::say::{Grouping, percent, records, statement};
use super::text::list;
use crate::dataset::record::AggregationResult;
use crate::dataset::task::{InsightsOutput, InsightsTask};
use crate::kernel::claim::Statement;

/// No more insights than this are given.
const MOST: usize = 5;

/// Up to this many groups are spoken of one by one.
const FEW_GROUPS: usize = 3;

/// Numbers of the largest groups that are summed up, in the order of preference.
const TOGETHER: [usize; 4] = [3, 4, 2, 5];

/// Of more groups than this the smallest is not compared with the largest.
const COMPARED: usize = 12;

/// Of the first aggregation so many insights are given before the others have their say.
const OF_THE_FIRST: usize = 3;

/// Answers the task: the first aggregation's insights first, then those of the others in turn.
pub(super) fn insights(task: &InsightsTask) -> InsightsOutput {
    let all: Vec<Vec<Statement>> = task.aggregations.iter().map(of).collect();
    let mut insights: Vec<Statement> = all.first().into_iter().flatten().take(OF_THE_FIRST).cloned().collect();
    let longest = all.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..longest {
        insights.extend(all.iter().skip(1).filter_map(|own| own.get(round)).cloned());
    }
    insights.extend(all.first().into_iter().flatten().skip(OF_THE_FIRST).cloned());
    insights.truncate(MOST);
    InsightsOutput { insights }
}

/// What one aggregation shows, the most important first.
pub(super) fn of(aggregation: &AggregationResult) -> Vec<Statement> {
    let grouping = Grouping::of(aggregation);
    if grouping.total == 0 {
        return vec![statement("No record matches.".to_owned(), vec![grouping.total_claim.clone()])];
    }
    let mut found = if grouping.course { course(&grouping) } else { ranking(&grouping) };
    if let Some(pairs) = Grouping::inner(aggregation) {
        found.extend(leading(&pairs));
    }
    found.extend(missing(&grouping));
    found
}

/// The largest group, or the largest ones if several are equal.
pub(super) fn leading(grouping: &Grouping) -> Option<Statement> {
    let groups = &grouping.groups;
    let first = groups.first()?;
    let equal = &groups[..groups.iter().take_while(|group| group.count == first.count).count()];
    let part = format!("{} of {} ({})", first.count, records(grouping.total), percent(first.count, grouping.total));
    let named = &equal[..equal.len().min(FEW_GROUPS)];
    let labels: Vec<&str> = named.iter().map(|group| group.label.as_str()).collect();
    let name = &grouping.name;
    let text = match equal.len() {
        _ if grouping.total == 1 => format!("The record has {name} = {}.", first.label),
        _ if first.count == grouping.total => format!("All {} have {name} = {}.", records(first.count), first.label),
        1 if groups.len() == 1 => format!("The only group by {name} is {}, with {part}.", first.label),
        1 => format!("The largest group by {name} is {}, with {part}.", first.label),
        _ if first.count == 1 => format!("By {name}, no group holds more than {}.", records(1)),
        2..=FEW_GROUPS => format!("The largest groups by {name} are {}, with {part} each.", list(&labels)),
        _ => format!("Several groups by {name} are equally large, with {part} each, such as {}.", list(&labels)),
    };
    Some(statement(text, grouping.claims(named)))
}

/// The largest group, those that follow, and how the largest compares with the smallest.
pub(super) fn ranking(grouping: &Grouping) -> Vec<Statement> {
    let mut found: Vec<Statement> = leading(grouping).into_iter().collect();
    found.extend(followers(grouping));
    found.extend(extremes(grouping));
    found
}

/// What comes after the largest of a few groups, or what the largest of many hold together.
fn followers(grouping: &Grouping) -> Option<Statement> {
    let groups = &grouping.groups;
    let (first, second) = (groups.first()?, groups.get(1)?);
    if groups.len() <= FEW_GROUPS {
        if first.count == second.count {
            return None;
        }
        let rest: Vec<String> = groups[1..].iter().map(|group| grouping.shown(group)).collect();
        let verb = if rest.len() == 1 { "comes" } else { "come" };
        let text = format!("By {}, after {} {verb} {}.", grouping.name, first.label, list(&rest));
        return Some(statement(text, grouping.claims(groups)));
    }
    // The cut must fall between groups of different size.
    let cut =
        TOGETHER.into_iter().find(|&cut| groups.get(cut).is_some_and(|next| groups[cut - 1].count > next.count))?;
    let top = &groups[..cut];
    let sum: u64 = top.iter().map(|group| group.count).sum();
    let labels: Vec<&str> = top.iter().map(|group| group.label.as_str()).collect();
    let text = format!(
        "The {cut} largest groups by {}, {}, together hold {sum} of {} ({}).",
        grouping.name,
        list(&labels),
        records(grouping.total),
        percent(sum, grouping.total)
    );
    Some(statement(text, grouping.claims(top)))
}

/// How the largest group compares with the smallest, when both are the only ones of their size and none is left out.
fn extremes(grouping: &Grouping) -> Option<Statement> {
    let groups = &grouping.groups;
    let (first, last) = (groups.first()?, groups.last()?);
    let alone = groups.len() == 2
        || (groups.len() > 2 && groups[1].count < first.count && groups[groups.len() - 2].count > last.count);
    if !grouping.complete || !alone || groups.len() > COMPARED || first.count == last.count || last.count == 0 {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of records are far below 2^52")]
    let ratio = first.count as f64 / last.count as f64;
    let text = format!(
        "By {}, {} is {ratio:.1} times as frequent as the smallest group, {}, with {} against {}.",
        grouping.name, first.label, last.label, first.count, last.count
    );
    Some(statement(text, grouping.claims([first, last])))
}

/// The peak of a course of time, and its first and last interval.
pub(super) fn course(grouping: &Grouping) -> Vec<Statement> {
    let groups = &grouping.groups;
    // Of equal peaks the first is named.
    let peak = groups.iter().fold(None, |best: Option<&super::say::Group>, group| match best {
        Some(best) if best.count >= group.count => Some(best),
        _ => Some(group),
    });
    let Some(peak) = peak else { return Vec::new() };
    if groups.len() == 1 {
        let text =
            format!("By {}, {} of {} fall into {}.", grouping.name, peak.count, records(grouping.total), peak.label);
        return vec![statement(text, grouping.claims([peak]))];
    }
    let part = format!("{} of {} ({})", peak.count, records(grouping.total), percent(peak.count, grouping.total));
    let peak_text = if groups.iter().filter(|group| group.count == peak.count).count() > 1 {
        format!("Over {}, the highest number is {part}, first reached in {}.", grouping.name, peak.label)
    } else {
        format!("Over {}, the peak is {} with {part}.", grouping.name, peak.label)
    };
    let mut found = vec![statement(peak_text, grouping.claims([peak]))];
    if let (Some(first), Some(last)) = (groups.first(), groups.last()) {
        let change = match first.count.cmp(&last.count) {
            std::cmp::Ordering::Less => "is higher at the end than at the beginning",
            std::cmp::Ordering::Equal => "is the same at the end as at the beginning",
            std::cmp::Ordering::Greater => "is lower at the end than at the beginning",
        };
        let text = format!(
            "Over {}, the number {change}: {} in {}, {} in {}.",
            grouping.name,
            records(first.count),
            first.label,
            records(last.count),
            last.label
        );
        found.push(statement(text, grouping.claims([first, last])));
    }
    found
}

fn missing(grouping: &Grouping) -> Option<Statement> {
    let group = grouping.missing.as_ref().filter(|group| group.count > 0)?;
    let text = format!(
        "{} is not given in {} of {} ({}).",
        grouping.name,
        group.count,
        records(grouping.total),
        percent(group.count, grouping.total)
    );
    Some(statement(text, grouping.claims([group])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::record::{AggregationKind, Bucket};
    use serde_json::{Value, json};

    fn aggregation(kind: AggregationKind, total: u64, buckets: &[(Value, u64)]) -> AggregationResult {
        AggregationResult {
            id: "A1".into(),
            kind,
            field: "size".into(),
            buckets: buckets
                .iter()
                .map(|(key, n)| Bucket { key: key.clone(), doc_count: *n, buckets: vec![] })
                .collect(),
            total_docs: total,
            source_tool: "t".into(),
            filters: serde_json::Map::new(),
        }
    }

    fn said(aggregation: AggregationResult) -> Vec<String> {
        let task = InsightsTask { query: String::new(), aggregations: vec![aggregation] };
        insights(&task).insights.into_iter().map(|insight| insight.text).collect()
    }

    #[test]
    fn three_groups_give_three_insights() {
        let groups = [(json!("Small"), 99), (json!("Medium"), 49), (json!("Large"), 17)];
        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 165, &groups)),
            [
                "The largest group by size is Small, with 99 of 165 records (60.0 %).",
                "By size, after Small come Medium with 49 (29.7 %) and Large with 17 (10.3 %).",
                "By size, Small is 5.8 times as frequent as the smallest group, Large, with 99 against 17.",
            ]
        );
    }

    #[test]
    fn many_groups_are_summed_up_and_empty_cells_named() {
        let groups = [(json!("a"), 5), (Value::Null, 9), (json!("b"), 4), (json!("c"), 3), (json!("d"), 1)];
        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 30, &groups)),
            [
                "The largest group by size is a, with 5 of 30 records (16.7 %).",
                "The 3 largest groups by size, a, b and c, together hold 12 of 30 records (40.0 %).",
                "size is not given in 9 of 30 records (30.0 %).",
            ]
        );
    }

    #[test]
    fn one_group_and_no_record_are_said_plainly() {
        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 4, &[(json!("a"), 4)])),
            ["All 4 records have size = a."]
        );
        assert_eq!(said(aggregation(AggregationKind::GroupBy, 1, &[(json!("a"), 1)])), ["The record has size = a."]);
        assert_eq!(said(aggregation(AggregationKind::GroupBy, 0, &[])), ["No record matches."]);
    }

    #[test]
    fn equal_groups_are_not_ranked() {
        let groups = [(json!("a"), 4), (json!("b"), 4), (json!("c"), 2), (json!("d"), 2)];
        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 12, &groups)),
            [
                "The largest groups by size are a and b, with 4 of 12 records (33.3 %) each.",
                "The 2 largest groups by size, a and b, together hold 8 of 12 records (66.7 %).",
            ]
        );
        let groups = ["a", "b", "c", "d", "e"].map(|key| (json!(key), 2));
        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 10, &groups)),
            ["Several groups by size are equally large, with 2 of 10 records (20.0 %) each, such as a, b and c."]
        );
        let groups = ["a", "b", "c"].map(|key| (json!(key), 1));
        let said_of_single = said(aggregation(AggregationKind::GroupBy, 3, &groups));
        assert_eq!(said_of_single, ["By size, no group holds more than 1 record."]);
        let groups = [(json!("1990"), 3), (json!("1991"), 1), (json!("1992"), 3)];
        assert_eq!(
            said(aggregation(AggregationKind::DateHistogram, 7, &groups))[0],
            "Over size, the highest number is 3 of 7 records (42.9 %), first reached in 1990."
        );
    }

    #[test]
    fn a_course_has_a_peak_and_two_ends() {
        let groups = [(json!("1990-01-01"), 3), (json!("1991-01-01"), 7), (json!("1992-01-01"), 2)];
        assert_eq!(
            said(aggregation(AggregationKind::DateHistogram, 12, &groups)),
            [
                "Over size, the peak is 1991 with 7 of 12 records (58.3 %).",
                "Over size, the number is lower at the end than at the beginning: 3 records in 1990, 2 records in 1992.",
            ]
        );
    }
}
