//! Words for fields, statistics, numbers and values.

use research_agents_report::claim::Statistic;
use research_agents_report::evidence::plain;
use research_agents_report::language::Language;
use research_agents_report::text::{is_amount, words};
use serde_json::Value;

use crate::data::filters::operation::Operation;
use crate::data::task::{FieldFacts, FieldKind};
use crate::question::read::words::concepts::concepts;

/// The longest value that a sentence repeats, in characters.
const LONGEST: usize = 80;

/// Units at the end of a field's name, as they are written after a number.
const UNITS: &[(&str, &str)] = &[
    ("g", " g"),
    ("kg", " kg"),
    ("mg", " mg"),
    ("mm", " mm"),
    ("cm", " cm"),
    ("m", " m"),
    ("km", " km"),
    ("km2", " km²"),
    ("lbs", " lb"),
    ("lb", " lb"),
    ("ft", " ft"),
    ("mph", " mph"),
    ("kmh", " km/h"),
    ("knots", " knots"),
    ("usd", " USD"),
    ("eur", " EUR"),
    ("gbp", " GBP"),
    ("celsius", " °C"),
    ("minutes", " minutes"),
    ("mins", " minutes"),
    ("seconds", " seconds"),
    ("hours", " hours"),
    ("days", " days"),
];

/// Returns the name of a field in words, without its unit, and the unit.
pub(crate) fn field_words(field: &str) -> (String, &'static str) {
    if let Some((from, operation, other)) = Operation::split(field) {
        let ((from, unit), (other, own)) = (field_words(from), field_words(other));
        let sign = operation.sign();
        return match operation {
            Operation::Minus | Operation::Plus => (format!("{from}{sign}{other}"), own),
            Operation::Over => (format!("{from}{unit}{sign}{other}{own}"), ""),
        };
    }
    let spaced: String = field
        .chars()
        .map(|c| if c == '_' || c == '.' { ' ' } else { c })
        .collect();
    let spaced = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    let trimmed = spaced.trim_end_matches([')', ']']);
    let Some((name, last)) = trimmed.rsplit_once([' ', '(', '[']) else {
        return (spaced, "");
    };

    let unit = UNITS.iter().find(|(word, _)| *word == last.to_lowercase());
    match unit {
        Some((_, unit)) => (
            name.trim_end_matches([' ', '(', '['])
                .trim_end_matches(" in")
                .to_owned(),
            unit,
        ),
        None => (spaced, ""),
    }
}

/// Returns the name of a field in words, without its unit.
pub(crate) fn label(field: &str) -> String {
    field_words(field).0
}

/// Returns a statistic of a field in words, such as `mean body mass`.
pub(crate) fn measure_label(function: Statistic, field: &str) -> String {
    let name = label(field);
    match function {
        Statistic::Min => format!("lowest {name}"),
        Statistic::Max => format!("highest {name}"),
        Statistic::Mean => format!("mean {name}"),
        Statistic::Median => format!("median {name}"),
        Statistic::Sum => format!("sum of {name}"),
        Statistic::Count => format!("number of values of {name}"),
        Statistic::Distinct => format!("number of different values of {name}"),
    }
}

/// Returns a statistic as a reader needs it, with the unit of its field.
pub(crate) fn measure_number(number: f64, function: Statistic, field: &str) -> String {
    let unit = match function {
        Statistic::Count | Statistic::Distinct => "",
        _ => field_words(field).1,
    };
    let is_extreme = matches!(function, Statistic::Min | Statistic::Max);
    if is_extreme && is_year(number, field) {
        return number.to_string();
    }
    format!("{}{unit}", Language::ENGLISH.measure(number))
}

/// Returns whether a number is a year, which is written without separators.
fn is_year(number: f64, field: &str) -> bool {
    let is_calendar = (1000.0..3000.0).contains(&number) && number.fract() == 0.0;
    let says_year = || {
        let name = field.replace('_', " ");
        let mut words = words(&name).into_iter();
        words.any(|word| {
            let named = concepts().of(&word.lower, &word.stem, "");
            ["year", "decade", "founded"]
                .iter()
                .any(|one| named.contains(one))
        })
    };
    is_calendar && (field.to_lowercase().contains("year") || says_year())
}

/// Returns a value of a record or a group as a sentence writes it: an empty one in words, a number
/// with the unit of its field, a date without a time of midnight, a long text cut.
pub(crate) fn value_words(value: &Value, field: &str) -> String {
    match value {
        Value::Null => "no value".to_owned(),
        Value::Number(number) => match number.as_f64() {
            Some(number) if is_amount(field) && !is_year(number, field) => {
                format!(
                    "{}{}",
                    Language::ENGLISH.measure(number),
                    field_words(field).1
                )
            }
            _ => number.to_string(),
        },
        Value::Array(parts) => {
            let fields: Vec<&str> = field.split(',').collect();
            let parts = parts
                .iter()
                .enumerate()
                .map(|(at, part)| value_words(part, fields.get(at).copied().unwrap_or_default()));
            parts.collect::<Vec<_>>().join(" / ")
        }

        other => {
            let text = plain(other);
            let text = text.strip_suffix("T00:00:00").unwrap_or(&text);
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if text.chars().count() > LONGEST {
                // A part of a number would be another one.
                let cut: String = text.chars().take(LONGEST).collect();
                let end = cut.rfind(' ').unwrap_or(cut.len());
                return format!("{}…", cut[..end].trim_end_matches([' ', ',', '(']));
            }
            text
        }
    }
}

/// Returns whether a field holds amounts that vary, and no ids, codes, coordinates or years.
pub(crate) fn is_quantity(field: &FieldFacts) -> bool {
    let is_constant = field.distinct.is_some_and(|distinct| distinct < 2);
    field.kind == FieldKind::Number && !is_constant && is_amount(&field.name)
}

/// Returns words in quotation marks.
pub(crate) fn quoted(text: &str) -> String {
    format!("“{text}”")
}

/// Returns a number of a question in words.
pub(crate) fn number_words(number: f64) -> String {
    Language::ENGLISH.measure(number)
}
