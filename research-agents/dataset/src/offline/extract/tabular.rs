//! Findings from fields: shared values, outliers, and values that occur together more often than
//! chance would have it.

use std::collections::{BTreeMap, BTreeSet};

use research_agents_report::claim::Claim;
use research_agents_report::text::{content_stems, words};

use crate::data::record::Strength;
use crate::data::task::{DraftFinding, FieldKind};
use crate::offline::extract::batch::{Batch, Column};

/// The maximum number of records that a finding quotes.
const QUOTES: usize = 3;

/// The maximum number of values of one field that are reported from a batch.
const VALUES_OF_FIELD: usize = 8;

/// The maximum numbers of outliers that are reported from a batch, and of one field.
const OUTLIERS: (usize, usize) = (4, 2);

/// The maximum number of pairs that are reported from a batch.
const PAIRS: usize = 3;

/// The distance of an outlier from the upper quartile, in interquartile ranges: values beyond are
/// far out (Tukey, 1977).
const FAR_OUT: f64 = 3.0;

/// The distance above chance at which a pair is reported, in standard deviations: square roots of
/// the expected number.
const ABOVE_CHANCE: f64 = 3.0;

/// Returns the values that several records share, of the fields that the questions name first.
pub(crate) fn shared_values(batch: &Batch<'_>, fields: usize) -> Vec<DraftFinding> {
    // One record of twenty, but never a single one: what only one record has is not shared.
    let fewest = (batch.documents.len() / 20).max(2);

    let mut findings = Vec::new();
    for column in batch
        .by_rank()
        .into_iter()
        .filter(|column| column.divides())
        .take(fields)
    {
        let mut values: Vec<(&String, &Vec<usize>)> = column
            .groups
            .iter()
            .filter(|(_, records)| records.len() >= fewest)
            .collect();
        values.sort_by_key(|(_, records)| std::cmp::Reverse(records.len()));

        for (value, records) in values.into_iter().take(VALUES_OF_FIELD) {
            findings.push(DraftFinding {
                claim: format!("{} is {value}", column.name),
                evidence: records
                    .iter()
                    .filter_map(|&record| batch.quote(record, &column.name))
                    .take(QUOTES)
                    .collect(),
                doc_ids: batch.ids(records),
                confidence: strength(records.len()),
                relevant_questions: column.questions.clone(),
                themes: vec![value.clone()],
            });
        }
    }

    findings
}

/// Returns the numbers far above the others of their field.
pub(crate) fn outliers(batch: &Batch<'_>) -> Vec<DraftFinding> {
    let mut findings = Vec::new();
    for column in batch.by_rank() {
        if column.kind != FieldKind::Number || column.filtered || is_label(column) {
            continue;
        }
        for (number, records) in far_out(&column.numbers).into_iter().take(OUTLIERS.1) {
            // Written as JSON writes it, and so as the record's text does.
            let value = number_text(number);
            findings.push(DraftFinding {
                claim: format!("{} is {value}", column.name),
                evidence: records
                    .iter()
                    .filter_map(|&record| batch.quote(record, &column.name))
                    .take(QUOTES)
                    .collect(),
                doc_ids: batch.ids(&records),
                confidence: strength(records.len()),
                relevant_questions: column.questions.clone(),
                themes: Vec::new(),
            });
        }
    }

    findings.truncate(OUTLIERS.0);
    findings
}

/// Returns whether the numbers name records or places and measure nothing.
fn is_label(column: &Column) -> bool {
    words(&column.name).iter().any(|word| {
        matches!(
            word.lower.as_str(),
            "id" | "index" | "year" | "latitude" | "longitude" | "lat" | "lon" | "zip"
        )
    })
}

/// Returns the values far above the upper quartile, the largest first, with their records.
fn far_out(numbers: &[(f64, usize)]) -> Vec<(f64, Vec<usize>)> {
    let mut sorted: Vec<f64> = numbers.iter().map(|(number, _)| *number).collect();
    sorted.sort_by(f64::total_cmp);
    if sorted.len() < 4 {
        return Vec::new();
    }

    let (lower, upper) = (sorted[sorted.len() / 4], sorted[sorted.len() * 3 / 4]);
    let fence = upper + FAR_OUT * (upper - lower);
    let mut far: Vec<f64> = sorted
        .into_iter()
        .filter(|number| *number > fence)
        .collect();
    far.dedup();
    far.reverse();
    let holders = |value: f64| {
        numbers
            .iter()
            .filter(|(number, _)| *number == value)
            .map(|(_, record)| *record)
            .collect()
    };

    far.into_iter()
        .map(|value| (value, holders(value)))
        .collect()
}

