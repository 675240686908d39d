//! Dates in the spellings that data files use, and what a date in a query covers.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime};

/// A date or a date with a time, as written: an offset from UTC is read over, because people mean the hour on their clock.
///
/// Understood are ISO 8601 (`2024-05-01`, `2024-05-01T10:00:00Z`, also with a space), and both with slashes: `2024/05/01`.
pub(super) fn parse(text: &str) -> Option<DateTime> {
    let text = text.trim();
    let bytes = text.as_bytes();
    if bytes.len() < 8 || !bytes[..4].iter().all(u8::is_ascii_digit) || !matches!(bytes[4], b'-' | b'/') {
        return None;
    }
    if let Some(day) = day(text) {
        return Some(day.to_datetime(jiff::civil::Time::midnight()));
    }
    // The parser of civil times reads over an offset, but refuses the `Z` that says nothing about the clock.
    let text = text.strip_suffix(['Z', 'z']).unwrap_or(text);
    if bytes[4] == b'/' {
        return text.replacen('/', "-", 2).parse::<DateTime>().ok();
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
    /// Hours.
    Hour,
}

impl Interval {
    /// The names that a query uses.
    pub(super) const NAMES: [&str; 6] = ["year", "quarter", "month", "week", "day", "hour"];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "year" => Some(Self::Year),
            "quarter" => Some(Self::Quarter),
            "month" => Some(Self::Month),
            "week" => Some(Self::Week),
            "day" => Some(Self::Day),
            "hour" => Some(Self::Hour),
            _ => None,
        }
    }

    /// Returns SQL for the bucket that a time falls into: `2024`, `2024-Q2`, `2024-05`, `2024-W18`, `2024-05-01` or `2024-05-01T10`. The
    /// keys sort by time.
    pub(super) fn key(self, column: &str) -> String {
        match self {
            Self::Year => format!("substr({column}, 1, 4)"),
            Self::Quarter => {
                format!("substr({column}, 1, 4) || '-Q' || ((CAST(substr({column}, 6, 2) AS INTEGER) + 2) / 3)")
            }
            Self::Month => format!("substr({column}, 1, 7)"),
            Self::Week => format!("iso_week({column})"),
            Self::Day => format!("substr({column}, 1, 10)"),
            Self::Hour => format!("substr({column} || 'T00', 1, 13)"),
        }
    }
}

/// Returns the ISO week of a time, such as `2024-W18`.
pub(super) fn week_key(time: DateTime) -> String {
    let week = time.date().iso_week_date();
    format!("{:04}-W{:02}", week.year(), week.week())
}

/// A number of microseconds since the beginning of 1970 as text, in UTC; midnight as its day.
#[cfg(feature = "parquet")]
pub(super) fn from_unix(micros: i64) -> Option<String> {
    let instant = jiff::Timestamp::from_microsecond(micros).ok()?;
    Some(day_text(instant.to_zoned(jiff::tz::TimeZone::UTC).datetime()))
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
        assert_eq!(parse("2024-05-01T00:00:00+02:00"), Some(day), "the hour stays that of the place");
        assert_eq!(parse("2024-05-01T00:00:00Z"), Some(day));
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
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        let key = |name: &str, time: &str| -> String {
            let sql = format!("SELECT {}", Interval::from_name(name).unwrap().key("?1"));
            connection.query_one(&sql, [time], |row| row.get(0)).unwrap()
        };
        let sql = ["year", "quarter", "month", "day", "hour"];
        let keys: Vec<_> = sql.iter().map(|name| key(name, "2024-12-30T10:00:00")).collect();
        assert_eq!(keys, ["2024", "2024-Q4", "2024-12", "2024-12-30", "2024-12-30T10"]);
        assert_eq!(key("hour", "2024-12-30"), "2024-12-30T00");
        assert_eq!(week_key(date(2024, 12, 30).at(10, 0, 0, 0)), "2025-W01");
    }
}
