//! Turns the rows of a table into the groups of a chart: folds long lists, fills gaps, joins intervals.

use serde_json::Value;

use super::{ChartGroup, ChartKind};
use crate::kernel::evidence::{Table, TableRow, plain};
use crate::kernel::line::Line;

/// Bars of a chart.
const MOST_BARS: usize = 20;
/// Inner groups of stacked bars that have a colour of their own.
const MOST_SERIES: usize = 6;
/// Columns of a chart.
const MOST_COLUMNS: usize = 160;
/// Intervals that a series may have once its gaps are filled.
const MOST_INTERVALS: i64 = 2_400;

type Folded = (ChartKind, Vec<Line>, Vec<ChartGroup>);

/// Bars, stacked where the table groups by two fields. A list of pairs that leaves some out is not stacked: the sums of those that
/// it holds would be taken for the outer groups.
pub(super) fn groups(table: &Table) -> Folded {
    let depth = |wanted| move |row: &&TableRow| keys(&row.value).len() == wanted;
    let pairs = table.rows.iter().filter(depth(2)).map(|row| row.count).reduce(u64::saturating_add);
    let is_whole = table.rows.iter().any(|row| depth(1)(&row)) || pairs == Some(table.total);
    if pairs.is_some() && table.field.contains(',') && is_whole {
        return stacked(table);
    }
    let groups = table.rows.iter().map(|row| group(plain(&row.value), row.count)).collect();
    (ChartKind::Bars, Vec::new(), largest(groups, 0))
}

/// Columns in the order of time. A group without a date comes last.
pub(super) fn dates(table: &Table) -> Folded {
    let mut groups: Vec<ChartGroup> = table.rows.iter().map(|row| group(plain(&row.value), row.count)).collect();
    groups.sort_by_key(|group| !is_dated(&group.label));
    let dated = groups.iter().take_while(|group| is_dated(&group.label)).count();
    let mut rest = groups.split_off(dated);
    // Dates of one form sort as text.
    groups.sort_by(|a, b| a.label.cmp(&b.label));
    let mut groups = filled(groups);
    let width = groups.len().div_ceil(MOST_COLUMNS).max(1);
    if width > 1 {
        groups = groups.chunks(width).map(joined).collect();
    }
    groups.append(&mut rest);
    (ChartKind::Dates, Vec::new(), groups)
}

fn group(label: String, count: u64) -> ChartGroup {
    ChartGroup { label: Line::new(&label), count, parts: Vec::new() }
}

/// The largest groups in the order of the table, and one of all others.
fn largest(mut groups: Vec<ChartGroup>, series: usize) -> Vec<ChartGroup> {
    if groups.len() <= MOST_BARS {
        return groups;
    }
    let mut counts: Vec<u64> = groups.iter().map(|group| group.count).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let least = counts.get(MOST_BARS - 2).copied().unwrap_or_default();
    // Of groups of the same size the first ones stay.
    let mut room = MOST_BARS - 1 - counts.iter().filter(|count| **count > least).count();
    let mut others = ChartGroup { label: Line::default(), count: 0, parts: vec![0; series] };
    let mut folded = 0_usize;
    groups.retain(|group| {
        let stays = group.count > least || (group.count == least && room > 0);
        if stays && group.count == least {
            room -= 1;
        }
        if !stays {
            folded += 1;
            others.count = others.count.saturating_add(group.count);
            others.parts.iter_mut().zip(&group.parts).for_each(|(sum, part)| *sum = sum.saturating_add(*part));
        }
        stays
    });
    others.label = Line::new(&format!("{folded} others"));
    groups.push(others);
    groups
}

/// The values of a row, outer first.
fn keys(value: &Value) -> &[Value] {
    match value {
        Value::Array(keys) => keys,
        one => std::slice::from_ref(one),
    }
}

