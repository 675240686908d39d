//! Reads dates: the times that a question names, with *in*, *since*, *before* or *between*, become
//! a range of a date field.

pub(crate) mod calendar;
pub(crate) mod moments;

use research_agents_report::evidence::plain;
use serde_json::Value;

use crate::data::record::Object;
use crate::data::task::{FieldFacts, FieldKind};
use crate::question::interpret::dates::calendar::{Day, Moment, Period, day_of, iso, share_year};
use crate::question::interpret::dates::moments::{SIZED, Times};
use crate::question::interpret::reader::{Reader, number};
use crate::question::lexicon::measure::Comparison;

/// Words before a time.
struct Opening {
    comparison: Comparison,
    /// The first of them that belongs to the time.
    start: usize,
    /// `between` or `from` is among them.
    opens: bool,
}

impl Reader<'_, '_> {
    /// Returns whether four digits mean a year: by the word before them, or, where nothing else
    /// claims them, by their size.
    pub(crate) fn year_is_meant(&self, index: usize, measured: bool) -> bool {
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

        let sized = self
            .year_at(index)
            .is_some_and(|year| SIZED.contains(&year));
        sized && (cue || !measured)
    }

    /// Returns the times at a word, with the words before them.
    pub(crate) fn times_from(&self, index: usize) -> Option<Times> {
        self.times(index, self.opening(index).opens)
    }

    /// Reads the words before a time: how it compares, and `the year`, `the end of` and the like.
    fn opening(&self, index: usize) -> Opening {
        let lower = |at: usize, back: usize| at.checked_sub(back).map_or("", |at| self.lower(at));
        let is_the = |at: usize| usize::from(lower(at, 1) == "the");
        let read = |at: usize| {
            let (comparison, start) = self.comparison_before(at);
            let between = matches!(lower(start, 1), "between" | "from");
            let opens = between || matches!(self.lower(start), "from" | "between");
            Opening {
                comparison,
                start: start - usize::from(between),
                opens,
            }
        };

        let mut at = index - is_the(index);
        if matches!(lower(at, 1), "year" | "years" | "months") {
            at -= 1;
        } else if lower(at, 1) == "of" && matches!(lower(at, 2), "year" | "month" | "months") {
            at -= 2;
        }

        at -= is_the(at);

        // `until the end of May` is until May, but `at the end of May` is not May.
        if lower(at, 1) == "of" {
            let edge = at.saturating_sub(2);
            let opening = read(edge - is_the(edge));
            let is_whole = match (lower(at, 2), opening.comparison) {
                ("end", Comparison::AtMost | Comparison::Above) => true,
                ("start" | "beginning", Comparison::AtLeast | Comparison::Below) => true,
                ("start" | "beginning", _) => opening.opens,
                _ => false,
            };
            if is_whole {
                return opening;
            }
        }

        let opening = read(at);

        // Words such as `the` belong to the time only after another word that does.
        if opening.start < at {
            opening
        } else {
            read(index)
        }
    }

    /// Returns how a time compares by the words after it, and where these end.
    fn closing(&self, end: usize, from: bool) -> Option<(Comparison, usize)> {
        match (self.lower(end), self.lower(end + 1)) {
            ("and" | "or", "later" | "after" | "since") => Some((Comparison::AtLeast, end + 2)),
            ("and" | "or", "earlier" | "before") => Some((Comparison::AtMost, end + 2)),
            ("onward" | "onwards", _) => Some((Comparison::AtLeast, end + 1)),
            ("on" | "forward", _) if from => Some((Comparison::AtLeast, end + 1)),
            _ => None,
        }
    }

