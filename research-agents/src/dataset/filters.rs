//! Filters: reading them, saying them in words, and checking what the user fixed against a tool's fields.

use serde_json::Value;

use super::record::Object;
use super::task::{QueryOverrides, ToolFacts};
use crate::Error;
use crate::kernel::evidence::plain;
use crate::kernel::language::{Language, Phrase};
use crate::suggest::closest;

/// Reads filters that are written as JSON.
///
/// ```
/// use research_agents::dataset::parse_filters;
///
/// assert_eq!(parse_filters(r#"{"country": "India"}"#)?.len(), 1);
/// let wrong = parse_filters("{\"country\": }").unwrap_err();
/// assert!(wrong.to_string().contains("line 1 column 13"), "{wrong}");
/// # Ok::<(), research_agents::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Filters`] with the position, when it is not JSON or not an object.
pub fn parse_filters(text: &str) -> Result<Object, Error> {
    match serde_json::from_str(text) {
        Ok(Value::Object(filters)) => Ok(filters),
        Ok(other) => Err(Error::Filters { problem: format!("it is {} at line 1 column 1", kind(&other)) }),
        Err(error) => Err(Error::Filters { problem: error.to_string() }),
    }
}

/// What a range may compare by.
const COMPARISONS: &[&str] = &["gte", "gt", "lte", "lt"];

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

/// The filters of a call's arguments: the `filters` argument as JSON text or as an object, else none.
pub(crate) fn filters_of(arguments: &Object) -> Object {
    match arguments.get("filters") {
        Some(Value::Object(filters)) => filters.clone(),
        Some(Value::String(text)) => parse_filters(text).unwrap_or_default(),
        _ => Object::new(),
    }
}

/// Filters in words, such as `Phase of flight = Approach and Speed IAS in knots >= 120`; empty when there is none.
pub fn describe_filters(filters: &Object) -> String {
    filters_in_words(filters, Language::ENGLISH)
}

/// Filters in the words of a language. Names and values stay as they are in the data.
pub(crate) fn filters_in_words(filters: &Object, language: Language) -> String {
    joined(filters.iter().map(|(field, condition)| describe(field, condition, language)), language)
}

/// Parts that hold together.
pub(crate) fn joined(parts: impl Iterator<Item = String>, language: Language) -> String {
    let all = parts.reduce(|first, second| language.say(Phrase::And { first: &first, second: &second }));
    all.unwrap_or_default()
}

fn describe(field: &str, condition: &Value, language: Language) -> String {
    match condition {
        Value::Object(range) => {
            let parts = range.iter().map(|(operator, bound)| {
                let sign = match operator.as_str() {
                    "gte" => ">=",
                    "gt" => ">",
                    "lte" => "<=",
                    "lt" => "<",
                    other => other,
                };
                format!("{field} {sign} {}", plain(bound))
            });
            joined(parts, language)
        }
        Value::Array(values) => {
            let values = values.iter().map(plain).collect::<Vec<_>>().join(", ");
            language.say(Phrase::OneOf { field, values: &values })
        }
        Value::Null => language.say(Phrase::Empty { field }),
        value => format!("{field} = {}", plain(value)),
    }
}

/// The user's filters and grouping in the tools' spelling.
///
/// Tools that do not describe their fields cannot be checked against; the second value says so in words.
///
/// # Errors
///
/// [`Error::UnknownField`] with the closest field, when no tool that describes its fields has the one that was asked for;
/// [`Error::Condition`] when a range compares by something else than `gte`, `gt`, `lte` and `lt`.
pub(crate) fn check_overrides(
    overrides: &QueryOverrides,
    tools: &[ToolFacts],
) -> Result<(QueryOverrides, Option<String>), Error> {
    let mut checked = overrides.clone();
    let described: Vec<&ToolFacts> = tools.iter().filter(|tool| !tool.fields.is_empty()).collect();
    let Some(first) = described.first() else {
        let asked = overrides.filters.is_some() || overrides.group_by.is_some();
        let warning = "the tool does not describe its fields, so filters and grouping are passed on unchecked";
        return Ok((checked, asked.then(|| warning.to_owned())));
    };
    let spell = |field: &str| -> Result<String, Error> {
        let known = || described.iter().flat_map(|tool| tool.fields.iter().map(|field| field.name.as_str()));
        if let Some(name) = known().find(|name| *name == field) {
            return Ok(name.to_owned());
        }
        let folded = field.trim().to_lowercase();
        known().find(|name| name.to_lowercase() == folded).map(str::to_owned).ok_or_else(|| Error::UnknownField {
            tool: first.name.clone(),
            field: field.to_owned(),
            suggestion: closest(field, known()).map(str::to_owned),
            valid: first.fields.iter().map(|field| field.name.clone()).collect(),
        })
    };
    if let Some(filters) = &overrides.filters {
        let spelled = filters.iter().map(|(field, condition)| {
            let field = spell(field)?;
            check_condition(&field, condition)?;
            Ok((field, condition.clone()))
        });
        checked.filters = Some(spelled.collect::<Result<Object, Error>>()?);
    }
    if let Some(fields) = &overrides.group_by {
        checked.group_by = Some(fields.iter().map(|field| spell(field)).collect::<Result<_, _>>()?);
    }
    Ok((checked, None))
}

