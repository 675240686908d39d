//! Insights into the groups of an aggregation, in exact numbers.

pub(crate) mod course;

use research_agents_report::claim::Statement;
use research_agents_report::text::list;

use crate::data::record::AggregationResult;
use crate::data::task::{InsightsOutput, InsightsTask};
use crate::offline::say::{Group, Grouping, percent, records, statement};

/// The maximum number of insights into an aggregation.
const MOST: usize = 5;

/// The maximum number of groups that are listed completely.
const FEW_GROUPS: usize = 3;

/// The number of groups that are listed of an aggregation with more.
const SHOWN: usize = 3;

/// The maximum number of groups of which the smallest is compared with the largest.
const COMPARED: usize = 12;

/// The minimum number of records of the smallest group in such a comparison.
const COMPARABLE: u64 = 5;

/// The number of insights into the first aggregation that precede those into the others.
const OF_THE_FIRST: usize = 3;

/// Answers the task: the first aggregation's insights first, then those of the others in turn.
pub(crate) fn insights(task: &InsightsTask) -> InsightsOutput {
    let all: Vec<Vec<Statement>> = task.aggregations.iter().map(describe).collect();
    let mut insights: Vec<Statement> = all
        .first()
        .into_iter()
        .flatten()
        .take(OF_THE_FIRST)
        .cloned()
        .collect();
    let longest = all.iter().map(Vec::len).max().unwrap_or(0);

    for round in 0..longest {
        insights.extend(all.iter().skip(1).filter_map(|own| own.get(round)).cloned());
    }

    insights.extend(
        all.first()
            .into_iter()
            .flatten()
            .skip(OF_THE_FIRST)
            .cloned(),
    );
    insights.truncate(MOST);

    InsightsOutput { insights }
}

/// Returns what one aggregation shows, the most important first.
pub(crate) fn describe(aggregation: &AggregationResult) -> Vec<Statement> {
    let grouping = Grouping::from_aggregation(aggregation);
    if grouping.total == 0 {
        return vec![statement(
            "No record matches.".to_owned(),
            vec![grouping.total_claim.clone()],
        )];
    }

    let mut found = if grouping.course {
        crate::offline::insights::course::course(&grouping)
    } else {
        division(&grouping, SHOWN)
            .into_iter()
            .chain(extremes(&grouping))
            .collect()
    };
    if let Some(pairs) = Grouping::inner(aggregation) {
        found.extend(division(&pairs, SHOWN));
    }

    found.extend(missing(&grouping));

    found
}

/// Returns the largest group, or the largest ones if several are equal.
pub(crate) fn leading(grouping: &Grouping) -> Option<Statement> {
    let groups = &grouping.groups;
    let first = groups.first()?;
    let equal = &groups[..groups
        .iter()
        .take_while(|group| group.count == first.count)
        .count()];
    let part = grouping.part(first.count);
    let named = &equal[..equal.len().min(FEW_GROUPS)];
    let labels: Vec<&str> = named.iter().map(|group| group.label.as_str()).collect();
    let (name, verb) = (&grouping.name, grouping.verb());

    // A few equal groups are named; of many only examples.
    let text = match equal.len() {
        _ if grouping.total == 1 => format!("{name} {verb} {} in the only record.", first.label),
        _ if first.count == grouping.total => format!(
            "{name} {verb} {} in all {}.",
            first.label,
            records(first.count)
        ),
        1 if groups.len() == 1 => {
            format!("The only value of {name} is {}, in {part}.", first.label)
        }
        1 if 2 * first.count > grouping.total => {
            format!("{name} {verb} {} in most records: {part}.", first.label)
        }
        1 => format!("The most frequent {name} is {}, in {part}.", first.label),
        _ if first.count == 1 => format!("No value of {name} occurs in more than {}.", records(1)),
        2..=FEW_GROUPS => format!(
            "The most frequent {name} are {}, in {part} each.",
            list(&labels)
        ),
        _ => format!(
            "Several values of {name} are equally frequent, in {part} each, such as {}.",
            list(&labels)
        ),
    };

    Some(statement(text, grouping.claims(named)))
}

