//! What is true, computed without the checker: from the aggregations as the tools gave them, the
//! records as they came, and the rows of the files.

use research_agents::dataset::DatasetReport;
use research_agents::dataset::record::{AggregationKind, AggregationResult, Bucket, MeasureValue};
use research_agents::kernel::{Basis, Claim, Source, Statistic};
use serde_json::Value;

use crate::raw::Raw;

/// Whether a claim of a finished report is true as it stands: of what was computed over all records of a file also by the
/// rows of the file.
pub(crate) fn holds(claim: &Claim, report: &DatasetReport, raw: &Raw) -> bool {
    match claim {
        Claim::Measure { over, field, statistic, number } => {
            let Some(table) = table(report, over) else { return false };
            let held = table.measures.iter().find(|one| one.field == *field && one.function == *statistic);
            let own = raw.measure(field, None, *statistic).filter(|_| table.filters.is_empty());
            held.is_some_and(|held| agrees(held, *number, own)) && (own.is_some() || !table.filters.is_empty())
        }
        Claim::GroupMeasure { over, by, value, field, statistic, number } => {
            let Some(table) = table(report, over).filter(|table| table.field == *by) else { return false };
            let held = group(table, value).and_then(|bucket| {
                bucket.measures.iter().find(|one| one.field == *field && one.function == *statistic)
            });
            let is_time = table.kind == AggregationKind::DateHistogram;
            let own = raw.measure(field, Some((by, value)), *statistic);
            held.is_some_and(|held| agrees(held, *number, own.filter(|_| table.filters.is_empty() && !is_time)))
        }
        Claim::MeasureText { over, field, statistic, text, group: of } => {
            let Some(table) = table(report, over) else { return false };
            let measures = match of {
                Some((by, value)) if table.field == *by => group(table, value).map(|bucket| &bucket.measures),
                Some(_) => None,
                None => Some(&table.measures),
            };
            let mut all = measures.into_iter().flatten();
            let held = all.find(|one| one.field == *field && one.function == *statistic);
            let of = of.as_ref().map(|(by, value)| (by.as_str(), value));
            let own = raw.text(field, of, *statistic).filter(|_| table.filters.is_empty());
            held.is_some_and(|held| held.text.as_deref() == Some(text)) && own.is_none_or(|own| own.starts_with(text))
        }
        Claim::Correlation { over, fields, number, count } => {
            let Some(table) = table(report, over) else { return false };
            let is_of = |own: &[String; 2]| fields.iter().all(|field| own.contains(field)) && fields[0] != fields[1];
            let held = table.correlations.iter().find(|one| is_of(&one.fields));
            let is_own = |own: f64, behind: u64| same(own, *number) && behind == *count;
            held.is_some_and(|held| held.number.is_some_and(|own| is_own(own, held.count)))
                && (!table.filters.is_empty()
                    || raw
                        .correlation(fields)
                        .is_some_and(|(own, behind)| (own - number).abs() < 1e-6 && behind == *count))
        }
        Claim::Field { source, field, value } => {
            let held = report.sources.iter().find(|known| known.id == *source).and_then(|source| source.field(field));
            held.is_some_and(|held| words(held).to_lowercase() == words(value).to_lowercase())
        }
        Claim::Ranked { over, source, place, field, highest } => {
            let Some(table) = table(report, over).filter(|table| table.kind == AggregationKind::Ranking) else {
                return false;
            };
            let is_so = table.order.as_ref().is_some_and(|own| own.field == *field && own.highest == *highest);
            let row = usize::try_from(*place).ok().and_then(|place| table.buckets.get(place.checked_sub(1)?));
            let own = raw.at_place(field, *highest, *place).filter(|_| table.filters.is_empty());
            let is_own = |row: &Bucket| {
                row.source.as_deref() == Some(source)
                    && own.is_none_or(|own| row.key.as_f64().is_none_or(|key| same(key, own)))
            };
            is_so && row.is_some_and(is_own)
        }
        Claim::Absent { over, text } => {
            let found = table(report, over).filter(|table| table.kind == AggregationKind::Search);
            let is_of = |own: &String| own.trim().eq_ignore_ascii_case(text.trim());
            found.is_some_and(|table| table.total_docs == 0 && table.text.as_ref().is_some_and(is_of)) && !raw.has(text)
        }
        Claim::Count { over: Basis::Aggregation(id), field, value, number } => {
            counted(report, id, field, value) == Some(*number)
        }
        Claim::Count { over: Basis::Records, field, value, number } => {
            let sources = || report.sources.iter();
            let exact = sources().filter(|source| cell(source, field, value) == normal(value)).count();
            let lower = |value: &Value| words(value).to_lowercase();
            let folded = sources().filter(|source| lower(&cell(source, field, value)) == lower(value)).count();
            *number == if exact > 0 { exact } else { folded } as u64
        }
        Claim::Total { over: Basis::Aggregation(id), number } => {
            report.aggregations.iter().any(|table| table.id == *id && table.total_docs == *number)
        }
        Claim::Total { over: Basis::Records, number } => report.sources.len() as u64 == *number,
        Claim::Statistic { field, statistic, number, source } => {
            let own = source.as_ref().is_none_or(|id| {
                let held = report.sources.iter().find(|source| source.id == *id);
                held.and_then(|source| source.field(field)?.as_f64()).is_some_and(|held| same(held, *number))
            });
            own && measured(report, field, *statistic).is_some_and(|actual| same(actual, *number))
        }
        Claim::GroupStatistic { field, statistic, number, by, value } => {
            let in_group = |source: &Source| cell(source, by, value) == normal(value);
            measured_where(report, field, *statistic, &in_group).is_some_and(|actual| same(actual, *number))
        }
        // No report of these runs has one: it must not pass unseen.
        Claim::Says { .. } => false,
        Claim::Quote { source, text, start } => {
            let held = report.sources.iter().find(|known| known.id == *source);
            let held = held.map(|known| known.text.for_code().as_str()).unwrap_or_default();
            start.is_some_and(|start| stands(held, text, start))
        }
    }
}

