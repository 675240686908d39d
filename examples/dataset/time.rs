//! Dates in the spellings that data files use, and what a date in a query covers.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// A date or a date with a time. A time with an offset is converted to UTC.
///
/// Understood are ISO 8601 (`2024-05-01`, `2024-05-01T10:00:00Z`, also with a space) and `2024/05/01`.
pub(super) fn parse(text: &str) -> Option<DateTime> {
    let text = text.trim();
    let bytes = text.as_bytes();
    if bytes.len() < 8 || !bytes[..4].iter().all(u8::is_ascii_digit) || !matches!(bytes[4], b'-' | b'/') {
        return None;
    }
    if let Some(day) = day(text) {
        return Some(day.to_datetime(jiff::civil::Time::midnight()));
    }
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Some(instant.to_zoned(TimeZone::UTC).datetime());
    }
    text.parse::<DateTime>().ok()
}

fn day(text: &str) -> Option<Date> {
    if !text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'/')) {
        return None;
    }
    let mut parts = text.split(['-', '/']);
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// The time that a date in a query covers, as a half-open interval: a year, a month, a day, or one instant.
pub(super) fn span(text: &str) -> Option<(DateTime, DateTime)> {
    let text = text.trim();
    let midnight = jiff::civil::Time::midnight();
    let covered = |first: Date, span: jiff::Span| {
        // Data files mark an open end as 9999-12-31, the last day there is.
        let end = first.checked_add(span).map_or(DateTime::MAX, |day| day.to_datetime(midnight));
        Some((first.to_datetime(midnight), end))
    };
    let numbers: Vec<&str> = text.split('-').collect();
    match numbers[..] {
        [year] if year.len() == 4 => covered(Date::new(year.parse().ok()?, 1, 1).ok()?, 1.year()),
        [year, month] if year.len() == 4 && month.len() == 2 => {
            covered(Date::new(year.parse().ok()?, month.parse().ok()?, 1).ok()?, 1.month())
        }
        _ => match day(text) {
            Some(day) => covered(day, 1.day()),
            None => {
                let instant = parse(text)?;
                Some((instant, instant.checked_add(1.nanosecond()).ok()?))
            }
        },
    }
}

/// Length of the buckets of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    /// Calendar years.
    Year,
    /// Quarters of a year.
    Quarter,
    /// Calendar months.
    Month,
    /// ISO 8601 weeks.
    Week,
    /// Days.
    Day,
}

impl Interval {
    /// The names that a query uses.
    pub(super) const NAMES: [&str; 5] = ["year", "quarter", "month", "week", "day"];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "year" => Some(Self::Year),
            "quarter" => Some(Self::Quarter),
            "month" => Some(Self::Month),
            "week" => Some(Self::Week),
            "day" => Some(Self::Day),
            _ => None,
        }
    }

    /// The bucket that a time falls into: `2024`, `2024-Q2`, `2024-05`, `2024-W18` or `2024-05-01`. The keys sort by time.
    pub(super) fn key(self, time: DateTime) -> String {
        let day = time.date();
        match self {
            Self::Year => format!("{:04}", day.year()),
            Self::Quarter => format!("{:04}-Q{}", day.year(), (day.month() - 1) / 3 + 1),
            Self::Month => format!("{:04}-{:02}", day.year(), day.month()),
            Self::Week => {
                let week = day.iso_week_date();
                format!("{:04}-W{:02}", week.year(), week.week())
            }
            Self::Day => day.to_string(),
        }
    }
}

/// A time as text; midnight as its day.
pub(super) fn day_text(time: DateTime) -> String {
    if time.time() == jiff::civil::Time::midnight() { time.date().to_string() } else { time.to_string() }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn spellings() {
        let day = date(2024, 5, 1).at(0, 0, 0, 0);
        assert_eq!(parse("2024-05-01"), Some(day));
        assert_eq!(parse("2024/5/1"), Some(day));
        assert_eq!(parse("2024-05-01T00:00:00"), Some(day));
        assert_eq!(parse("2024-05-01 00:00:00"), Some(day));
        assert_eq!(parse("2024-05-01T02:00:00+02:00"), Some(day));
        for not_a_date in ["2024", "2024-13-01", "20240501", "1234-5678", "12:30", "2024-05-01x", "PAG00001"] {
            assert_eq!(parse(not_a_date), None, "{not_a_date}");
        }
    }

    #[test]
    fn a_date_in_a_query_covers_what_it_names() {
        let day = |year, month, day| date(year, month, day).at(0, 0, 0, 0);
        assert_eq!(span("1990"), Some((day(1990, 1, 1), day(1991, 1, 1))));
        assert_eq!(span("1990-12"), Some((day(1990, 12, 1), day(1991, 1, 1))));
        assert_eq!(span("1990-12-31"), Some((day(1990, 12, 31), day(1991, 1, 1))));
        assert_eq!(span("soon"), None);
    }

    #[test]
    fn histogram_keys() {
        let time = date(2024, 12, 30).at(10, 0, 0, 0);
        let keys: Vec<_> = Interval::NAMES.iter().map(|name| Interval::from_name(name).unwrap().key(time)).collect();
        assert_eq!(keys, ["2024", "2024-Q4", "2024-12", "2025-W01", "2024-12-30"]);
    }
}
