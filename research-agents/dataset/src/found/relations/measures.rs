//! Numeric fields whose numbers differ between the groups of another field, by the test of Kruskal
//! and Wallis (1952).

use research_agents_report::evidence::{Source, mean_of_numbers, median_of_sorted, sum_of_numbers};

use crate::data::task::{GroupedMeasure, MeasuredGroup};
use crate::found::relations::column::{Column, FEWEST};

/// The maximum numbers of measures that are listed, in all and of one numeric field.
const MEASURES: (usize, usize) = (8, 2);

/// Groups that numbers are compared over.
const GROUPS: std::ops::RangeInclusive<usize> = 2..=12;

/// The share of the ranks' variance that the groups must explain (epsilon squared): half of what
/// counts as medium.
const EXPLAINED: f64 = 0.05;

/// Returns the numeric fields with the groups that their numbers differ between, the clearest
/// first.
pub(crate) fn measures(
    records: &[&Source],
    numeric: &[&str],
    columns: &[Column<'_>],
) -> Vec<GroupedMeasure> {
    let mut found: Vec<(f64, GroupedMeasure)> = Vec::new();
    for field in numeric {
        let numbers: Vec<Option<f64>> = records
            .iter()
            .map(|record| record.field(field).and_then(serde_json::Value::as_f64))
            .collect();
        let mut own: Vec<(f64, GroupedMeasure)> = columns
            .iter()
            .filter_map(|column| differing(field, &numbers, column))
            .collect();
        own.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.extend(own.into_iter().take(MEASURES.1));
    }

    found.sort_by(|a, b| b.0.total_cmp(&a.0));

    found
        .into_iter()
        .map(|(_, measure)| measure)
        .take(MEASURES.0)
        .collect()
}

/// The records of a group, and their numbers.
type Numbered<'a> = (&'a Vec<usize>, Vec<f64>);

/// Returns how much of a field the groups of another explain, and its numbers by them, if they
/// differ clearly.
fn differing(
    field: &str,
    numbers: &[Option<f64>],
    column: &Column<'_>,
) -> Option<(f64, GroupedMeasure)> {
    let groups = column.groups.values().map(|records| {
        let own: Vec<f64> = records.iter().filter_map(|at| numbers[*at]).collect();
        (records, own)
    });
    let (groups, few): (Vec<Numbered<'_>>, Vec<Numbered<'_>>) = groups
        .filter(|(_, own)| !own.is_empty())
        .partition(|(_, own)| own.len() >= FEWEST);
    if !GROUPS.contains(&groups.len()) {
        return None;
    }

    let explained = explained(
        &groups
            .iter()
            .map(|(_, own)| own.as_slice())
            .collect::<Vec<_>>(),
    )?;
    let summaries = |groups: Vec<Numbered<'_>>| {
        let summary = |(records, own): Numbered<'_>| {
            summary(column.value(records), records.len() as u64, own)
        };
        let mut all: Vec<MeasuredGroup> = groups.into_iter().map(summary).collect();
        all.sort_by(|a, b| {
            b.median
                .total_cmp(&a.median)
                .then(b.mean.total_cmp(&a.mean))
        });
        all
    };

    let (field, by) = (field.to_owned(), column.name.clone());

    Some((
        explained,
        GroupedMeasure {
            field,
            by,
            groups: summaries(groups),
            left_out: summaries(few),
        },
    ))
}

/// Returns the share of the ranks' variance that groups explain, 0 to 1; `None` where it is small
/// or may be chance.
fn explained(groups: &[&[f64]]) -> Option<f64> {
    let mut sorted: Vec<(f64, usize)> = groups
        .iter()
        .enumerate()
        .flat_map(|(at, own)| own.iter().map(move |number| (*number, at)))
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all = sorted.len() as f64;

    let mut ranks = vec![0.0; groups.len()];
    let mut ties = 0.0;
    let mut before = 0.0;
    for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
        let size = equal.len() as f64;
        equal
            .iter()
            .for_each(|(_, at)| ranks[*at] += before + (size + 1.0) / 2.0);
        ties += size.powi(3) - size;
        before += size;
    }

    let squares: f64 = ranks
        .iter()
        .zip(groups)
        .map(|(sum, own)| sum * sum / own.len() as f64)
        .sum();
    let uncorrected = 12.0 / (all * (all + 1.0)) * squares - 3.0 * (all + 1.0);
    let correction = 1.0 - ties / (all.powi(3) - all);
    if correction <= 0.0 {
        return None;
    }

    let statistic = uncorrected / correction;
    let explained = statistic / (all - 1.0);

    // Quantiles of chi squared at one in a thousand, which rise by less than 2.5 for each degree of
    // freedom.
    let by_chance = 10.8 + 2.5 * (groups.len() as f64 - 2.0);

    (statistic > by_chance && explained >= EXPLAINED).then_some(explained)
}

fn summary(value: serde_json::Value, records: u64, mut numbers: Vec<f64>) -> MeasuredGroup {
    numbers.sort_by(f64::total_cmp);
    MeasuredGroup {
        value,
        records,
        median: median_of_sorted(&numbers).unwrap_or(f64::NAN),
        mean: mean_of_numbers(&numbers).unwrap_or(f64::NAN),
        sum: sum_of_numbers(&numbers).unwrap_or(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_different_height_explain_the_ranks_and_equal_ones_do_not() {
        let low: Vec<f64> = (0..20).map(f64::from).collect();
        let high: Vec<f64> = (20..40).map(f64::from).collect();
        let mixed: Vec<f64> = (0..20).map(|at| f64::from(at * 2)).collect();
        let other: Vec<f64> = (0..20).map(|at| f64::from(at * 2 + 1)).collect();
        // By hand: the rank sums are 210 and 610, so the statistic is 12/1640 × (210² + 610²)/20 −
        // 123 = 29.27.
        let explained_by = explained(&[&low, &high]).unwrap();
        assert!(
            (explained_by - 29.268_292_682_926_83 / 39.0).abs() < 1e-9,
            "{explained_by}"
        );
        assert_eq!(explained(&[&mixed, &other]), None);
        assert_eq!(explained(&[&[1.0; 9], &[1.0; 9]]), None, "nothing differs");
    }
}
