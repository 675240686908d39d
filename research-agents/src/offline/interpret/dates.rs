//! Reads dates: years, months and days, and what lies since, before or between them.

use serde_json::Value;

use super::lexicon::{self, Comparison};
use super::number;
use super::plain;
use super::reader::Reader;
use crate::dataset::record::Object;
use crate::dataset::task::{FieldFacts, FieldKind};

/// A calendar day: year, month 1 to 12, day 1 to 31.
type Day = (i32, u32, u32);

/// A span of days, its end excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Period {
    start: Day,
    end: Day,
    bare_year: bool,
}

impl Period {
    fn year(year: i32) -> Self {
        Self { start: (year, 1, 1), end: (year + 1, 1, 1), bare_year: true }
    }

    fn decade(year: i32) -> Self {
        Self { start: (year, 1, 1), end: (year + 10, 1, 1), bare_year: false }
    }

    fn month(year: i32, month: u32) -> Self {
        let end = if month == 12 { (year + 1, 1, 1) } else { (year, month + 1, 1) };
        Self { start: (year, month, 1), end, bare_year: false }
    }

    fn day(year: i32, month: u32, day: u32) -> Option<Self> {
        let next = if day < days_in(year, month) { (year, month, day + 1) } else { Self::month(year, month).end };
        ((1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day)).then_some(Self {
            start: (year, month, day),
            end: next,
            bare_year: false,
        })
    }

    /// Whether it is written as a year alone, which could be any number of four digits.
    pub(super) fn is_bare_year(&self) -> bool {
        self.bare_year
    }
}

