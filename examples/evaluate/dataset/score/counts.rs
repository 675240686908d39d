//! Counts: are those of the report true, and are the expected ones there?

use research_agents::kernel::report::{Block, DataTable, RecordTable, Section};
use research_agents::kernel::{Claim, Report, Statistic};
use serde_json::Value;

use super::figures::figures;
use super::measures::{self, measured};
use super::scope::{Group, Reading, group, in_words, same_group};
use crate::dataset::case::Case;
use crate::dataset::metrics;
use crate::dataset::records::{Records, Rows, same, shown};
use crate::harness::score::Score;

/// Groups of a field that a report must count: as many as an aggregation asks for.
const GROUPS: usize = 20;

/// Scores the counts.
pub fn score(reading: &Reading<'_>, score: &mut Score) {
    let (stated, wrong) = stated(reading);
    score.add(&metrics::COUNT_ACCURACY, stated, wrong);
    let expected = expected(reading.case, reading.records, &reading.scope);
    let told = told(reading);
    let tabled = tabled(reading);
    let lacks = |found: &[(Group, u64)], (group, number): &(Group, u64)| {
        !found.iter().any(|(other, count)| count == number && same_group(group, other))
    };
    let in_sentences = expected.iter().filter(|count| lacks(&told, count));
    score.add(&metrics::COUNTS_TOLD, expected.len(), in_sentences.map(|(group, _)| in_words(group)).collect());
    let nowhere = expected.iter().filter(|count| lacks(&told, count) && lacks(&tabled, count));
    let nowhere = nowhere.map(|(group, number)| format!("not counted: {} in {number} records", in_words(group)));
    score.add(&metrics::COUNTS_FOUND, expected.len(), nowhere.collect());
}

/// What must be counted: by the case, and as the data has it.
pub fn expected(case: &Case, records: &Records, scope: &Rows) -> Vec<(Group, u64)> {
    let mut expected: Vec<(Group, u64)> = Vec::new();
    for field in &case.expect.groups {
        let groups = records.groups(scope, field).into_iter().take(GROUPS);
        expected.extend(groups.filter_map(|(key, count)| Some((group(records, field, &key)?, count as u64))));
    }
    for count in &case.expect.counts {
        if let Some(group) = group(records, &count.field, &count.value)
            && !expected.iter().any(|(known, _)| same_group(known, &group))
        {
            expected.push((group, count.n));
        }
    }
    expected
}

/// The sentences with a claim that the data contradicts, as what is false.
pub fn untrue(reading: &Reading<'_>) -> Vec<String> {
    stated(reading).1.into_iter().map(|wrong| format!("FALSE: {wrong}")).collect()
}

