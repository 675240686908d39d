//! Filters: parsing them, and describing them in words.

pub(crate) mod operation;

use research_agents_report::evidence::plain;
use research_agents_report::language::Language;
use research_agents_runtime::error::Error;
use serde_json::Value;

use crate::data::filters::operation::{IN_DAYS, Operation};
use crate::data::phrase::Phrase;
use crate::data::record::Object;

/// The name under which a selection of records has a search in texts, with the filters by field.
/// No condition on a field has a member `text`.
pub(crate) const SEARCH: &str = "search";

/// Parses filters from JSON.
///
/// ```
/// use research_agents_dataset::parse_filters;
///
/// assert_eq!(parse_filters(r#"{"country": "India"}"#)?.len(), 1);
/// let wrong = parse_filters("{\"country\": }").unwrap_err();
/// assert!(wrong.to_string().contains("line 1 column 13"), "{wrong}");
/// # Ok::<(), research_agents_runtime::error::Error>(())
/// ```
///
/// # Errors
///
/// Returns [`Error::Filters`] with the position if the text is not a JSON object.
pub fn parse_filters(text: &str) -> Result<Object, Error> {
    match serde_json::from_str(text) {
        Ok(Value::Object(filters)) => Ok(filters),
        Ok(other) => Err(Error::Filters {
            problem: format!("it is {} at line 1 column 1", kind(&other)),
        }),
        Err(error) => Err(Error::Filters {
            problem: error.to_string(),
        }),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns the filters of a call: its argument `filters`, which is an object or JSON text. Without
/// it, an empty object.
pub(crate) fn filters_of(arguments: &Object) -> Object {
    match arguments.get("filters") {
        Some(Value::Object(filters)) => filters.clone(),
        Some(Value::String(text)) => parse_filters(text).unwrap_or_default(),
        _ => Object::new(),
    }
}

/// Returns filters in words, such as `Phase of flight = Approach and Speed IAS in knots >= 120`.
/// The string is empty if no field is filtered.
pub fn describe_filters(filters: &Object) -> String {
    filters_in_words(filters, Language::ENGLISH)
}

/// Returns filters in words of a language. Names and values stay as they are in the data.
pub(crate) fn filters_in_words(filters: &Object, language: Language) -> String {
    joined(
        filters
            .iter()
            .map(|(field, condition)| describe(field, condition, language)),
        language,
    )
}

/// Joins conditions with *and*.
pub(crate) fn joined(parts: impl Iterator<Item = String>, language: Language) -> String {
    let all = parts.reduce(|first, second| {
        language.say(Phrase::And {
            first: &first,
            second: &second,
        })
    });
    all.unwrap_or_default()
}

fn describe(field: &str, condition: &Value, language: Language) -> String {
    match condition {
        Value::Object(search) if field == SEARCH && search.contains_key("text") => {
            let text = search.get("text").map(plain).unwrap_or_default();
            language.say(Phrase::TextContains { text: &text })
        }

        Value::Object(parts) => {
            let parts = parts.iter().map(|(operator, bound)| {
                compared(field, sign(operator), bound)
                    .unwrap_or_else(|| part(field, operator, bound, language))
            });
            joined(parts, language)
        }
        Value::Array(values) => language.say(Phrase::OneOf {
            field,
            values: &list(values),
        }),
        Value::Null => language.say(Phrase::Empty { field }),
        value => {
            compared(field, "=", value).unwrap_or_else(|| format!("{field} = {}", plain(value)))
        }
    }
}

/// Returns how a difference compares with zero as the comparison that it is: `births < deaths`.
fn compared(field: &str, sign: &str, bound: &Value) -> Option<String> {
    let (from, other) = field.split_once(Operation::Minus.sign())?;
    let other = other.strip_suffix(IN_DAYS).unwrap_or(other);
    let is_zero = bound.as_f64() == Some(0.0) && sign != "not";
    is_zero.then(|| format!("{from} {sign} {other}"))
}

/// Returns one part of a condition, such as `Speed >= 120` or `Name contains “Ohio”`.
fn part(field: &str, operator: &str, bound: &Value, language: Language) -> String {
    match (operator, bound) {
        ("not", Value::Null) | ("missing", Value::Bool(false)) => {
            language.say(Phrase::Filled { field })
        }
        ("missing", Value::Bool(true)) => language.say(Phrase::Empty { field }),

        ("not", Value::Array(values)) => language.say(Phrase::NotValue {
            field,
            values: &list(values),
        }),
        ("not", value) => language.say(Phrase::NotValue {
            field,
            values: &plain(value),
        }),
        ("contains", text) => language.say(Phrase::Contains {
            field,
            text: &plain(text),
        }),
        ("lacks", text) => language.say(Phrase::Lacks {
            field,
            text: &plain(text),
        }),
        ("month", months) => {
            let one = |month: &Value| {
                let number = month.as_u64().filter(|number| (1..=12).contains(number));
                number.map_or_else(
                    || plain(month),
                    |number| language.say(Phrase::MonthName { number }),
                )
            };
            let months = match months {
                Value::Array(all) => all.iter().map(one).collect::<Vec<_>>().join(", "),
                month => one(month),
            };
            language.say(Phrase::InMonth {
                field,
                months: &months,
            })
        }
        (operator, bound) => format!("{field} {} {}", sign(operator), plain(bound)),
    }
}

fn list(values: &[Value]) -> String {
    values.iter().map(plain).collect::<Vec<_>>().join(", ")
}

/// Returns the sign of an operator; an unknown operator stays as it is.
fn sign(operator: &str) -> &str {
    match operator {
        "gte" => ">=",
        "gt" => ">",
        "lte" => "<=",
        "lt" => "<",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn malformed_filters_are_refused_with_their_position() {
        for (text, part) in [
            ("", "line 1 column 0"),
            ("{", "line 1 column 1"),
            ("{\"a\": 1,}", "line 1 column 9"),
            ("[1]", "a list at line 1 column 1"),
            ("\"a\"", "a text"),
            ("null", "null"),
        ] {
            let error = parse_filters(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn differences_read_like_comparisons() {
        for (filters, words) in [
            (json!({"births − deaths": {"lt": 0}}), "births < deaths"),
            (json!({"home − away": 0}), "home = away"),
            (json!({"to − from in days": {"gte": 0}}), "to >= from"),
            (
                json!({"to − from in days": {"gt": 7}}),
                "to − from in days > 7",
            ),
            (json!({"home − away": {"not": 0}}), "home − away is not 0"),
        ] {
            assert_eq!(describe_filters(filters.as_object().unwrap()), words);
        }
    }

    #[test]
    fn filters_read_like_a_sentence() {
        let filters = json!({
            "Phase": "Approach", "Speed": {"gte": 100, "lt": 120}, "State": ["Ohio", "Texas"],
            "Cost": null, "Sky": {"not": "Overcast"}, "Remark": {"contains": "engine"},
            "Note": {"lacks": "ok"}, "Pilot": {"missing": false}, "Day": {"month": [7, 8]},
            "search": {"text": "gear"}
        });
        let Value::Object(filters) = filters else {
            panic!()
        };

        let words = describe_filters(&filters);
        for part in [
            "Phase = Approach",
            "Speed >= 100 and Speed < 120",
            "State is one of Ohio, Texas",
            "Cost is empty",
            "Sky is not Overcast",
            "Remark contains “engine”",
            "Note does not contain “ok”",
            "Pilot is not empty",
            "Day in July, August",
            "a text contains “gear”",
        ] {
            assert!(words.contains(part), "{words}");
        }
    }
}
