//! Values of cells: when two are the same, and how they are written.

use serde_json::Value;

use super::time::day;

/// Whether a cell has a value: is it, lists it, or is a date within the span of time that it names.
pub fn has(cell: &Value, value: &Value) -> bool {
    match cell {
        Value::Array(items) => items.iter().any(|item| same(item, value)),
        cell => same(cell, value) || is_within(cell, value),
    }
}

/// Whether two values say the same: letter case, outer blanks and the spelling of a number do not count, and nothing is null.
pub fn same(a: &Value, b: &Value) -> bool {
    if let (Value::Array(a), Value::Array(b)) = (a, b) {
        return a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
    }
    // Most comparisons are of words that begin differently.
    if let (Some(a), Some(b)) = (initial(a), initial(b))
        && !a.eq_ignore_ascii_case(&b)
    {
        return false;
    }
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a == b,
        _ => spelled(a) == spelled(b),
    }
}

/// A value as it is compared. `NA`, as R writes an empty cell, is nothing.
fn spelled(value: &Value) -> String {
    match shown(value).trim() {
        "NA" => String::new(),
        text => text.to_lowercase(),
    }
}

/// The letter that a text begins with, in ASCII.
fn initial(value: &Value) -> Option<u8> {
    value.as_str()?.bytes().next().filter(u8::is_ascii_alphabetic)
}

/// The number that a value is, or whose text it is: `5`, `5.00%` as a percentage is kept in a table, or `$76,592`.
pub fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => {
            let figure = text.trim().trim_end_matches('%').trim_end().trim_start_matches(['$', '€', '£']);
            let figure = if is_grouped(figure) { figure.replace(',', "") } else { figure.to_owned() };
            figure.parse().ok().filter(|number: &f64| number.is_finite())
        }
        _ => None,
    }
}

/// Whether commas part the digits of a number in threes.
fn is_grouped(figure: &str) -> bool {
    let whole = figure.split_once('.').map_or(figure, |(whole, _)| whole);
    let mut parts = whole.trim_start_matches('-').split(',');
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let first = parts.next().is_some_and(|first| (1..=3).contains(&first.len()) && is_digits(first));
    first && whole.contains(',') && parts.all(|part| part.len() == 3 && is_digits(part))
}

/// A value as text; nothing for null, and the items of a list with ` / ` between them.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(shown).collect::<Vec<_>>().join(" / "),
        other => other.to_string(),
    }
}

/// A text with single blanks and straight quotation marks.
pub fn plain_text(text: &str) -> String {
    let straight = text.replace(['“', '”', '„', '«', '»'], "\"").replace(['‘', '’', '‚'], "'");
    straight.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a day lies in a year, quarter, month or week of the calendar: `2024`, `2024-Q2`, `2024-05`, `2024-W18`.
fn is_within(cell: &Value, span: &Value) -> bool {
    let (Value::String(text), span) = (cell, shown(span)) else { return false };
    if !span.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let Some(day) = day(text) else { return false };
    let week = day.iso_week_date();
    let spans = [
        format!("{:04}", day.year()),
        format!("{:04}-Q{}", day.year(), (day.month() + 2) / 3),
        format!("{:04}-{:02}", day.year(), day.month()),
        format!("{:04}-W{:02}", week.year(), week.week()),
        day.to_string(),
    ];
    spans.contains(&span)
}
