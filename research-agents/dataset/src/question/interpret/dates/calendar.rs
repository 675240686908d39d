//! Times that questions name: days, months, quarters, years and decades, as spans of days.

use serde_json::Value;

/// A calendar day: year, month 1 to 12, day 1 to 31.
pub(crate) type Day = (i32, u32, u32);

/// A time as a question says it, which may leave the year to the words around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) year: Option<i32>,
    pub(crate) part: Part,
}

/// The part of the year that is meant, or the number of years.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Ten years.
    Decade,
    /// All of it. Four digits could be any number.
    Year,
    /// A month and the number of months from it on, such as those of a quarter.
    Months(u32, u32),
    /// A day of a month.
    Day(u32, u32),
}

impl Moment {
    pub(crate) fn new(year: Option<i32>, part: Part) -> Self {
        Self { year, part }
    }

    pub(crate) fn in_year(self, year: i32) -> Self {
        Self {
            year: Some(year),
            ..self
        }
    }

    /// Returns whether it is a part of a year, which another year may have as well.
    pub(crate) fn recurs(&self) -> bool {
        matches!(self.part, Part::Months(..) | Part::Day(..))
    }

    /// Returns whether it is written as a year alone, which could be any number of four digits.
    pub(crate) fn is_bare_year(&self) -> bool {
        self.part == Part::Year
    }

    /// Returns its place within a year.
    fn place(&self) -> (u32, u32) {
        match self.part {
            Part::Decade | Part::Year => (1, 1),
            Part::Months(first, _) => (first, 1),
            Part::Day(month, day) => (month, day),
        }
    }

    /// Returns its days; `None` without a year, and for a day that its month does not have.
    pub(crate) fn period(&self) -> Option<Period> {
        let year = self.year?;
        let months = |first: u32, count: u32| {
            let end = first + count - 1;
            Period {
                start: (year, first, 1),
                end: if end >= 12 {
                    (year + 1, 1, 1)
                } else {
                    (year, end + 1, 1)
                },
            }
        };

        Some(match self.part {
            Part::Decade => Period {
                start: (year, 1, 1),
                end: (year + 10, 1, 1),
            },
            Part::Year => Period {
                start: (year, 1, 1),
                end: (year + 1, 1, 1),
            },
            Part::Months(first, count) => months(first, count),
            Part::Day(month, day) => {
                let last = days_in(year, month);
                let end = if day < last {
                    (year, month, day + 1)
                } else {
                    months(month, 1).end
                };
                (1..=last).contains(&day).then_some(Period {
                    start: (year, month, day),
                    end,
                })?
            }
        })
    }
}

/// Completes two moments of a range with the year that only one of them has: *from November to
/// February 2024* begins in 2023.
pub(crate) fn share_year(first: Moment, second: Moment) -> (Moment, Moment) {
    let wraps = i32::from(first.place() > second.place());
    match (first.year, second.year) {
        (None, Some(year)) => (first.in_year(year - wraps), second),
        (Some(year), None) => (first, second.in_year(year + wraps)),
        _ => (first, second),
    }
}

/// A span of days, its end excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Period {
    pub(crate) start: Day,
    pub(crate) end: Day,
}

impl Period {
    /// Returns whether it begins and ends with a year.
    pub(crate) fn is_of_years(&self) -> bool {
        (self.start.1, self.start.2, self.end.1, self.end.2) == (1, 1, 1, 1)
    }

    /// Returns the period from the beginning of the earlier to the end of the later one.
    pub(crate) fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Joins several spans if they follow each other without a gap.
    pub(crate) fn joined(mut spans: Vec<Self>) -> Option<Self> {
        spans.sort_by_key(|span| span.start);
        let (first, rest) = spans.split_first()?;
        rest.iter().try_fold(*first, |all, next| {
            (next.start <= all.end).then(|| all.to(*next))
        })
    }

    /// Returns whether a day of it lies from one day to another, both included.
    pub(crate) fn meets(&self, from: Day, to: Day) -> bool {
        self.start <= to && from < self.end
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

/// Returns a day as the data has it.
pub(crate) fn iso((year, month, day): Day) -> Value {
    Value::String(format!("{year:04}-{month:02}-{day:02}"))
}

/// Returns the day of a date in ISO 8601, or the first one where it names none.
pub(crate) fn day_of(date: &str) -> Option<Day> {
    let mut parts = date.get(..10).unwrap_or(date).splitn(3, '-');
    let year = parts.next()?.parse().ok()?;
    let mut next = || parts.next().map_or(Some(1), |part| part.parse().ok());
    Some((year, next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_spans_of_days() {
        let days = |part| {
            Moment::new(Some(2024), part)
                .period()
                .map(|period| (period.start, period.end))
        };
        assert_eq!(
            days(Part::Months(12, 1)),
            Some(((2024, 12, 1), (2025, 1, 1)))
        );
        assert_eq!(days(Part::Months(4, 3)), Some(((2024, 4, 1), (2024, 7, 1))));
        assert_eq!(days(Part::Day(2, 28)), Some(((2024, 2, 28), (2024, 2, 29))));
        assert_eq!(days(Part::Day(2, 29)), Some(((2024, 2, 29), (2024, 3, 1))));
        assert_eq!(days(Part::Day(4, 31)), None);
        assert_eq!(Moment::new(None, Part::Months(1, 1)).period(), None);
    }

    #[test]
    fn spans_are_joined_where_no_day_lies_between_them() {
        let year = |year| Moment::new(Some(year), Part::Year).period().unwrap();
        assert_eq!(
            Period::joined(vec![year(2020), year(2019)]),
            Some(year(2019).to(year(2020)))
        );
        assert_eq!(Period::joined(vec![year(2019), year(2021)]), None);
        assert_eq!(Period::joined(Vec::new()), None);
    }
}
