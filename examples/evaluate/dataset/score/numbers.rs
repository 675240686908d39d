//! Numbers: does each one that the report shows follow from the data?

use std::collections::BTreeMap;

use research_agents::kernel::report::Sentence;
use research_agents::kernel::{Basis, Claim, Statistic};

use super::counts::statistic;
use super::figures::{Figure, figures};
use super::measures::{correlation, measured};
use super::scope::Reading;
use crate::dataset::answer::Answer;
use crate::dataset::metrics;
use crate::dataset::records::{Rows, shown};
use crate::harness::score::Score;

/// How far a number without decimals may be from the one that it stands for.
const HUNDREDTH: f64 = 0.005;
/// Half of the last digit of a number that is written with five.
const FIFTH_DIGIT: f64 = 1e-5;

/// The numbers that may be shown.
#[derive(Default)]
struct Known {
    exact: Vec<f64>,
    rounded: Vec<f64>,
    repeated: Vec<Figure>,
}

impl Known {
    /// Adds a measure and the number of values behind it.
    fn measure(&mut self, reading: &Reading<'_>, rows: &Rows, field: &str, kind: Statistic) {
        let number = measured(reading.records, rows, field, kind);
        let count = measured(reading.records, rows, field, Statistic::Count);
        self.exact.extend(number.into_iter().chain(count));
        self.rounded.extend(number);
    }

    fn carries(&self, figure: &Figure) -> bool {
        self.exact.iter().any(|number| figure.is(*number) || (figure.may_be_rounded() && figure.shows(*number)))
            || self.rounded.iter().any(|number| figure.may_be_rounded() && figure.shows(*number))
            // Zeros after the point may be left out: a mean of 6.997 is 7, and one of 5,076.02 is 5,076.
            || self.rounded.iter().any(|number| figure.distance(*number) <= HUNDREDTH.max(number.abs() * FIFTH_DIGIT))
            || self.repeated.iter().any(|known| known.equals(figure))
    }
}

/// Scores the numbers in sentences, in the title and in the headings of sub-questions. The program's own notes on the run, such as
/// its limitations, are not about the data.
pub fn score(reading: &Reading<'_>, score: &mut Score) {
    let asked = context(reading);
    let mut all = 0;
    let mut wrong = Vec::new();
    let mut look = |text: &str, known: &Known| {
        for figure in figures(text) {
            all += 1;
            if !known.carries(&figure) && !asked.carries(&figure) {
                wrong.push(format!("no number of the data: {} in “{text}”", figure.text));
            }
        }
    };
    for sentence in &reading.sentences {
        let mut known = known(reading, sentence);
        known.exact.push(unnamed(reading, sentence.text.as_str()));
        look(sentence.text.as_str(), &known);
    }
    look(reading.document.title.as_str(), &Known::default());
    for heading in reading.headings() {
        look(&heading, &Known::default());
    }
    score.add(&metrics::NUMBER_SUPPORT, all, wrong);
}

/// How many fields a sentence does not name: a list of them may end with how many more there are.
fn unnamed(reading: &Reading<'_>, text: &str) -> f64 {
    let plain = |text: &str| text.replace('_', " ").to_lowercase();
    let text = plain(text);
    let columns = reading.records.columns().iter();
    columns.filter(|column| !text.contains(&plain(column))).count() as f64
}

/// How many numbers the first sentence of a report shows, and how many of them follow from the data or are those of the answer.
pub fn first(reading: &Reading<'_>, answer: &Answer) -> (usize, usize) {
    let Some(sentence) = reading.sentences.first() else { return (0, 0) };
    let mut known = known(reading, sentence);
    let groups = answer.groups.values().copied();
    let right = answer.number.into_iter().chain(answer.also.iter().copied()).chain(answer.numbers.iter().copied());
    known.rounded.extend(right.chain(groups));
    known.exact.extend(known.rounded.clone());
    let asked = context(reading);
    let figures = figures(sentence.text.as_str());
    let carried = figures.iter().filter(|figure| known.carries(figure) || asked.carries(figure)).count();
    (carried, figures.len())
}