/// Returns how a grouping divides the records: all of a few groups, or the first of many and what
/// they hold together.
pub(crate) fn division(grouping: &Grouping, most: usize) -> Option<Statement> {
    let (text, shown) = parts(grouping, most, &format!("of {} ", records(grouping.total)))?;
    let Some(text) = text else {
        return leading(grouping);
    };
    Some(statement(
        format!("{} {} {text}.", grouping.name, grouping.verb()),
        grouping.claims(shown),
    ))
}

/// Returns the same as the answer to a question with conditions.
pub(crate) fn division_among(grouping: &Grouping, conditions: &str) -> Option<Statement> {
    let (text, shown) = parts(grouping, SHOWN, "")?;
    let (Some(text), false) = (text, conditions.is_empty()) else {
        return division(grouping, SHOWN);
    };
    let (all, verb) = (records(grouping.total), grouping.verb());
    let text = format!(
        "Of the {all} with {conditions}, {} {verb} {text}.",
        grouping.name
    );
    Some(statement(text, grouping.claims(shown)))
}

/// Describes what the groups hold, the first of them with the whole, and returns the groups that
/// the words mention; no words if there is nothing to list.
fn parts<'g>(
    grouping: &'g Grouping,
    most: usize,
    whole: &str,
) -> Option<(Option<String>, &'g [Group])> {
    let groups = &grouping.groups;
    let first = groups.first()?;
    let are_alike = groups.len() > most + 1 && groups[most].count == first.count;
    if groups.len() == 1 || first.count == 1 || first.count == grouping.total || are_alike {
        return Some((None, &groups[..1]));
    }

    let shown = &groups[..if groups.len() <= most + 1 {
        groups.len()
    } else {
        most
    }];
    let others = shown[1..].iter().map(|group| grouping.shown(group));
    let share = percent(first.count, grouping.total);
    let first = format!("{} in {} {whole}({share})", first.label, first.count);
    let mut text = list(&std::iter::once(first).chain(others).collect::<Vec<_>>());
    if shown.len() < groups.len() && grouping.complete && grouping.missing.is_none() {
        let sum: u64 = shown.iter().map(|group| group.count).sum();
        let share = percent(sum, grouping.total);
        text.push_str(&format!(
            "; these {} of {} values hold {share}",
            shown.len(),
            groups.len()
        ));
    }

    Some((Some(text), shown))
}

/// Compares the largest group with the smallest, if both are the only ones of their size and none
/// is left out.
fn extremes(grouping: &Grouping) -> Option<Statement> {
    let groups = &grouping.groups;
    let (first, last) = (groups.first()?, groups.last()?);
    let alone = groups.len() == 2
        || (groups.len() > 2
            && groups[1].count < first.count
            && groups[groups.len() - 2].count > last.count);
    if !grouping.complete
        || !alone
        || groups.len() > COMPARED
        || first.count == last.count
        || last.count < COMPARABLE
    {
        return None;
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of records are far below 2^52"
    )]
    let ratio = first.count as f64 / last.count as f64;
    let text = format!(
        "By {}, {} is {ratio:.1} times as frequent as {}, which has the fewest: {} against {}.",
        grouping.name, first.label, last.label, first.count, last.count
    );

    Some(statement(text, grouping.claims([first, last])))
}