fn stacked(table: &Table) -> Folded {
    let inner: Vec<(String, String, u64)> = table.rows.iter().filter_map(pair).collect();
    let mut names: Vec<(String, u64)> = Vec::new();
    for (_, name, count) in &inner {
        match names.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => *sum = sum.saturating_add(*count),
            None => names.push((name.clone(), *count)),
        }
    }
    names.sort_by_key(|(_, sum)| std::cmp::Reverse(*sum));
    let shown = if names.len() > MOST_SERIES + 1 { MOST_SERIES } else { names.len() };
    let place = |name: &str| names.iter().take(shown).position(|(known, _)| known == name).unwrap_or(shown);

    let mut groups: Vec<ChartGroup> = Vec::new();
    for row in table.rows.iter().filter(|row| keys(&row.value).len() == 1) {
        groups.push(ChartGroup { parts: vec![0; shown + 1], ..group(plain(&row.value), row.count) });
    }
    let outer_given = groups.len();
    for (outer, name, count) in &inner {
        let label = Line::new(outer);
        let at = groups.iter().position(|group| group.label == label).unwrap_or_else(|| {
            groups.push(ChartGroup { label, count: 0, parts: vec![0; shown + 1] });
            groups.len() - 1
        });
        let Some(group) = groups.get_mut(at) else { continue };
        if let Some(part) = group.parts.get_mut(place(name)) {
            *part = part.saturating_add(*count);
        }
        if at >= outer_given {
            group.count = group.count.saturating_add(*count);
        }
    }
    // What an outer group holds beyond its listed inner ones.
    for group in &mut groups {
        let sum = group.parts.iter().fold(0_u64, |sum, part| sum.saturating_add(*part));
        if let Some(others) = group.parts.last_mut() {
            *others = others.saturating_add(group.count.saturating_sub(sum));
        }
    }
    let mut series: Vec<Line> = names.iter().take(shown).map(|(name, _)| Line::new(name)).collect();
    if groups.iter().any(|group| group.parts.last().is_some_and(|others| *others > 0)) {
        series.push(Line::new("others"));
    } else {
        groups.iter_mut().for_each(|group| group.parts.truncate(shown));
    }
    let groups = largest(groups, series.len());
    (ChartKind::Stacked, series, groups)
}

/// Outer label, inner label and count of a row of two values.
fn pair(row: &TableRow) -> Option<(String, String, u64)> {
    match keys(&row.value) {
        [outer, inner] => Some((plain(outer), plain(inner), row.count)),
        _ => None,
    }
}

/// Whether a label begins with a year.
fn is_dated(label: &Line) -> bool {
    let text = label.as_str().as_bytes();
    let year = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    year == 4 && text.get(4).is_none_or(|byte| b"-/T ".contains(byte))
}

/// The number of a year, or of a month since the year 0, and the length of its text.
fn interval(label: &Line) -> Option<(i64, usize)> {
    let text = label.as_str();
    match text.split_once('-') {
        None if text.len() == 4 => Some((text.parse().ok()?, 4)),
        Some((year, month)) if year.len() == 4 && month.len() == 2 => {
            let month: i64 = month.parse().ok().filter(|month| (1..=12).contains(month))?;
            Some((year.parse::<i64>().ok()? * 12 + month - 1, 7))
        }
        _ => None,
    }
}

/// Years or months with those between them that have no record. Other intervals stay as they are.
fn filled(groups: Vec<ChartGroup>) -> Vec<ChartGroup> {
    let numbers: Option<Vec<(i64, usize)>> = groups.iter().map(|group| interval(&group.label)).collect();
    let Some(numbers) = numbers else { return groups };
    let (Some((first, form)), Some((last, _))) = (numbers.first().copied(), numbers.last().copied()) else {
        return groups;
    };
    if numbers.iter().any(|(_, other)| *other != form) || last - first >= MOST_INTERVALS {
        return groups;
    }
    let name = |number: i64| match form {
        4 => format!("{number:04}"),
        _ => format!("{:04}-{:02}", number.div_euclid(12), number.rem_euclid(12) + 1),
    };
    let mut given = numbers.into_iter().map(|(number, _)| number).zip(groups).peekable();
    let mut all = Vec::new();
    for number in first..=last {
        let mut found = false;
        while let Some((_, known)) = given.next_if(|(at, _)| *at == number) {
            all.push(known);
            found = true;
        }
        if !found {
            all.push(group(name(number), 0));
        }
    }
    all
}

/// Several intervals as one.
fn joined(chunk: &[ChartGroup]) -> ChartGroup {
    let count = chunk.iter().fold(0_u64, |sum, group| sum.saturating_add(group.count));
    let label = match chunk {
        [first, .., last] => format!("{} – {}", first.label.as_str(), last.label.as_str()),
        [one] => one.label.as_str().to_owned(),
        [] => String::new(),
    };
    group(label, count)
}
