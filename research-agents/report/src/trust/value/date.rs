//! Dates in texts.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::language::Language;
use crate::text::words::fold;
use crate::trust::value::model::Date;

/// Months by their folded names.
static MONTHS: LazyLock<HashMap<String, u8>> = LazyLock::new(|| {
    let mut months = HashMap::new();
    for line in include_str!("../../../rules/months.txt").lines() {
        let mut fields = line.split_whitespace();
        if let Some(month) = fields.next().and_then(|month| month.parse().ok()) {
            months.extend(fields.map(|name| (fold(name), month)));
        }
    }
    months
});

/// Returns the month with a name, in any of six languages.
pub(crate) fn month(name: &str) -> Option<u8> {
    MONTHS
        .get(&fold(name.trim_end_matches(['.', ','])))
        .copied()
}

/// Returns the date at the beginning of a string, and its length in bytes. A year alone is a date
/// only by its context, which the caller knows.
pub(crate) fn read(text: &str, language: Language) -> Option<(Date, usize)> {
    numeric(text, language)
        .or_else(|| day_first(text, language))
        .or_else(|| month_first(text))
}

/// Reads `2024-05-17`, `2024-05`, `2024/05/17`, `17.05.2024`, `17/05/2024`, `5/17/2024`.
fn numeric(text: &str, language: Language) -> Option<(Date, usize)> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || "-/.".contains(c)))
        .unwrap_or(text.len());
    let written = text[..end].trim_end_matches(['-', '/', '.']);
    let follows = text[written.len()..].chars().next();
    if follows.is_some_and(|c| c.is_alphanumeric() && c != 'T' || c == '_') {
        return None;
    }
    let sign = written.chars().find(|c| !c.is_ascii_digit())?;
    let parts: Vec<&str> = written.split(sign).collect();
    let number = |part: &str| -> Option<u16> {
        (!part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| part.parse().ok())
            .flatten()
    };

    let date = match parts.as_slice() {
        [year, month] if sign == '-' && year.len() == 4 && month.len() == 2 => {
            checked(number(year)?, Some(number(month)?), None)?
        }
        [year, month, day] if year.len() == 4 && sign != '.' => {
            checked(number(year)?, Some(number(month)?), Some(number(day)?))?
        }
        [a, b, year] if year.len() == 4 && a.len() <= 2 && b.len() <= 2 => {
            let (a, b, year) = (number(a)?, number(b)?, number(year)?);
            let day_first = sign != '/' || language != Language::ENGLISH || a > 12;
            let (month, day) = if day_first { (b, a) } else { (a, b) };
            checked(year, Some(month), Some(day))?
        }
        _ => return None,
    };
    Some((date, written.len()))
}

/// Reads `17 May 2024`, `17. Mai 2024`, `17th of May`, `1er mai 2024`, `17 de mayo de 2024`.
fn day_first(text: &str, language: Language) -> Option<(Date, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=2).contains(&digits) {
        return None;
    }
    let day: u16 = text[..digits].parse().ok()?;
    let mut at = digits;
    for suffix in ["st", "nd", "rd", "th", "er", "º", "."] {
        if let Some(rest) = text[at..].strip_prefix(suffix) {
            at = text.len() - rest.len();
            break;
        }
    }
    at = blank(text, at)?;
    at = word_of(text, at, &["of", "de", "di"]);

    let name = word(text, at);
    let month = month(name)?;
    let is_may = month == 5 && name == "may" && language == Language::ENGLISH;
    if is_may || name.chars().all(char::is_lowercase) && language == Language::ENGLISH {
        return None;
    }
    at += name.len();
    let (year, at) = year_after(text, at);
    Some((checked_parts(year, Some(month.into()), Some(day))?, at))
}

