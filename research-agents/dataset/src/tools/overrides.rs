//! Checks the filters and the grouping that the user fixed against the fields of the tools.

use research_agents_runtime::error::{Error, closest};
use serde_json::Value;

use crate::data::record::Object;
use crate::data::task::facts::{FieldFacts, QueryOverrides, ToolFacts};

/// Operators of ranges.
const COMPARISONS: &[&str] = &[
    "gte", "gt", "lte", "lt", "not", "contains", "lacks", "missing", "month",
];

/// Returns the user's filters and grouping in the tools' spelling.
///
/// Tools that do not describe their fields cannot be checked against; the second value says so in
/// words.
///
/// # Errors
///
/// [`Error::UnknownField`] with the closest field, when no tool that describes its fields has the
/// one that was asked for; [`Error::Condition`] when a condition compares by something that the
/// filter language does not have.
pub(crate) fn check_overrides(
    overrides: &QueryOverrides,
    tools: &[ToolFacts],
) -> Result<(QueryOverrides, Option<String>), Error> {
    let mut checked = overrides.clone();
    let described: Vec<&ToolFacts> = tools
        .iter()
        .filter(|tool| !tool.fields.is_empty())
        .collect();
    let Some(first) = described.first() else {
        let asked = overrides.filters.is_some() || overrides.group_by.is_some();
        let warning = "the tool does not describe its fields, so filters and grouping are passed \
            on unchecked";
        return Ok((checked, asked.then(|| warning.to_owned())));
    };

    // A name in another letter case is the tool's name; any other name is an error.
    let spell = |field: &str| -> Result<String, Error> {
        let known = || {
            described
                .iter()
                .flat_map(|tool| tool.fields.iter().map(|field| field.name.as_str()))
        };
        if let Some(name) = known().find(|name| *name == field) {
            return Ok(name.to_owned());
        }
        let difference = |tool: &&ToolFacts| FieldFacts::named(field.trim(), &tool.fields);
        if let Some(difference) = described.iter().find_map(difference) {
            return Ok(difference.name);
        }
        let folded = field.trim().to_lowercase();
        known()
            .find(|name| name.to_lowercase() == folded)
            .map(str::to_owned)
            .ok_or_else(|| Error::UnknownField {
                tool: first.name.clone(),
                field: field.to_owned(),
                suggestion: closest(field, known()).map(str::to_owned),
                valid: first
                    .fields
                    .iter()
                    .map(|field| field.name.clone())
                    .collect(),
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
        checked.group_by = Some(
            fields
                .iter()
                .map(|field| spell(field))
                .collect::<Result<_, _>>()?,
        );
    }

    Ok((checked, None))
}

/// Refuses unknown comparisons.
fn check_condition(field: &str, condition: &Value) -> Result<(), Error> {
    let Value::Object(range) = condition else {
        return Ok(());
    };
    let unknown = range
        .keys()
        .find(|operator| !COMPARISONS.contains(&operator.as_str()));
    let problem = match unknown {
        Some(operator) => format!("compares by `{operator}`"),
        None if range.is_empty() => "compares by nothing".to_owned(),
        None => return Ok(()),
    };
    let problem = format!(
        "{problem}; write one or more of {}, a value, or a list of values",
        COMPARISONS.join(", ")
    );

    Err(Error::Condition {
        field: field.to_owned(),
        problem,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::task::FieldFacts;

    fn tool(fields: &[&str]) -> ToolFacts {
        let fields = fields
            .iter()
            .map(|name| FieldFacts {
                name: (*name).into(),
                ..FieldFacts::default()
            })
            .collect();
        ToolFacts {
            name: "analyze_events".into(),
            fields,
            ..ToolFacts::default()
        }
    }

    fn filters(value: Value) -> QueryOverrides {
        QueryOverrides {
            filters: value.as_object().cloned(),
            group_by: None,
        }
    }

    #[test]
    fn another_case_gets_the_tools_spelling() {
        let (checked, warning) =
            check_overrides(&filters(json!({"country": "India"})), &[tool(&["Country"])]).unwrap();
        assert_eq!(
            checked.filters.unwrap().keys().collect::<Vec<_>>(),
            ["Country"]
        );
        assert_eq!(warning, None);
    }

    #[test]
    fn an_unknown_field_is_refused_with_the_closest_and_all_valid_ones() {
        let tools = [tool(&["Country", "Theme"])];
        let error = check_overrides(&filters(json!({"contry": "India"})), &tools).unwrap_err();
        let text = error.to_string();

        assert!(
            text.contains("did you mean `Country`?") && text.contains("Country, Theme"),
            "{text}"
        );

        let group = QueryOverrides {
            filters: None,
            group_by: Some(vec!["Wind".into()]),
        };

        assert!(matches!(
            check_overrides(&group, &tools),
            Err(Error::UnknownField {
                suggestion: None,
                ..
            })
        ));
    }

    #[test]
    fn a_comparison_that_is_none_is_refused() {
        for (condition, part) in [(json!({"foo": 1}), "by `foo`"), (json!({}), "by nothing")] {
            let error = check_overrides(&filters(json!({"Cost": condition})), &[tool(&["Cost"])])
                .unwrap_err();
            let text = error.to_string();
            assert!(
                text.starts_with("the filter on `Cost` compares") && text.contains(part),
                "{text}"
            );
        }
        assert!(
            check_overrides(
                &filters(json!({"Cost": {"gte": 1, "lt": 9}})),
                &[tool(&["Cost"])]
            )
            .is_ok()
        );
    }

    #[test]
    fn a_tool_without_a_description_is_a_warning_only() {
        let (checked, warning) = check_overrides(&filters(json!({"x": 1})), &[tool(&[])]).unwrap();
        assert!(warning.is_some() && checked.filters.is_some());
    }
}
