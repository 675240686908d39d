//! Turns the rows of a table into the groups of a chart: folds long lists, fills gaps, joins intervals.

use std::collections::HashMap;

use serde_json::Value;

use super::{ChartGroup, ChartKind};
use crate::kernel::evidence::{Table, TableRow, plain, sum_of};
use crate::kernel::language::{Language, Phrase};
use crate::kernel::line::Line;

/// Bars of a chart.
const MOST_BARS: usize = 20;
/// Inner groups of stacked bars that have a colour of their own.
const MOST_SERIES: usize = 6;
/// Columns of a chart.
const MOST_COLUMNS: usize = 160;
/// Intervals that a series may have once its gaps are filled.
const MOST_INTERVALS: i64 = 2_400;

/// What a chart shows.
pub(super) struct Folded {
    pub(super) kind: ChartKind,
    pub(super) series: Vec<Line>,
    /// The last of the series stands for all others.
    pub(super) has_rest: bool,
    pub(super) groups: Vec<ChartGroup>,
}

impl Folded {
    fn plain(kind: ChartKind, groups: Vec<ChartGroup>) -> Self {
        Self { kind, series: Vec::new(), has_rest: false, groups }
    }
}

/// Bars, stacked where the table groups by two fields. A list of pairs that leaves some out is not stacked: the sums of those that
/// it holds would be taken for the outer groups.
pub(super) fn groups(table: &Table, language: Language) -> Folded {
    let depth = |wanted| move |row: &&TableRow| keys(&row.value).len() == wanted;
    let pairs = table.rows.iter().filter(depth(2)).map(|row| row.count).reduce(u64::saturating_add);
    let is_whole = table.rows.iter().any(|row| depth(1)(&row)) || pairs == Some(table.total);
    if pairs.is_some() && table.field.contains(',') && is_whole {
        return stacked(table, language);
    }
    let groups = table.rows.iter().map(|row| group(plain(&row.value), row.count)).collect();
    Folded::plain(ChartKind::Bars, largest(groups, 0, language))
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
    Folded::plain(ChartKind::Dates, groups)
}

fn group(label: String, count: u64) -> ChartGroup {
    ChartGroup { label: Line::new(&label), count, parts: Vec::new() }
}

/// The largest groups in the order of the table, and one of all others.
fn largest(mut groups: Vec<ChartGroup>, series: usize, language: Language) -> Vec<ChartGroup> {
    if groups.len() <= MOST_BARS {
        return groups;
    }
    let mut counts: Vec<u64> = groups.iter().map(|group| group.count).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let least = counts.get(MOST_BARS - 2).copied().unwrap_or_default();
    // Of groups of the same size the first ones stay.
    let mut room = MOST_BARS - 1 - counts.iter().filter(|count| **count > least).count();
    let mut others = ChartGroup { label: Line::default(), count: 0, parts: vec![0; series] };
    let mut folded = 0_u64;
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
    others.label = Line::new(&language.say(Phrase::OtherGroups { count: folded }));
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

fn stacked(table: &Table, language: Language) -> Folded {
    let inner: Vec<(&Value, String, u64)> = table.rows.iter().filter_map(pair).collect();
    let mut sums: HashMap<&str, u64> = HashMap::new();
    let mut names: Vec<&str> = Vec::new();
    for (_, name, count) in &inner {
        let sum = sums.entry(name).or_insert_with(|| {
            names.push(name);
            0
        });
        *sum = sum.saturating_add(*count);
    }
    names.sort_by_key(|name| std::cmp::Reverse(sums.get(name).copied()));
    let shown = if names.len() > MOST_SERIES + 1 { MOST_SERIES } else { names.len() };
    let places: HashMap<&str, usize> = names.iter().take(shown).enumerate().map(|(at, name)| (*name, at)).collect();

    let mut outer = Outer::default();
    for row in &table.rows {
        if let [key] = keys(&row.value) {
            let at = outer.push(key, ChartGroup { parts: vec![0; shown + 1], ..group(plain(key), row.count) });
            outer.labels.entry(plain(key)).or_insert(at);
        }
    }
    let given = outer.groups.len();
    for (value, name, count) in &inner {
        let at = outer
            .place(value)
            .unwrap_or_else(|| outer.push(value, ChartGroup { parts: vec![0; shown + 1], ..group(plain(value), 0) }));
        let Some(group) = outer.groups.get_mut(at) else { continue };
        if let Some(part) = group.parts.get_mut(places.get(name.as_str()).copied().unwrap_or(shown)) {
            *part = part.saturating_add(*count);
        }
        if at >= given {
            group.count = group.count.saturating_add(*count);
        }
    }
    let mut groups = outer.groups;
    // What an outer group holds beyond its listed inner ones.
    for group in &mut groups {
        let sum = sum_of(group.parts.iter().copied());
        if let Some(others) = group.parts.last_mut() {
            *others = others.saturating_add(group.count.saturating_sub(sum));
        }
    }
    let mut series: Vec<Line> = names.iter().take(shown).map(|name| Line::new(name)).collect();
    let has_rest = groups.iter().any(|group| group.parts.last().is_some_and(|others| *others > 0));
    if has_rest {
        series.push(Line::new(&language.say(Phrase::Others)));
    } else {
        groups.iter_mut().for_each(|group| group.parts.truncate(shown));
    }
    let groups = largest(groups, series.len(), language);
    Folded { kind: ChartKind::Stacked, series, has_rest, groups }
}

/// The outer groups of stacked bars. Two values that look alike, such as `7` and `"7"`, are two groups.
#[derive(Default)]
struct Outer {
    groups: Vec<ChartGroup>,
    /// Places by the value as JSON.
    values: HashMap<String, usize>,
    /// Places of those that the table has a row for, by what they look like.
    labels: HashMap<String, usize>,
}

impl Outer {
    fn push(&mut self, value: &Value, group: ChartGroup) -> usize {
        let at = self.groups.len();
        self.values.entry(value.to_string()).or_insert(at);
        self.groups.push(group);
        at
    }

    /// The group of this value; else the one with a row that looks like it, for a tool may spell a value in two ways.
    fn place(&self, value: &Value) -> Option<usize> {
        self.values.get(&value.to_string()).or_else(|| self.labels.get(&plain(value))).copied()
    }
}

/// Outer value, inner label and count of a row of two values.
fn pair(row: &TableRow) -> Option<(&Value, String, u64)> {
    match keys(&row.value) {
        [outer, inner] => Some((outer, plain(inner), row.count)),
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
    /// So many digits and nothing else: a sign would be read as well, and does not sort as text.
    fn number(text: &str, digits: usize) -> Option<i64> {
        let is_plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        is_plain.then(|| text.parse().ok()).flatten()
    }
    match label.as_str().split_once('-') {
        None => Some((number(label.as_str(), 4)?, 4)),
        Some((year, month)) => {
            let month = number(month, 2).filter(|month| (1..=12).contains(month))?;
            Some((number(year, 4)? * 12 + month - 1, 7))
        }
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
