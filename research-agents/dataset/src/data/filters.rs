//! Filters: parsing them, and describing them in words.

use research_agents_report::evidence::plain;
use research_agents_report::language::Language;
use research_agents_runtime::error::Error;
use serde_json::Value;

use crate::data::phrase::Phrase;
use crate::data::record::Object;

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
        Value::Object(range) => {
            let parts = range
                .iter()
                .map(|(operator, bound)| format!("{field} {} {}", sign(operator), plain(bound)));
            joined(parts, language)
        }
        Value::Array(values) => {
            let values = values.iter().map(plain).collect::<Vec<_>>().join(", ");
            language.say(Phrase::OneOf {
                field,
                values: &values,
            })
        }
        Value::Null => language.say(Phrase::Empty { field }),
        value => format!("{field} = {}", plain(value)),
    }
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
    fn filters_read_like_a_sentence() {
        let filters = json!({
            "Phase": "Approach", "Speed": {"gte": 100, "lt": 120}, "State": ["Ohio", "Texas"],
            "Cost": null
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
        ] {
            assert!(words.contains(part), "{words}");
        }
    }
}