/// A pair of values in different fields.
struct Pair<'b> {
    columns: (&'b Column, &'b Column),
    values: (&'b String, &'b String),
    records: Vec<usize>,
    above_chance: f64,
}

/// Returns the values of two fields that occur together much more often than chance would have it.
pub(crate) fn together(batch: &Batch<'_>) -> Vec<DraftFinding> {
    let columns: Vec<&Column> = batch
        .columns
        .iter()
        .filter(|column| column.divides())
        .collect();

    let mut pairs: Vec<Pair<'_>> = Vec::new();
    for (at, a) in columns.iter().enumerate() {
        for b in &columns[at + 1..] {
            pairs.extend(pairs_of(a, b, batch.documents.len()));
        }
    }

    // Fields that a question names go before others.
    let named =
        |pair: &Pair<'_>| pair.columns.0.rank != usize::MAX || pair.columns.1.rank != usize::MAX;
    pairs.sort_by(|a, b| {
        named(b)
            .cmp(&named(a))
            .then(b.above_chance.total_cmp(&a.above_chance))
    });

    pairs
        .iter()
        .take(PAIRS)
        .map(|pair| pair_finding(batch, pair))
        .collect()
}

fn pairs_of<'b>(a: &'b Column, b: &'b Column, records: usize) -> Vec<Pair<'b>> {
    let mut of_record: BTreeMap<usize, &'b String> = BTreeMap::new();
    for (value, holders) in &b.groups {
        of_record.extend(holders.iter().map(|&record| (record, value)));
    }

    let mut found: BTreeMap<(&'b String, &'b String), Vec<usize>> = BTreeMap::new();
    for (value, holders) in &a.groups {
        for record in holders {
            if let Some(other) = of_record.get(record) {
                found.entry((value, other)).or_default().push(*record);
            }
        }
    }

    // Where one field decides the other, as an airport does its state, the pair says nothing new.
    let fewest = a.groups.len().max(b.groups.len());
    if found.len() * 10 <= fewest * 11 {
        return Vec::new();
    }

    let fewest_records = (records / 15).max(5);

    found
        .into_iter()
        .filter(|(_, together)| together.len() >= fewest_records)
        .filter(|((x, y), _)| {
            let x: BTreeSet<String> = content_stems(x).into_iter().collect();
            !content_stems(y).iter().any(|stem| x.contains(stem))
        })
        .filter_map(|(values, together)| {
            #[expect(clippy::cast_precision_loss, reason = "a batch has few records")]
            let expected =
                (a.groups[values.0].len() * b.groups[values.1].len()) as f64 / records as f64;
            #[expect(clippy::cast_precision_loss, reason = "a batch has few records")]
            let above_chance = (together.len() as f64 - expected) / expected.sqrt();
            (above_chance >= ABOVE_CHANCE).then_some(Pair {
                columns: (a, b),
                values,
                records: together,
                above_chance,
            })
        })
        .collect()
}

fn pair_finding(batch: &Batch<'_>, pair: &Pair<'_>) -> DraftFinding {
    let (a, b) = pair.columns;
    let quotes = |record: usize| [batch.quote(record, &a.name), batch.quote(record, &b.name)];
    let evidence: Vec<Claim> = pair
        .records
        .iter()
        .take(QUOTES)
        .flat_map(|&record| quotes(record))
        .flatten()
        .collect();
    let mut relevant_questions = a.questions.clone();
    relevant_questions.extend(
        b.questions
            .iter()
            .filter(|id| !a.questions.contains(id))
            .cloned(),
    );

    DraftFinding {
        claim: format!(
            "{} {} occurs together with {} {}",
            a.name, pair.values.0, b.name, pair.values.1
        ),
        evidence,
        doc_ids: batch.ids(&pair.records),
        confidence: strength(pair.records.len()),
        relevant_questions,
        themes: vec![pair.values.0.clone(), pair.values.1.clone()],
    }
}

fn number_text(number: f64) -> String {
    if number.fract() == 0.0 {
        format!("{number:.0}")
    } else {
        number.to_string()
    }
}

/// Returns how well so many records support a finding.
fn strength(records: usize) -> Strength {
    match records {
        0..=2 => Strength::Low,
        3..=9 => Strength::Medium,
        _ => Strength::High,
    }
}
