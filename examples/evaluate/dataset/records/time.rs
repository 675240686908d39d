//! Days, in the ways in which data files write them.

use jiff::civil::Date;

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
}