/// Refuses comparisons that are none.
fn check_condition(field: &str, condition: &Value) -> Result<(), Error> {
    let Value::Object(range) = condition else { return Ok(()) };
    let unknown = range.keys().find(|operator| !COMPARISONS.contains(&operator.as_str()));
    let problem = match unknown {
        Some(operator) => format!("compares by `{operator}`"),
        None if range.is_empty() => "compares by nothing".to_owned(),
        None => return Ok(()),
    };
    let problem = format!("{problem}; write one or more of {}, a value, or a list of values", COMPARISONS.join(", "));
    Err(Error::Condition { field: field.to_owned(), problem })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::task::FieldFacts;
    use super::*;

    fn tool(fields: &[&str]) -> ToolFacts {
        let fields = fields.iter().map(|name| FieldFacts { name: (*name).into(), ..FieldFacts::default() }).collect();
        ToolFacts { name: "analyze_events".into(), fields, ..ToolFacts::default() }
    }

    fn filters(value: Value) -> QueryOverrides {
        QueryOverrides { filters: value.as_object().cloned(), group_by: None }
    }

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
        let Value::Object(filters) =
            json!({"Phase": "Approach", "Speed": {"gte": 100, "lt": 120}, "State": ["Ohio", "Texas"], "Cost": null})
        else {
            panic!()
        };
        let words = describe_filters(&filters);
        for part in ["Phase = Approach", "Speed >= 100 and Speed < 120", "State is one of Ohio, Texas", "Cost is empty"]
        {
            assert!(words.contains(part), "{words}");
        }
    }

    #[test]
    fn another_case_gets_the_tools_spelling() {
        let (checked, warning) = check_overrides(&filters(json!({"country": "India"})), &[tool(&["Country"])]).unwrap();
        assert_eq!(checked.filters.unwrap().keys().collect::<Vec<_>>(), ["Country"]);
        assert_eq!(warning, None);
    }

    #[test]
    fn an_unknown_field_is_refused_with_the_closest_and_all_valid_ones() {
        let tools = [tool(&["Country", "Theme"])];
        let error = check_overrides(&filters(json!({"contry": "India"})), &tools).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("did you mean `Country`?") && text.contains("Country, Theme"), "{text}");
        let group = QueryOverrides { filters: None, group_by: Some(vec!["Wind".into()]) };
        assert!(matches!(check_overrides(&group, &tools), Err(Error::UnknownField { suggestion: None, .. })));
    }

    #[test]
    fn a_comparison_that_is_none_is_refused() {
        for (condition, part) in [(json!({"foo": 1}), "by `foo`"), (json!({}), "by nothing")] {
            let error = check_overrides(&filters(json!({"Cost": condition})), &[tool(&["Cost"])]).unwrap_err();
            let text = error.to_string();
            assert!(text.starts_with("the filter on `Cost` compares") && text.contains(part), "{text}");
        }
        assert!(check_overrides(&filters(json!({"Cost": {"gte": 1, "lt": 9}})), &[tool(&["Cost"])]).is_ok());
    }

    #[test]
    fn a_tool_without_a_description_is_a_warning_only() {
        let (checked, warning) = check_overrides(&filters(json!({"x": 1})), &[tool(&[])]).unwrap();
        assert!(warning.is_some() && checked.filters.is_some());
    }
}