    /// Applies times to the date field that is meant, or as years to a numeric field of years.
    /// Returns where reading continues; `None` if no field holds dates or years.
    pub(crate) fn read_times(&mut self, index: usize, times: Times) -> Option<usize> {
        let Opening {
            comparison,
            start,
            opens,
        } = self.opening(index);
        let closing = self.closing(times.end, opens).filter(|_| !times.is_range);
        let (comparison, end) = closing.unwrap_or((comparison, times.end));

        let denied = (index..end).any(|word| self.negated[word]);
        let field = self.date_field_near(start, end);
        let target = field.or_else(|| self.year_field())?;
        if denied {
            self.refuse(start, end, "a denied date cannot be filtered by");
            self.take(start, end);
            return Some(end);
        }

        let Some(periods) = self.periods(field, &times) else {
            self.refuse(start, end, "no year is said; name the year");
            self.take(start, end);
            return Some(end);
        };

        // Several times must follow each other without a gap, unless they are the ends of a range.
        let ends = periods
            .first()
            .copied()
            .zip(periods.last().copied())
            .filter(|_| times.is_range);
        let span = ends
            .map(|(first, last)| first.to(last))
            .or_else(|| Period::joined(periods));
        let Some(span) = span else {
            self.refuse(
                start,
                end,
                "times apart from each other cannot be filtered by at once",
            );
            self.take(start, end);
            return Some(end);
        };

        let (from, to) = match comparison {
            _ if times.is_range => (Some(span.start), Some(span.end)),
            Comparison::Equal => (Some(span.start), Some(span.end)),
            Comparison::AtLeast => (Some(span.start), None),
            Comparison::Above => (Some(span.end), None),
            Comparison::Below => (None, Some(span.start)),
            Comparison::AtMost => (None, Some(span.end)),
        };

        if field.is_some() {
            let mut words = Vec::new();
            for (operator, sign, bound) in [("gte", "≥", from), ("lt", "<", to)] {
                if let Some(day) = bound {
                    self.add_bound(target, operator, iso(day));
                    words.push(format!("{sign} {}", plain(&iso(day))));
                }
            }
            let gives = format!("{} {}", self.fields[target].facts.name, words.join(" and "));
            self.note(start, end, &gives);
        } else if !span.is_of_years() {
            self.refuse(start, end, "the data has years only");
            self.take(start, end);
            return Some(end);
        } else {
            match times.moments.as_slice() {
                [only] if only.is_bare_year() => {
                    self.add_number(target, comparison, f64::from(span.start.0))
                }
                _ => {
                    for (operator, bound) in [("gte", from), ("lt", to)] {
                        if let Some((year, ..)) = bound {
                            self.add_bound(target, operator, number(f64::from(year)));
                        }
                    }
                }
            }
            let gives = format!("a condition on {}", self.fields[target].facts.name);
            self.note(start, end, &gives);
        }

        self.take(start, end);

        Some(end)
    }

    /// Returns the days of times. If they name no year, it is the one in which the data has such
    /// days, if there is only one.
    fn periods(&self, field: Option<usize>, times: &Times) -> Option<Vec<Period>> {
        let days = |moments: &[Moment]| {
            moments
                .iter()
                .map(Moment::period)
                .collect::<Option<Vec<Period>>>()
        };
        if times.moments.iter().any(|moment| moment.year.is_some()) {
            return days(&times.moments);
        }

        let range = self.fields[field?].facts.range.as_ref();
        let (from, to): (Day, Day) =
            range.and_then(|(low, high)| Some((day_of(&plain(low))?, day_of(&plain(high))?)))?;
        let of_year = |year: i32| {
            let (first, rest) = times.moments.split_first()?;
            let first = first.in_year(year);
            let of_rest = |next: &Moment| {
                if times.is_range {
                    share_year(first, *next).1
                } else {
                    next.in_year(year)
                }
            };
            let moments: Vec<Moment> = std::iter::once(first)
                .chain(rest.iter().map(of_rest))
                .collect();
            days(&moments).filter(|periods| periods.iter().any(|period| period.meets(from, to)))
        };

        // A range from November to February may begin in the year before the data.
        let mut fitting = (from.0 - 1..=to.0).filter_map(of_year);

        fitting.next().filter(|_| fitting.next().is_none())
    }

    fn date_field_near(&self, start: usize, end: usize) -> Option<usize> {
        let dates = || {
            (0..self.fields.len()).filter(|&field| self.fields[field].facts.kind == FieldKind::Date)
        };
        dates()
            .find(|&field| self.named_near(field, start, end))
            .or_else(|| dates().next())
    }

    fn year_field(&self) -> Option<usize> {
        (0..self.fields.len()).find(|&field| {
            self.fields[field].facts.kind == FieldKind::Number
                && self.fields[field]
                    .words
                    .iter()
                    .any(|word| word.lower == "year")
        })
    }
}

/// Returns the interval that divides the span of a date field into a readable number of parts: days
/// up to seven weeks, weeks up to half a year, months up to three years, and years beyond.
pub(crate) fn default_interval(field: &FieldFacts, filters: &Object) -> &'static str {
    let bound = |value: Option<&Value>| value.and_then(Value::as_str).and_then(days);
    let filter = filters.get(&field.name);
    let get = |operators: [&str; 2]| {
        operators
            .iter()
            .find_map(|operator| bound(filter?.get(operator)))
    };
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

/// Returns the days of a date since the year zero, near enough for lengths.
fn days(date: &str) -> Option<i64> {
    let mut parts = date
        .get(..10)
        .unwrap_or(date)
        .splitn(3, '-')
        .map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (
        parts.next()??,
        parts.next().flatten().unwrap_or(1),
        parts.next().flatten().unwrap_or(1),
    );
    Some(year * 365 + year / 4 + (month - 1) * 30 + day)
}

#[cfg(test)]
mod tests;