/// How many counts and statistics the report states, and those that are not true.
fn stated(reading: &Reading<'_>) -> (usize, Vec<String>) {
    let mut all = 0;
    let mut wrong = Vec::new();
    let mut hold = |what: &dyn Fn() -> String, stated: f64, actual: Option<f64>| {
        all += 1;
        if actual.is_none_or(|actual| (actual - stated).abs() > 1e-9 * (1.0 + actual.abs())) {
            let actual = actual.map_or("nothing of the kind".to_owned(), |actual| actual.to_string());
            wrong.push(format!("{}: the report states {stated}, the data has {actual}", what()));
        }
    };
    for table in &reading.document.data {
        let Some(rows) = reading.table(&table.id) else {
            hold(&|| format!("table {}", table.id), 0.0, None);
            continue;
        };
        hold(&|| format!("total of {}", table.id), table.total as f64, Some(rows.len() as f64));
        for measure in &table.measures {
            let actual = measured(reading.records, rows, measure.field.as_str(), measure.statistic);
            if let Some(number) = measure.number {
                hold(
                    &|| format!("{:?} of {}", measure.statistic, measure.field.as_str()),
                    number,
                    rounded_to(number, actual),
                );
            }
        }
        for relation in &table.correlations {
            let fields = relation.fields.clone().map(|field| field.as_str().to_owned());
            let actual = measures::correlation(reading.records, rows, &fields).map(|(number, _)| number);
            if let Some(number) = relation.number {
                hold(&|| format!("correlation of {fields:?}"), number, rounded_to(number, actual));
            }
        }
        // The rows of a ranking are records, and those of a search are fields.
        if !has_groups(table) {
            continue;
        }
        let fields = Reading::fields(table);
        for row in &table.rows {
            let key = Reading::key(&row.keys);
            let actual = counted(reading.records, rows, &fields, &key, row.count);
            hold(&|| format!("{fields} = {key}"), row.count as f64, actual);
            let group = if row.measures.is_empty() { Rows::new() } else { reading.records.with(rows, &fields, &key) };
            for measure in &row.measures {
                let actual = measured(reading.records, &group, measure.field.as_str(), measure.statistic);
                if let Some(number) = measure.number {
                    let what =
                        || format!("{:?} of {} where {fields} = {key}", measure.statistic, measure.field.as_str());
                    hold(&what, number, rounded_to(number, actual));
                }
            }
        }
    }
    for table in record_tables(reading.document) {
        for row in &table.rows {
            let at = reading.row_of(&row.source);
            for (column, stated) in table.columns.iter().zip(&row.cells) {
                let is_cell = |at: usize| match reading.records.columns_of(column) {
                    Ok(columns) => is_cell_of(reading.records.cell(at, columns[0]), stated),
                    // A data source may number its records itself.
                    Err(_) => reading.records.row(&shown(stated)) == Some(at),
                };
                let truth = f64::from(u8::from(at.is_some_and(is_cell)));
                hold(&|| format!("{column} of record {} is not {stated}", row.source), 1.0, Some(truth));
            }
        }
    }
    for claim in reading.sentences.iter().flat_map(|sentence| &sentence.claims) {
        match claim {
            Claim::Count { over, field, value, number } => {
                let actual = reading.over(over).and_then(|rows| counted(reading.records, rows, field, value, *number));
                hold(&|| format!("{field} = {value}"), *number as f64, actual);
            }
            Claim::Total { over, number } => {
                let actual = reading.over(over).map(|rows| rows.len() as f64);
                hold(&|| "number of records".to_owned(), *number as f64, actual);
            }
            Claim::Statistic { field, statistic, number, .. } => {
                let actual = self::statistic(&reading.records.numbers(&reading.read, field), *statistic);
                hold(&|| format!("{statistic:?} of {field}"), *number, rounded_to(*number, actual));
            }
            Claim::GroupStatistic { field, statistic, number, by, value } => {
                let rows = reading.records.with(&reading.read, by, value);
                let actual = self::statistic(&reading.records.numbers(&rows, field), *statistic);
                hold(
                    &|| format!("{statistic:?} of {field} where {by} = {value}"),
                    *number,
                    rounded_to(*number, actual),
                );
            }
            Claim::Measure { over, field, statistic, number } => {
                let rows = reading.table(over);
                let actual = rows.and_then(|rows| measured(reading.records, rows, field, *statistic));
                hold(&|| format!("{statistic:?} of {field}"), *number, rounded_to(*number, actual));
            }
            Claim::GroupMeasure { over, by, value, field, statistic, number } => {
                let rows = reading.table(over).map(|rows| reading.records.with(rows, by, value));
                let actual = rows.and_then(|rows| measured(reading.records, &rows, field, *statistic));
                hold(
                    &|| format!("{statistic:?} of {field} where {by} = {value}"),
                    *number,
                    rounded_to(*number, actual),
                );
            }
            Claim::MeasureText { .. }
            | Claim::Correlation { .. }
            | Claim::Field { .. }
            | Claim::Ranked { .. }
            | Claim::Absent { .. } => {
                let truth = f64::from(u8::from(measures::holds(reading, claim) == Some(true)));
                hold(&|| format!("{claim:?}"), 1.0, Some(truth));
            }
            Claim::Says { .. } | Claim::Quote { .. } => {}
        }
    }
    (all, wrong)
}