/// Reads `May 17, 2024`, `May 17`, `May 2024`, `Mai 2024`.
fn month_first(text: &str) -> Option<(Date, usize)> {
    let name = word(text, 0);
    let month = month(name)?;
    let after = blank(
        text,
        name.len() + usize::from(text[name.len()..].starts_with('.')),
    );
    let rest = after.map(|at| &text[at..]).unwrap_or_default();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();

    if let Some(at) = after.filter(|_| (1..=2).contains(&digits))
        && name.starts_with(char::is_uppercase)
    {
        let day: u16 = rest[..digits].parse().ok()?;
        let mut end = at + digits;
        for suffix in ["st", "nd", "rd", "th"] {
            if text[end..].starts_with(suffix) {
                end += suffix.len();
            }
        }
        // Not the beginning of a number, a time or a range: *May 17.5*, *March 9:30*.
        let next = &text[end..];
        let goes_on = next.starts_with(|c: char| c.is_alphanumeric())
            || next.starts_with(['.', ':', ','])
                && next[1..].starts_with(|c: char| c.is_ascii_digit());
        if !goes_on {
            let (year, end) = year_after(text, end);
            return Some((checked_parts(year, Some(month.into()), Some(day))?, end));
        }
    }

    let at = after.map(|at| word_of(text, at, &["de", "di", "of"]));
    if let Some(at) = at {
        let digits = text[at..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 4 {
            let year: u16 = text[at..at + 4].parse().ok()?;
            return Some((checked(year, Some(month.into()), None)?, at + 4));
        }
    }
    None
}

/// Returns a year after a day and month, and where it ends.
fn year_after(text: &str, at: usize) -> (Option<u16>, usize) {
    let mut from = at;
    if text[from..].starts_with(['.', ',']) {
        from += 1;
    }
    let Some(mut from) = blank(text, from) else {
        return (None, at);
    };
    from = word_of(text, from, &["de", "del", "do"]);
    let digits = text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let year: Option<u16> = (digits == 4)
        .then(|| text[from..from + 4].parse().ok())
        .flatten();
    match year.filter(|year| (1000..=2999).contains(year)) {
        Some(year) => (Some(year), from + 4),
        None => (None, at),
    }
}

/// Skips blanks. `None` if it has none.
fn blank(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let trimmed = rest.trim_start_matches([' ', '\u{a0}', '\n']);
    (trimmed.len() < rest.len()).then(|| text.len() - trimmed.len())
}

/// Skips one of some words and the blank after it.
fn word_of(text: &str, at: usize, words: &[&str]) -> usize {
    let own = word(text, at);
    if words.contains(&own) {
        blank(text, at + own.len()).unwrap_or(at)
    } else {
        at
    }
}

/// Returns the word at a position.
fn word(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    let end = rest
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(rest.len());
    &rest[..end]
}

fn checked(year: u16, month: Option<u16>, day: Option<u16>) -> Option<Date> {
    checked_parts(Some(year), month, day)
}

fn checked_parts(year: Option<u16>, month: Option<u16>, day: Option<u16>) -> Option<Date> {
    let fits = |part: Option<u16>, most: u16| part.is_none_or(|part| (1..=most).contains(&part));
    let small = |part: Option<u16>| part.and_then(|part| u8::try_from(part).ok());
    (fits(month, 12) && fits(day, 31)).then(|| Date {
        year: year.map(i32::from),
        month: small(month),
        day: small(day),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_the_usual_spellings() {
        let full = "2024-5-17";
        for (code, text, expected) in [
            ("en", "2024-05-17T10:00", full),
            ("en", "2024/05/17", full),
            ("en", "17 May 2024", full),
            ("en", "May 17, 2024", full),
            ("en", "17th of May 2024", full),
            ("en", "5/17/2024", full),
            ("de", "17. Mai 2024", full),
            ("de", "17.05.2024", full),
            ("fr", "17 mai 2024", full),
            ("es", "17 de mayo de 2024", full),
            ("it", "17 maggio 2024", full),
            ("pt", "17 de maio de 2024", full),
            ("en", "May 2024", "2024-5-"),
            ("en", "2024-05", "2024-5-"),
            ("en", "May 17 was", "-5-17"),
        ] {
            let (date, _) = read(text, code.parse().unwrap()).expect(text);
            let shown = |part: Option<String>| part.unwrap_or_default();
            let found = format!(
                "{}-{}-{}",
                shown(date.year.map(|part| part.to_string())),
                shown(date.month.map(|part| part.to_string())),
                shown(date.day.map(|part| part.to_string())),
            );
            assert_eq!(found, expected, "{code} {text}");
        }

        for text in ["1.2.3", "may 5", "13/13/2024", "2024-05-1a", "10-20"] {
            assert_eq!(read(text, Language::ENGLISH), None, "{text}");
        }
    }
}
