//! Turns the rows of a table into the groups of a chart: folds long lists, fills gaps and joins
//! intervals.

use std::collections::HashMap;

use serde_json::Value;

use crate::chart::model::{Chart, ChartGroup, ChartKind};
use crate::claim::Statistic;
use crate::evidence::table::{Table, TableRow, sum_of};
use crate::evidence::value::plain;
use crate::language::phrase::Phrase;
use crate::language::tag::Language;
use crate::text::line::Line;

/// Maximum number of bars of a chart.
const MOST_BARS: usize = 20;
/// Maximum number of inner groups of stacked bars with separate colours.
const MOST_SERIES: usize = 6;
/// Maximum number of columns of a chart.
const MOST_COLUMNS: usize = 160;
/// Maximum number of intervals of a series whose gaps are filled.
const MOST_INTERVALS: i64 = 2_400;

impl Chart {
    /// Creates the chart of an aggregation, with an English label for the group of all others. See
    /// [`in_language`](Self::in_language).
    pub fn from_table(table: &Table, title: &str, over_time: bool) -> Option<Self> {
        Self::in_language(Language::ENGLISH, table, title, over_time)
    }

    /// Creates the chart of an aggregation. `None` if it has fewer than two groups: a single bar
    /// compares nothing.
    ///
    /// A series over time becomes columns from the first interval to the last. If its keys are
    /// years or months, the empty intervals between them are included; more than 160 intervals are
    /// joined. A grouping by two fields becomes stacked bars of at most six inner groups and one of
    /// all others. Of more than 20 groups the largest 19 are drawn, and one of all others.
    pub fn in_language(
        language: Language,
        table: &Table,
        title: &str,
        over_time: bool,
    ) -> Option<Self> {
        let Folded {
            kind,
            series,
            has_rest,
            groups,
        } = if over_time {
            dates(table)
        } else {
            groups(table, language)
        };
        let (aggregation, title) = (table.id.clone(), Line::new(title));

        (groups.len() > 1).then_some(Self {
            aggregation,
            kind,
            title,
            language,
            has_numbers: false,
            series,
            has_rest,
            groups,
        })
    }

    /// Creates the chart of a statistic of the groups of an aggregation: a field and its statistic.
    /// `None` if fewer than two groups have a number, or if there are more intervals of time than
    /// are drawn.
    ///
    /// Of more than 20 groups the first 20 are drawn, because statistics of several groups cannot
    /// be joined. Groups by two fields are labelled with both.
    pub fn of_measure(
        language: Language,
        table: &Table,
        title: &str,
        over_time: bool,
        (field, statistic): (&str, Statistic),
    ) -> Option<Self> {
        let depth = table.rows.iter().map(|row| keys(&row.value).len()).max()?;
        let rows = table
            .rows
            .iter()
            .filter(|row| keys(&row.value).len() == depth);
        let measured = rows.map(|row| ChartGroup {
            number: row
                .measure(field, statistic)
                .and_then(|measure| measure.number),
            ..group(plain(&row.value), row.count)
        });
        let mut groups: Vec<ChartGroup> = measured.collect();

        let kind = if over_time {
            groups.retain(|group| is_dated(&group.label));
            // Dates of one form sort as text.
            groups.sort_by(|a, b| a.label.cmp(&b.label));
            groups = filled(groups);
            ChartKind::Dates
        } else {
            groups.retain(|group| group.number.is_some());
            groups.truncate(MOST_BARS);
            ChartKind::Bars
        };

        let has_room = groups.len() <= MOST_COLUMNS;
        let numbers = groups.iter().filter(|group| group.number.is_some());
        (numbers.count() > 1 && has_room).then(|| Self {
            aggregation: table.id.clone(),
            kind,
            title: Line::new(title),
            language,
            has_numbers: true,
            series: Vec::new(),
            has_rest: false,
            groups,
        })
    }
}

/// The content of a chart.
pub(crate) struct Folded {
    pub(crate) kind: ChartKind,
    pub(crate) series: Vec<Line>,
    /// Whether the last of the series represents all others.
    pub(crate) has_rest: bool,
    pub(crate) groups: Vec<ChartGroup>,
}

impl Folded {
    fn plain(kind: ChartKind, groups: Vec<ChartGroup>) -> Self {
        Self {
            kind,
            series: Vec::new(),
            has_rest: false,
            groups,
        }
    }
}