/// Whether the rows of a table are groups of records.
fn has_groups(table: &DataTable) -> bool {
    let kind = serde_json::json!(table)["kind"].clone();
    kind.is_null() || kind == "groups" || kind == "course"
}

/// Whether a cell is shown as it is. A long text is cut.
fn is_cell_of(cell: &Value, stated: &Value) -> bool {
    let beginning = stated.as_str().and_then(|text| text.strip_suffix('…'));
    // A table shows one space for several.
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_spaced = stated.as_str().is_some_and(|text| joined(&shown(cell)) == joined(text));
    let begins = |beginning: &str| joined(&shown(cell)).starts_with(joined(beginning).as_str());
    same(cell, stated) || is_spaced || beginning.is_some_and(begins)
}

/// The lists of records of a report.
fn record_tables(report: &Report) -> Vec<&RecordTable> {
    fn collect<'r>(sections: &'r [Section], found: &mut Vec<&'r RecordTable>) {
        for section in sections {
            found.extend(section.blocks.iter().filter_map(|block| match block {
                Block::Records(table) => Some(table),
                _ => None,
            }));
            collect(&section.sections, found);
        }
    }
    let mut found = Vec::new();
    collect(&report.sections, &mut found);
    found
}

/// How many records have a value, or that spelling of it when so many are stated.
fn counted(records: &Records, rows: &Rows, field: &str, value: &Value, stated: u64) -> Option<f64> {
    let spelled = records.count_spelled(rows, field, value).filter(|count| *count as u64 == stated);
    spelled.or_else(|| records.count(rows, field, value)).map(|count| count as f64)
}

/// What was stated where it is the actual number with fewer decimals, else the actual number.
fn rounded_to(stated: f64, actual: Option<f64>) -> Option<f64> {
    let is_rounded = actual
        .is_some_and(|actual| figures(&stated.to_string()).first().is_some_and(|figure| figure.shows(actual.abs())));
    if is_rounded { Some(stated) } else { actual }
}

/// A statistic of numbers in rising order.
pub fn statistic(numbers: &[f64], statistic: Statistic) -> Option<f64> {
    let (first, last) = (*numbers.first()?, *numbers.last()?);
    let sum: f64 = numbers.iter().sum();
    let middle = numbers.len() / 2;
    Some(match statistic {
        Statistic::Min => first,
        Statistic::Max => last,
        Statistic::Sum => sum,
        Statistic::Count | Statistic::Distinct => return None,
        Statistic::Mean => sum / numbers.len() as f64,
        Statistic::Median if numbers.len() % 2 == 1 => numbers[middle],
        Statistic::Median => (numbers[middle - 1] + numbers[middle]) / 2.0,
    })
}

/// The counts over the records of the question that sentences tell, with the number in their words.
fn told(reading: &Reading<'_>) -> Vec<(Group, u64)> {
    let mut told = Vec::new();
    for sentence in &reading.sentences {
        let shown = figures(sentence.text.as_str());
        for claim in &sentence.claims {
            let Claim::Count { over, field, value, number } = claim else { continue };
            if reading.over(over) == Some(&reading.scope) && shown.iter().any(|figure| figure.is(*number as f64)) {
                told.extend(reading.group(field, value).map(|group| (group, *number)));
            }
        }
    }
    told
}

/// The counts over the records of the question that the tables of the report hold.
fn tabled(reading: &Reading<'_>) -> Vec<(Group, u64)> {
    let tables = reading.document.data.iter().filter(|table| reading.table(&table.id) == Some(&reading.scope));
    let rows = tables.flat_map(|table| table.rows.iter().map(|row| (Reading::fields(table), row)));
    rows.filter_map(|(fields, row)| Some((reading.group(&fields, &Reading::key(&row.keys))?, row.count))).collect()
}

/// Whether a record has a value in a field, or values in several.
pub fn holds(records: &Records, row: usize, field: &str, value: &Value) -> bool {
    records.count(&Rows::from([row]), field, value) == Some(1)
}