fn table<'r>(report: &'r DatasetReport, id: &str) -> Option<&'r AggregationResult> {
    report.aggregations.iter().find(|table| table.id == id)
}

/// The group of a value.
fn group<'r>(table: &'r AggregationResult, value: &Value) -> Option<&'r Bucket> {
    table.buckets.iter().find(|bucket| words(&bucket.key) == words(value))
}

/// Whether a number is that of a statistic of the tool, and that of the file where it is known.
fn agrees(held: &MeasureValue, number: f64, own: Option<(f64, u64)>) -> bool {
    let is_own = |(own, count): (f64, u64)| (own - number).abs() <= 1e-6 * number.abs().max(1.0) && count == held.count;
    held.number.is_some_and(|held| same(held, number)) && own.is_none_or(is_own)
}

/// The count that a tool gave for a value; 0 for one that it did not list when its groups are all there are.
fn counted(report: &DatasetReport, id: &str, field: &str, value: &Value) -> Option<u64> {
    let table = report.aggregations.iter().find(|table| table.id == id)?;
    let fields: Vec<String> = table.field.split(',').map(|name| name.trim().to_lowercase()).collect();
    let asked: Vec<String> = field.split(',').map(|name| name.trim().to_lowercase()).collect();
    let mut groups = Vec::new();
    walk(&table.buckets, &mut Vec::new(), &mut groups);
    let is_whole = table.field.eq_ignore_ascii_case(field);
    let depth = |path: &[Value]| {
        if is_whole { path.len() == fields.len() || fields.len() == 1 } else { path.len() == asked.len() }
    };
    if !is_whole && (asked.len() >= fields.len() || fields[..asked.len()] != asked[..]) {
        return None;
    }
    let path_of = |value: &Value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
    let text = |path: &[Value]| path.iter().map(words).collect::<Vec<_>>();
    let (wanted, at) = (text(&path_of(value)), |path: &[Value]| depth(path));
    let here: Vec<&(Vec<Value>, u64)> = groups.iter().filter(|(path, _)| at(path)).collect();
    if let Some((_, count)) = here.iter().find(|(path, _)| text(path) == wanted) {
        return Some(*count);
    }
    let lower = |path: &[String]| path.iter().map(|part| part.to_lowercase()).collect::<Vec<_>>();
    let alike: Vec<_> = here.iter().filter(|(path, _)| lower(&text(path)) == lower(&wanted)).collect();
    match alike.as_slice() {
        [(_, count)] => Some(*count),
        [] => (!here.is_empty() && here.iter().map(|(_, count)| count).sum::<u64>() == table.total_docs).then_some(0),
        _ => None,
    }
}