/// Returns bars, stacked if the table groups by two fields. An incomplete list of pairs is not
/// stacked: the sums of the listed pairs would be taken for the outer groups.
pub(crate) fn groups(table: &Table, language: Language) -> Folded {
    let depth = |wanted| move |row: &&TableRow| keys(&row.value).len() == wanted;
    let pairs = table
        .rows
        .iter()
        .filter(depth(2))
        .map(|row| row.count)
        .reduce(u64::saturating_add);
    let is_whole = table.rows.iter().any(|row| depth(1)(&row)) || pairs == Some(table.total);
    if pairs.is_some() && table.field.contains(',') && is_whole {
        return stacked(table, language);
    }

    let groups = table
        .rows
        .iter()
        .map(|row| group(plain(&row.value), row.count))
        .collect();
    Folded::plain(ChartKind::Bars, largest(groups, 0, language))
}

/// Returns columns in the order of time. A group without a date comes last.
pub(crate) fn dates(table: &Table) -> Folded {
    let mut groups: Vec<ChartGroup> = table
        .rows
        .iter()
        .map(|row| group(plain(&row.value), row.count))
        .collect();
    groups.sort_by_key(|group| !is_dated(&group.label));
    let dated = groups
        .iter()
        .take_while(|group| is_dated(&group.label))
        .count();
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
    ChartGroup {
        label: Line::new(&label),
        count,
        ..ChartGroup::default()
    }
}

/// Returns the largest groups in the order of the table, and one of all others.
fn largest(mut groups: Vec<ChartGroup>, series: usize, language: Language) -> Vec<ChartGroup> {
    if groups.len() <= MOST_BARS {
        return groups;
    }

    let mut counts: Vec<u64> = groups.iter().map(|group| group.count).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let least = counts.get(MOST_BARS - 2).copied().unwrap_or_default();

    // Of groups of the smallest size that is drawn, the first ones stay.
    let mut left = MOST_BARS - 1 - counts.iter().filter(|count| **count > least).count();
    let mut others = ChartGroup {
        parts: vec![0; series],
        ..ChartGroup::default()
    };
    let mut folded = 0_u64;
    groups.retain(|group| {
        let stays = group.count > least || (group.count == least && left > 0);
        if stays && group.count == least {
            left -= 1;
        }

        if !stays {
            folded += 1;
            others.count = others.count.saturating_add(group.count);
            others
                .parts
                .iter_mut()
                .zip(&group.parts)
                .for_each(|(sum, part)| *sum = sum.saturating_add(*part));
        }
        stays
    });

    others.label = Line::new(&language.say(Phrase::OtherGroups { count: folded }));
    groups.push(others);
    groups
}

/// Returns the values of a row, the outer one first.
fn keys(value: &Value) -> &[Value] {
    match value {
        Value::Array(keys) => keys,
        one => std::slice::from_ref(one),
    }
}

/// Returns stacked bars of a table that groups by two fields.
fn stacked(table: &Table, language: Language) -> Folded {
    let inner: Vec<(&Value, String, u64)> = table.rows.iter().filter_map(pair).collect();
    let names = names_by_size(&inner);
    let shown = if names.len() > MOST_SERIES + 1 {
        MOST_SERIES
    } else {
        names.len()
    };

    let mut groups = outer_groups(table, &inner, &names[..shown]);
    let mut series: Vec<Line> = names
        .iter()
        .take(shown)
        .map(|name| Line::new(name))
        .collect();

    // The last part of each group is for all others. Without any it is left out.
    let has_rest = groups
        .iter()
        .any(|group| group.parts.last().is_some_and(|others| *others > 0));
    if has_rest {
        series.push(Line::new(&language.say(Phrase::Others)));
    } else {
        groups
            .iter_mut()
            .for_each(|group| group.parts.truncate(shown));
    }

    let groups = largest(groups, series.len(), language);
    Folded {
        kind: ChartKind::Stacked,
        series,
        has_rest,
        groups,
    }
}

/// Returns the names of the inner groups, those with most records first.
fn names_by_size<'n>(inner: &'n [(&Value, String, u64)]) -> Vec<&'n str> {
    let mut sums: HashMap<&str, u64> = HashMap::new();
    let mut names: Vec<&str> = Vec::new();
    for (_, name, count) in inner {
        let sum = sums.entry(name).or_insert_with(|| {
            names.push(name);
            0
        });
        *sum = sum.saturating_add(*count);
    }

    names.sort_by_key(|name| std::cmp::Reverse(sums.get(name).copied()));
    names
}