fn days_in(year: i32, month: u32) -> u32 {
    match month {
        2 if (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn iso((year, month, day): Day) -> Value {
    Value::String(format!("{year:04}-{month:02}-{day:02}"))
}

impl Reader<'_, '_> {
    /// The date, month, year or decade at a word, and where it ends.
    pub(super) fn period(&self, index: usize) -> Option<(Period, usize)> {
        let text = self.words.get(index)?.text;
        if let Some(month) = lexicon::month(self.lower(index)) {
            // `March 1995`, `March 5, 1995`
            if let Some(year) = self.year_at(index + 1) {
                return Some((Period::month(year, month), index + 2));
            }
            let (day, year) = (self.day_at(index + 1)?, self.year_at(index + 2)?);
            return Some((Period::day(year, month, day)?, index + 3));
        }
        let parts: Vec<&str> = text.split('-').collect();
        if let [year, month, rest @ ..] = parts.as_slice() {
            let (year, month) = (year.parse().ok()?, month.parse().ok().filter(|m| (1..=12).contains(m))?);
            let period = match rest.first() {
                Some(day) => Period::day(year, month, day.parse().ok()?)?,
                None => Period::month(year, month),
            };
            return Some((period, index + 1));
        }
        // `5 March 1995`
        if let (Some(day), Some(month)) = (self.day_at(index), lexicon::month(self.lower(index + 1)))
            && let Some(year) = self.year_at(index + 2)
        {
            return Some((Period::day(year, month, day)?, index + 3));
        }
        let year = self.year_at(index)?;
        if self.lower(index + 1) == "s" && self.gap(index + 1).is_empty() {
            return Some((Period::decade(year), index + 2));
        }
        Some((Period::year(year), index + 1))
    }

    fn year_at(&self, index: usize) -> Option<i32> {
        let text = self.words.get(index)?.text;
        (text.len() == 4).then(|| text.parse().ok())?.filter(|year| (1000..=2999).contains(year))
    }

    fn day_at(&self, index: usize) -> Option<u32> {
        self.words.get(index)?.text.parse().ok().filter(|day| (1..=31).contains(day))
    }

    /// Whether four digits mean a year: by the word before them, or, where nothing else claims them, by their size.
    pub(super) fn year_is_meant(&self, index: usize, measured: bool) -> bool {
        let before = index.checked_sub(1).map_or("", |before| self.lower(before));
        let cue = matches!(
            before,
            "in" | "since"
                | "during"
                | "from"
                | "until"
                | "till"
                | "before"
                | "after"
                | "between"
                | "through"
                | "year"
                | "years"
                | "early"
                | "late"
        );
        let sized = self.year_at(index).is_some_and(|year| (1800..=2100).contains(&year));
        sized && (cue || !measured)
    }

    /// Applies a period, or a range from it to a second one, to the date field that is meant, or as years to a numeric
    /// field of years. Returns where reading goes on; `None` if no field holds dates or years.
    pub(super) fn read_period(&mut self, index: usize, first: Period, end: usize) -> Option<usize> {
        let (comparison, mut start) = self.comparison_before(index);
        let between = start.checked_sub(1).is_some_and(|before| matches!(self.lower(before), "between" | "from"));
        let opens = between || self.lower(start) == "from";
        let dash = matches!(self.gap(end).trim(), "-" | "–");
        let joined = dash
            || matches!(self.lower(end), "to" | "through" | "until" | "till")
            || (opens && self.lower(end) == "and");
        let second = if joined { self.period(if dash { end } else { end + 1 }) } else { None };
        if between && second.is_some() {
            start -= 1;
        }
        let end = second.map_or(end, |(_, end)| end);
        let denied = (index..end).any(|word| self.negated[word]);
        let field = self.date_field_near(start, end);
        match field {
            _ if denied => self.refuse(start, end, "a denied date cannot be filtered by"),
            Some(field) => {
                let (from, to) = match (second, comparison) {
                    (Some((second, _)), _) => (Some(first.start), Some(second.end)),
                    (None, Comparison::Equal) => (Some(first.start), Some(first.end)),
                    (None, Comparison::AtLeast) => (Some(first.start), None),
                    (None, Comparison::Above) => (Some(first.end), None),
                    (None, Comparison::Below) => (None, Some(first.start)),
                    (None, Comparison::AtMost) => (None, Some(first.end)),
                };
                let mut words = Vec::new();
                for (operator, sign, bound) in [("gte", "≥", from), ("lt", "<", to)] {
                    if let Some(day) = bound {
                        self.add_bound(field, operator, iso(day));
                        words.push(format!("{sign} {}", plain(&iso(day))));
                    }
                }
                let gives = format!("{} {}", self.fields[field].facts.name, words.join(" and "));
                self.note(start, end, &gives);
            }
            None => {
                let field = self.year_field()?;
                match second {
                    Some((second, _)) => {
                        self.add_bound(field, "gte", number(f64::from(first.start.0)));
                        self.add_bound(field, "lt", number(f64::from(second.end.0)));
                    }
                    None if first.is_bare_year() => self.add_number(field, comparison, f64::from(first.start.0)),
                    None => {
                        self.add_bound(field, "gte", number(f64::from(first.start.0)));
                        self.add_bound(field, "lt", number(f64::from(first.end.0)));
                    }
                }
                let gives = format!("a condition on {}", self.fields[field].facts.name);
                self.note(start, end, &gives);
            }
        }
        self.take(start, end);
        Some(end)
    }

    fn date_field_near(&self, start: usize, end: usize) -> Option<usize> {
        let dates = || (0..self.fields.len()).filter(|&field| self.fields[field].facts.kind == FieldKind::Date);
        dates().find(|&field| self.named_near(field, start, end)).or_else(|| dates().next())
    }

    fn year_field(&self) -> Option<usize> {
        (0..self.fields.len()).find(|&field| {
            self.fields[field].facts.kind == FieldKind::Number
                && self.fields[field].words.iter().any(|word| word.lower == "year")
        })
    }
}

/// The interval that cuts the span of a date field into a number of parts that can be looked at: days up to seven
/// weeks, weeks up to half a year, months up to three years, and years beyond.
pub(in super::super) fn default_interval(field: &FieldFacts, filters: &Object) -> &'static str {
    let bound = |value: Option<&Value>| value.and_then(Value::as_str).and_then(days);
    let filter = filters.get(&field.name);
    let get = |operators: [&str; 2]| operators.iter().find_map(|operator| bound(filter?.get(operator)));
    let from = get(["gte", "gt"]).or_else(|| bound(field.range.as_ref().map(|range| &range.0)));
    let to = get(["lt", "lte"]).or_else(|| bound(field.range.as_ref().map(|range| &range.1)));
    match (from, to) {
        (Some(from), Some(to)) => match to - from {
            ..=49 => "day",
            50..=190 => "week",
            191..=1100 => "month",
            _ => "year",
        },
        _ => "year",
    }
}

/// Days of a date since the year zero, near enough for lengths.
fn days(date: &str) -> Option<i64> {
    let mut parts = date.get(..10).unwrap_or(date).splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next().flatten().unwrap_or(1), parts.next().flatten().unwrap_or(1));
    Some(year * 365 + year / 4 + (month - 1) * 30 + day)
}