/// Numbers of the question, of filters, and of the names of fields.
fn context(reading: &Reading<'_>) -> Known {
    let case = reading.case;
    let filters = reading.report.aggregations.iter().map(|table| &table.filters).chain(&case.filters);
    let mut texts: Vec<String> = filters.flatten().map(|(field, value)| format!("{field} {value}")).collect();
    texts.push(case.question.clone());
    texts.extend(reading.records.columns().iter().cloned());
    texts.extend(case.group_by.iter().flatten().cloned());
    Known { repeated: texts.iter().flat_map(|text| figures(text)).collect(), ..Known::default() }
}

/// The numbers that a sentence may show because of what its claims are about, each counted here.
fn known(reading: &Reading<'_>, sentence: &Sentence) -> Known {
    let mut known = Known::default();
    let mut counts: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut totals = Vec::new();
    let mut groups_of: Vec<(&str, f64)> = Vec::new();
    let mut sums: Vec<f64> = Vec::new();
    let mut group_measures: Vec<f64> = Vec::new();
    for claim in &sentence.claims {
        match claim {
            Claim::Count { over, field, value, .. } => {
                let Some(rows) = reading.over(over) else { continue };
                let count = reading.records.count(rows, field, value).unwrap_or_default() as f64;
                let total = rows.len() as f64;
                known.exact.extend([count, total, groups(reading, over, field)]);
                known.rounded.push(100.0 * count / total.max(1.0));
                let spelled = reading.records.count_spelled(rows, field, value).unwrap_or_default() as f64;
                known.exact.push(spelled);
                known.rounded.push(100.0 * spelled / total.max(1.0));
                known.repeated.extend(figures(field).into_iter().chain(figures(&shown(value))));
                groups_of.push((field, count));
                counts.entry(format!("{over:?} {field}")).or_insert_with(|| vec![total]).push(count);
            }
            Claim::Total { over, .. } => {
                let Some(rows) = reading.over(over) else { continue };
                let total = rows.len() as f64;
                known.exact.push(total);
                totals.push(total);
                if let Basis::Aggregation(id) = over
                    && let Some(table) = reading.document.data.iter().find(|table| table.id == *id)
                {
                    known.exact.push(groups(reading, over, &Reading::fields(table)));
                }
            }
            Claim::Absent { text, .. } => {
                // What was searched: the fields with texts, and all records.
                known.exact.extend([reading.records.text_columns() as f64, reading.records.len() as f64]);
                known.repeated.extend(figures(text));
            }
            Claim::Statistic { field, statistic: kind, .. } => {
                let numbers = reading.records.numbers(&reading.read, field);
                let number = statistic(&numbers, *kind);
                known.exact.extend(number);
                known.rounded.extend(number);
                known.repeated.extend(figures(field));
                sums.extend(number);
            }
            Claim::GroupStatistic { field, statistic: kind, by, value, .. } => {
                let rows = reading.records.with(&reading.read, by, value);
                let number = statistic(&reading.records.numbers(&rows, field), *kind);
                known.exact.extend(number);
                known.rounded.extend(number);
                let texts = [field.clone(), by.clone(), shown(value)];
                known.repeated.extend(texts.iter().flat_map(|text| figures(text)));
                sums.extend(number);
            }
            Claim::Measure { over, field, statistic: kind, .. } => {
                let Some(rows) = reading.table(over) else { continue };
                known.measure(reading, rows, field, *kind);
                known.exact.push(rows.len() as f64);
                known.repeated.extend(figures(field));
            }
            Claim::GroupMeasure { over, by, value, field, statistic: kind, .. } => {
                let Some(rows) = reading.table(over) else { continue };
                let rows = reading.records.with(rows, by, value);
                known.measure(reading, &rows, field, *kind);
                let texts = [field.clone(), by.clone(), shown(value)];
                known.repeated.extend(texts.iter().flat_map(|text| figures(text)));
                group_measures.extend(measured(reading.records, &rows, field, *kind));
            }
            Claim::Field { source, field, .. } => {
                let cell = reading.row_of(source).map(|row| shown(reading.records.cell(row, field)));
                known.rounded.extend(cell.iter().filter_map(|text| text.parse::<f64>().ok()));
                known.repeated.extend(cell.iter().flat_map(|text| figures(text)));
            }
            Claim::Correlation { over, fields, .. } => {
                let relation = reading.table(over).and_then(|rows| correlation(reading.records, rows, fields));
                known.rounded.extend(relation.map(|(number, _)| number));
                known.exact.extend(relation.map(|(_, pairs)| pairs as f64));
                known.repeated.extend(fields.iter().flat_map(|field| figures(field)));
            }
            Claim::Ranked { over, source, place, field, .. } => {
                let cell = reading.row_of(source).map(|row| shown(reading.records.cell(row, field)));
                known.rounded.extend(cell.iter().filter_map(|text| text.parse::<f64>().ok()));
                known.exact.push(*place as f64);
                known.exact.extend(reading.table(over).map(|rows| rows.len() as f64));
            }
            Claim::MeasureText { text, .. } => known.repeated.extend(figures(text)),
            Claim::Says { source, text, .. } | Claim::Quote { source, text, .. } => {
                if reading.row_of(source).is_some_and(|row| reading.records.quotes(row, text)) {
                    known.repeated.extend(figures(text));
                }
            }
        }
    }
    for counts in counts.values() {
        let (total, parts) = (counts[0], &counts[1..]);
        let sum: f64 = parts.iter().sum();
        known.exact.extend([sum, parts.len() as f64]);
        known.rounded.push(100.0 * sum / total.max(1.0));
        for part in parts.iter().filter(|part| **part > 0.0) {
            known.rounded.extend(parts.iter().map(|other| other / part));
        }
    }
    // The share of a group in the group that it lies in, and of a sum in a larger one.
    for (fields, part) in &groups_of {
        let outer =
            groups_of.iter().filter(|(field, whole)| *whole > 0.0 && fields.split(',').any(|one| one == *field));
        known.rounded.extend(outer.map(|(_, whole)| 100.0 * part / whole));
    }
    for whole in sums.iter().filter(|whole| **whole > 0.0) {
        known.rounded.extend(sums.iter().filter(|part| *part <= whole).map(|part| 100.0 * part / whole));
    }
    // How far two groups are apart, where the sentence says that it is a difference.
    if sentence.text.as_str().to_lowercase().contains("difference") {
        let parts = counts.values().map(|counts| &counts[1..]);
        for parts in parts.chain([group_measures.as_slice()]) {
            let pairs = parts.iter().flat_map(|one| parts.iter().map(move |other| one - other));
            known.rounded.extend(pairs.filter(|apart| *apart > 0.0));
        }
    }
    // The share of a group in what all groups add up to, and how many groups there are.
    let whole: f64 = group_measures.iter().sum();
    known.exact.push(group_measures.len() as f64);
    known.rounded.extend(group_measures.iter().map(|part| 100.0 * part / whole));
    for whole in totals.iter().filter(|whole| **whole > 0.0) {
        known.rounded.extend(totals.iter().map(|part| 100.0 * part / whole));
    }
    known
}

/// How many groups a field has.
fn groups(reading: &Reading<'_>, over: &Basis, field: &str) -> f64 {
    let listed = match over {
        Basis::Aggregation(id) => reading.report.aggregations.iter().find(|table| table.id == *id),
        Basis::Records => None,
    };
    // The intervals of a histogram are groups too; what they are is the table's own choice.
    match listed.filter(|table| table.field.eq_ignore_ascii_case(field)) {
        Some(table) => table.buckets.len() as f64,
        None => reading.over(over).map_or(0.0, |rows| reading.records.groups(rows, field).len() as f64),
    }
}