/// Returns the outer groups, each with a part for every name and one for all others.
fn outer_groups(table: &Table, inner: &[(&Value, String, u64)], names: &[&str]) -> Vec<ChartGroup> {
    let empty = |key: &Value, count: u64| ChartGroup {
        parts: vec![0; names.len() + 1],
        ..group(plain(key), count)
    };

    // The groups that the table has a row for.
    let mut outer = Outer::default();
    for row in &table.rows {
        if let [key] = keys(&row.value) {
            let at = outer.push(key, empty(key, row.count));
            outer.labels.entry(plain(key)).or_insert(at);
        }
    }

    // The inner groups. An outer group without a row counts the sum of its inner ones.
    let given = outer.groups.len();
    for (value, name, count) in inner {
        let at = outer
            .position(value)
            .unwrap_or_else(|| outer.push(value, empty(value, 0)));
        let Some(group) = outer.groups.get_mut(at) else {
            continue;
        };
        let part = names.iter().position(|shown| shown == name);
        if let Some(part) = group.parts.get_mut(part.unwrap_or(names.len())) {
            *part = part.saturating_add(*count);
        }
        if at >= given {
            group.count = group.count.saturating_add(*count);
        }
    }

    // The records of an outer group that are in none of its inner groups.
    let mut groups = outer.groups;
    for group in &mut groups {
        let sum = sum_of(group.parts.iter().copied());
        if let Some(others) = group.parts.last_mut() {
            *others = others.saturating_add(group.count.saturating_sub(sum));
        }
    }
    groups
}

/// The outer groups of stacked bars. Two values with the same text, such as `7` and `"7"`, are two
/// groups.
#[derive(Default)]
struct Outer {
    groups: Vec<ChartGroup>,
    /// Indices of the groups by their values as JSON.
    values: HashMap<String, usize>,
    /// Indices of the groups that the table has a row for, by their labels.
    labels: HashMap<String, usize>,
}

impl Outer {
    fn push(&mut self, value: &Value, group: ChartGroup) -> usize {
        let at = self.groups.len();
        self.values.entry(value.to_string()).or_insert(at);
        self.groups.push(group);
        at
    }

    /// Returns the index of the group of a value, else of the one with a row and the same label: a
    /// tool may spell a value in two ways.
    fn position(&self, value: &Value) -> Option<usize> {
        self.values
            .get(&value.to_string())
            .or_else(|| self.labels.get(&plain(value)))
            .copied()
    }
}

/// Returns the outer value, the inner label and the count of a row with two values.
fn pair(row: &TableRow) -> Option<(&Value, String, u64)> {
    match keys(&row.value) {
        [outer, inner] => Some((outer, plain(inner), row.count)),
        _ => None,
    }
}

/// Returns whether a label begins with a year.
fn is_dated(label: &Line) -> bool {
    let text = label.as_str().as_bytes();
    let year = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    year == 4 && text.get(4).is_none_or(|byte| b"-/T ".contains(byte))
}

/// Returns the number of a year, or of a month since the year 0, and the length of its text.
fn interval(label: &Line) -> Option<(i64, usize)> {
    /// Parses a string of exactly this many digits. A sign is refused, because numbers with signs
    /// do not sort as text.
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

/// Adds the years or months without records between the given ones. Other intervals stay as they
/// are.
fn filled(groups: Vec<ChartGroup>) -> Vec<ChartGroup> {
    let numbers: Option<Vec<(i64, usize)>> =
        groups.iter().map(|group| interval(&group.label)).collect();
    let Some(numbers) = numbers else {
        return groups;
    };
    let (Some((first, form)), Some((last, _))) =
        (numbers.first().copied(), numbers.last().copied())
    else {
        return groups;
    };

    if numbers.iter().any(|(_, other)| *other != form) || last - first >= MOST_INTERVALS {
        return groups;
    }

    let name = |number: i64| match form {
        4 => format!("{number:04}"),
        _ => format!(
            "{:04}-{:02}",
            number.div_euclid(12),
            number.rem_euclid(12) + 1
        ),
    };
    let mut given = numbers
        .into_iter()
        .map(|(number, _)| number)
        .zip(groups)
        .peekable();
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

/// Joins several intervals into one.
fn joined(chunk: &[ChartGroup]) -> ChartGroup {
    let count = chunk
        .iter()
        .fold(0_u64, |sum, group| sum.saturating_add(group.count));
    let label = match chunk {
        [first, .., last] => format!("{} – {}", first.label.as_str(), last.label.as_str()),
        [one] => one.label.as_str().to_owned(),
        [] => String::new(),
    };
    group(label, count)
}