fn walk(buckets: &[Bucket], outer: &mut Vec<Value>, found: &mut Vec<(Vec<Value>, u64)>) {
    for bucket in buckets {
        let own = bucket.key.as_array().cloned().unwrap_or_else(|| vec![bucket.key.clone()]);
        outer.extend(own.iter().cloned());
        found.push((outer.clone(), bucket.doc_count));
        walk(&bucket.buckets, outer, found);
        outer.truncate(outer.len() - own.len());
    }
}

/// What a record holds in a field, or in several when a tuple is asked for.
fn cell(source: &Source, field: &str, like: &Value) -> Value {
    match (source.field(field), like) {
        (Some(value), _) => normal(value),
        (None, Value::Array(_)) => {
            field.split(',').map(|name| source.field(name.trim()).map_or(Value::Null, normal)).collect()
        }
        (None, _) => Value::Null,
    }
}

fn normal(value: &Value) -> Value {
    match value.as_str() {
        Some(text) if text.trim().is_empty() => Value::Null,
        _ => value.clone(),
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join("\u{1f}"),
        Value::Number(number) => number.as_f64().map_or_else(String::new, |number| number.to_string()),
        other => other.to_string(),
    }
}

fn measured(report: &DatasetReport, field: &str, statistic: Statistic) -> Option<f64> {
    measured_where(report, field, statistic, &|_| true)
}

/// A statistic over the records that fit.
fn measured_where(
    report: &DatasetReport,
    field: &str,
    statistic: Statistic,
    fits: &dyn Fn(&Source) -> bool,
) -> Option<f64> {
    let sources = report.sources.iter().filter(|source| fits(source));
    let mut numbers: Vec<f64> = sources.filter_map(|source| source.field(field)?.as_f64()).collect();
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    let sum: f64 = numbers.iter().sum();
    Some(match statistic {
        Statistic::Min => *numbers.first()?,
        Statistic::Max => *numbers.last()?,
        Statistic::Sum => sum,
        Statistic::Count => numbers.len() as f64,
        Statistic::Distinct => {
            numbers.dedup();
            numbers.len() as f64
        }
        Statistic::Mean => sum / numbers.len() as f64,
        Statistic::Median if numbers.len().is_multiple_of(2) => {
            (numbers.get(middle.checked_sub(1)?)? + numbers[middle]) / 2.0
        }
        Statistic::Median => numbers[middle],
    })
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Whether the words of a quote begin at this byte, and no word or number is cut at its ends.
fn stands(held: &str, quote: &str, start: usize) -> bool {
    let Some(rest) = held.get(start..) else { return false };
    let end = start + quote.len();
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let whole = |at: usize| !(word(held[..at].chars().next_back()) && word(held[at..].chars().next()));
    let is_number_cut = |at: usize| {
        let (before, after) = (&held[..at], &held[at..]);
        let digit = |c: Option<char>| c.is_some_and(char::is_numeric);
        let point = |c: char| c == '.' || c == ',';
        (digit(before.chars().next_back()) && after.starts_with(point) && digit(after.chars().nth(1)))
            || (before.ends_with(point) && digit(before.chars().rev().nth(1)) && digit(after.chars().next()))
    };
    rest.starts_with(quote) && whole(start) && whole(end) && !is_number_cut(start) && !is_number_cut(end)
}
