//! Days, in the ways in which data files write them.

use jiff::civil::{Date, DateTime, Time};
use serde_json::Value;

/// The day that a text begins with or is: `2024-05-06`, `2024/05/06`, `May 6 2024`, `6.5.2024`, `05/06/2024` with the month first,
/// `20240506`.
pub fn day(text: &str) -> Option<Date> {
    let text = text.trim();
    let iso = text.get(..10).map(|day| day.replace('/', "-")).and_then(|day| day.parse().ok());
    iso.or_else(|| {
        let forms = ["%b %d %Y", "%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%d.%m.%Y", "%m/%d/%Y", "%Y%m%d"];
        forms.iter().find_map(|form| Date::strptime(form, text).ok())
    })
}

/// The time that a text is, read without its offset from UTC; midnight of a day.
pub fn moment(text: &str) -> Option<DateTime> {
    let clock = text.trim().trim_end_matches(['Z', 'z']);
    let timed = clock.len() > "2024-05-06".len();
    timed.then(|| clock.parse().ok()).flatten().or_else(|| Some(day(text)?.to_datetime(Time::midnight())))
}

/// Writes the dates of a column such as `7/31/2020 12:05` as ISO 8601 does. Whether the day or the month is first follows from the
/// column: the month, if no first number is above 12. A column with anything else stays as it is.
pub fn iso_dates<'c>(cells: impl Iterator<Item = &'c mut Value>) {
    let mut cells: Vec<&mut Value> = cells.collect();
    let parsed: Option<Vec<Slashed<'_>>> = cells.iter().map(|cell| slashed(cell.as_str()?)).collect();
    let Some(parsed) = parsed else { return };
    let is_day_first = parsed.iter().any(|date| date.first > 12);
    let written: Option<Vec<String>> = parsed.iter().map(|date| date.iso(is_day_first)).collect();
    for (cell, text) in cells.iter_mut().zip(written.into_iter().flatten()) {
        **cell = Value::String(text);
    }
}

/// A date of two numbers and a year, and what is behind it.
struct Slashed<'t> {
    first: i8,
    second: i8,
    year: i16,
    time: &'t str,
}

impl Slashed<'_> {
    fn iso(&self, is_day_first: bool) -> Option<String> {
        let (month, day) = if is_day_first { (self.second, self.first) } else { (self.first, self.second) };
        let date = Date::new(self.year, month, day).ok()?;
        if self.time.is_empty() {
            return Some(date.to_string());
        }
        let forms = ["%H:%M:%S", "%H:%M"];
        let time = forms.iter().find_map(|form| Time::strptime(form, self.time).ok())?;
        Some(date.to_datetime(time).to_string())
    }
}

fn slashed(text: &str) -> Option<Slashed<'_>> {
    let (date, time) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let mut parts = date.split('/');
    let (first, second, year) = (parts.next()?, parts.next()?, parts.next()?);
    let is_date = parts.next().is_none() && matches!(year.len(), 2 | 4);
    // Years of two digits are those of POSIX.
    let century = match (year.len(), year.parse::<i16>().ok()?) {
        (4, _) => 0,
        (_, year) => {
            if year < 69 {
                2000
            } else {
                1900
            }
        }
    };
    let (first, second, year) = (first.parse().ok()?, second.parse().ok()?, century + year.parse::<i16>().ok()?);
    is_date.then_some(Slashed { first, second, year, time: time.trim() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_as_files_write_them() {
        let expected = Some(jiff::civil::date(1997, 12, 5));
        for text in ["1997-12-05", "1997-12-05T10:00:00Z", "1997/12/05 10:00:00", "Dec 05 1997", "5.12.1997"] {
            assert_eq!(day(text), expected, "{text}");
        }
        assert_eq!((day("1997"), day("Decem")), (None, None));
    }

    #[test]
    fn the_column_tells_whether_the_day_is_first() {
        let written = |texts: &[&str]| {
            let mut cells: Vec<Value> = texts.iter().map(|text| Value::from(*text)).collect();
            iso_dates(cells.iter_mut());
            cells.iter().map(|cell| cell.as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(written(&["7/31/2020 9:05", "8/2/20 21:26:00"]), ["2020-07-31T09:05:00", "2020-08-02T21:26:00"]);
        assert_eq!(written(&["03/12/2019", "31/01/2020"]), ["2019-12-03", "2020-01-31"]);
        assert_eq!(written(&["03/12/2019", "n/a"]), ["03/12/2019", "n/a"]);
    }
}
