//! What a data source computes, computed again: measures, correlations, places of a ranking, and that a text is nowhere.

use std::collections::BTreeSet;

use research_agents::kernel::{Claim, Statistic};
use serde_json::Value;

use super::counts::statistic;
use super::scope::Reading;
use crate::dataset::records::{Records, Rows, contains, day, same, shown};

/// A statistic of a field over these records. Texts have a number of values and of different ones, and no mean.
pub fn measured(records: &Records, rows: &Rows, field: &str, kind: Statistic) -> Option<f64> {
    let columns = records.columns_of(field).ok()?;
    let column = *columns.first()?;
    match kind {
        Statistic::Count => Some(filled(records, rows, column).count() as f64),
        Statistic::Distinct => {
            let numbers = records.numbers(rows, field);
            let texts = filled(records, rows, column).filter(|cell| cell.as_str().is_none_or(is_text)).map(shown);
            let mut distinct = numbers;
            distinct.dedup();
            Some((distinct.len() + texts.collect::<BTreeSet<_>>().len()) as f64)
        }
        kind => statistic(&records.numbers(rows, field), kind),
    }
}

fn is_text(text: &str) -> bool {
    text.trim().parse::<f64>().is_err()
}

fn filled<'r>(records: &'r Records, rows: &'r Rows, column: &'r str) -> impl Iterator<Item = &'r Value> {
    rows.iter().map(|row| records.cell(*row, column)).filter(|cell| !shown(cell).trim().is_empty())
}

/// The Pearson correlation of two fields, and the number of records that have both.
pub fn correlation(records: &Records, rows: &Rows, fields: &[String; 2]) -> Option<(f64, usize)> {
    let number = |row: usize, field: &str| records.numbers(&Rows::from([row]), field).first().copied();
    let pairs: Vec<(f64, f64)> =
        rows.iter().filter_map(|row| Some((number(*row, &fields[0])?, number(*row, &fields[1])?))).collect();
    let count = pairs.len() as f64;
    let (sum_x, sum_y) = pairs.iter().fold((0.0, 0.0), |(x, y), pair| (x + pair.0, y + pair.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let mut sums = (0.0, 0.0, 0.0);
    for (x, y) in &pairs {
        let (x, y) = (x - mean_x, y - mean_y);
        sums = (sums.0 + x * y, sums.1 + x * x, sums.2 + y * y);
    }
    let number = sums.0 / (sums.1 * sums.2).sqrt();
    number.is_finite().then_some((number, pairs.len()))
}

/// Whether a claim holds about what the data source computed. `None` for a claim of another kind.
pub fn holds(reading: &Reading<'_>, claim: &Claim) -> Option<bool> {
    let records = reading.records;
    match claim {
        Claim::MeasureText { over, field, statistic, text, group } => {
            let rows = reading.table(over)?.clone();
            let rows = match group {
                Some((by, value)) => records.with(&rows, by, value),
                None => rows,
            };
            Some(extreme(records, &rows, field, *statistic).is_some_and(|extreme| is_day(&extreme, text)))
        }
        Claim::Correlation { over, fields, number, count } => {
            let actual = reading.table(over).and_then(|rows| correlation(records, rows, fields));
            Some(actual.is_some_and(|(actual, pairs)| (actual - number).abs() < 0.005 && pairs as u64 == *count))
        }
        Claim::Field { source, field, value } => {
            let columns = records.columns_of(field).ok()?;
            let row = reading.row_of(source);
            Some(row.is_some_and(|row| columns.first().is_some_and(|column| same(records.cell(row, column), value))))
        }
        Claim::Ranked { over, source, place, field, highest } => {
            let columns = records.columns_of(field).ok()?;
            let (rows, row) = (reading.table(over)?, reading.row_of(source));
            let stands = |row: usize| is_at(records, rows, columns.first()?, row, (*place, *highest));
            Some(row.and_then(stands).unwrap_or(false))
        }
        Claim::Absent { text, .. } => {
            let columns = records.columns();
            let has = |row: usize| columns.iter().any(|column| contains(&shown(records.cell(row, column)), text));
            Some(!(0..records.len()).any(has))
        }
        _ => None,
    }
}

/// The first or last day of a field, or the extreme of its texts.
fn extreme(records: &Records, rows: &Rows, field: &str, kind: Statistic) -> Option<String> {
    let columns = records.columns_of(field).ok()?;
    let texts = filled(records, rows, columns.first()?).map(|cell| {
        let text = shown(cell);
        day(&text).map_or(text, |day| day.to_string())
    });
    match kind {
        Statistic::Min => texts.min(),
        Statistic::Max => texts.max(),
        _ => None,
    }
}

fn is_day(actual: &str, stated: &str) -> bool {
    actual == stated || day(stated).is_some_and(|day| day.to_string() == actual)
}

/// Whether a record has the value that stands at a place of a ranking; records with the same value share their places.
fn is_at(records: &Records, rows: &Rows, column: &str, row: usize, (place, highest): (u64, bool)) -> Option<bool> {
    let key = |row: usize| match records.numbers(&Rows::from([row]), column).first() {
        Some(number) => Some(*number),
        None => day(&shown(records.cell(row, column)))
            .map(|day| f64::from(day.day_of_year()) + 1_000.0 * f64::from(day.year())),
    };
    let own = key(row)?;
    let keys: Vec<f64> = rows.iter().filter_map(|row| key(*row)).collect();
    let is_before = |other: &&f64| if highest { **other > own } else { **other < own };
    let before = keys.iter().filter(is_before).count() as u64;
    let equal = keys.iter().filter(|other| **other == own).count() as u64;
    Some((before + 1..=before + equal).contains(&place))
}