pub(crate) fn missing(grouping: &Grouping) -> Option<Statement> {
    let group = grouping.missing.as_ref().filter(|group| group.count > 0)?;
    let text = format!(
        "{} is not given in {}.",
        grouping.name,
        grouping.part(group.count)
    );
    Some(statement(text, grouping.claims([group])))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::data::record::{AggregationKind, Bucket};

    fn aggregation(
        kind: AggregationKind,
        total: u64,
        buckets: &[(Value, u64)],
    ) -> AggregationResult {
        AggregationResult {
            id: "A1".into(),
            kind,
            field: "size".into(),
            interval: None,

            buckets: buckets
                .iter()
                .map(|(key, n)| Bucket {
                    key: key.clone(),
                    doc_count: *n,
                    buckets: vec![],
                    ..Bucket::default()
                })
                .collect(),

            total_docs: total,
            source_tool: "t".into(),
            filters: serde_json::Map::new(),
            ..AggregationResult::default()
        }
    }

    fn said(aggregation: AggregationResult) -> Vec<String> {
        let task = InsightsTask {
            query: String::new(),
            aggregations: vec![aggregation],
        };
        insights(&task)
            .insights
            .into_iter()
            .map(|insight| insight.text)
            .collect()
    }

    #[test]
    fn three_groups_are_listed_and_compared() {
        let groups = [
            (json!("Small"), 99),
            (json!("Medium"), 49),
            (json!("Large"), 17),
        ];
        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 165, &groups)),
            [
                "size is Small in 99 of 165 records (60.0 %), Medium in 49 (29.7 %) and Large in \
                 17 (10.3 %).",
                "By size, Small is 5.8 times as frequent as Large, which has the fewest: 99 \
                 against 17.",
            ]
        );
    }

    #[test]
    fn many_groups_are_summed_up_and_empty_cells_named() {
        let groups = ["a", "b", "c", "d", "e", "f"]
            .into_iter()
            .zip([9, 7, 5, 3, 1, 1]);
        let mut groups: Vec<(Value, u64)> =
            groups.map(|(key, count)| (json!(key), count)).collect();

        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 26, &groups)),
            [
                "size is a in 9 of 26 records (34.6 %), b in 7 (26.9 %) and c in 5 (19.2 %); \
                 these 3 of 6 values hold 80.8 %."
            ]
        );

        groups.push((Value::Null, 4));

        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 40, &groups)),
            [
                "size is a in 9 of 40 records (22.5 %), b in 7 (17.5 %) and c in 5 (12.5 %).",
                "size is not given in 4 of 40 records (10.0 %).",
            ]
        );
    }

    #[test]
    fn one_group_and_no_record_are_said_plainly() {
        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 4, &[(json!("a"), 4)])),
            ["size is a in all 4 records."]
        );
        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 1, &[(json!("a"), 1)])),
            ["size is a in the only record."]
        );
        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 0, &[])),
            ["No record matches."]
        );
    }

    #[test]
    fn equal_groups_are_not_ranked() {
        let groups = ["a", "b", "c", "d", "e"].map(|key| (json!(key), 2));

        assert_eq!(
            said(aggregation(AggregationKind::GroupBy, 10, &groups)),
            [
                "Several values of size are equally frequent, in 2 of 10 records (20.0 %) each, \
                 such as a, b and c."
            ]
        );

        let groups = ["a", "b", "c"].map(|key| (json!(key), 1));
        let said_of_single = said(aggregation(AggregationKind::GroupBy, 3, &groups));

        assert_eq!(
            said_of_single,
            ["No value of size occurs in more than 1 record."]
        );

        let groups = [(json!("1990"), 3), (json!("1991"), 1), (json!("1992"), 3)];

        assert_eq!(
            said(aggregation(AggregationKind::DateHistogram, 7, &groups))[0],
            "The highest number by size is 3 of 7 records (42.9 %), first reached in 1990."
        );
    }

    #[test]
    fn a_course_has_a_peak_and_two_ends() {
        let groups = [
            (json!("1990-01-01"), 3),
            (json!("1991-01-01"), 7),
            (json!("1992-01-01"), 2),
        ];
        assert_eq!(
            said(aggregation(AggregationKind::DateHistogram, 12, &groups)),
            [
                "The peak by size is 1991, with 7 of 12 records (58.3 %).",
                "The course by size begins with 3 in 1990 (25.0 %) and ends with 2 in 1992 \
                 (16.7 %).",
            ]
        );
    }

    #[test]
    fn months_of_several_years_show_the_season_and_the_heavier_half() {
        let count = |month: u64| if (7..=9).contains(&month) { 8 } else { 1 };
        let months = (0..24).map(|at| {
            (
                json!(format!("{}-{:02}-01", 1990 + at / 12, 1 + at % 12)),
                count(1 + at % 12),
            )
        });
        let months: Vec<(Value, u64)> = months.collect();

        assert_eq!(
            said(aggregation(AggregationKind::DateHistogram, 66, &months)),
            [
                "The highest number by size is 8 of 66 records (12.1 %), first reached in 1990-07.",
                "Over all years, July, August and September are the strongest months by size: \
                 together they hold 48 of 66 records (72.7 %).",
                "The course by size begins with 1 in 1990-01 (1.5 %) and ends with 1 in 1991-12 \
                 (1.5 %).",
            ]
        );
    }
}
