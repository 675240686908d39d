//! What a tool can compute, search and order, and how it is asked for that in its own words.

use research_mcp::envelope::MeasureFunction;
use serde_json::{Value, json};

use crate::data::record::Object;
use crate::tools::dialect::schema::types;

/// The names in plans of the arguments that compute, search and order, each with a name that its
/// schema mentions if it means the same.
pub(crate) const COMPUTING: &[(&str, &str)] = &[
    ("correlations", "array"),
    ("order_by", "function"),
    ("sort", "field"),
    ("search", "text"),
    ("lookup", "texts"),
    ("fields", "array"),
];

/// The name in plans of the argument that asks for statistics.
pub(crate) const MEASURES: &str = "measures";

/// Arguments that name the field of a statistic, for tools that take it apart.
const FIELD_ARGUMENTS: &[&str] = &[
    "metric_field",
    "measure_field",
    "aggregate_field",
    "agg_field",
    "field",
    "column",
    "value_field",
];

/// Properties of an entry that name the function, and those that name the field.
const FUNCTION_NAMES: &[&str] = &["function", "metric", "agg", "aggregate", "statistic", "op"];
const FIELD_NAMES: &[&str] = &["field", "column", "of", "attribute"];

/// Returns whether the schema of an argument means what a plan means by it.
pub(crate) fn means(schema: &Value, mentioned: &str) -> bool {
    schema.to_string().contains(&format!("\"{mentioned}\""))
}

/// Returns whether an argument takes statistics: its schema lists functions such as `mean`.
pub(crate) fn takes_measures(schema: &Value) -> bool {
    functions(schema).len() > 1
}

/// Returns the functions that a schema lists anywhere, with the tool's words.
fn functions(schema: &Value) -> Vec<(MeasureFunction, String)> {
    let mut found = Vec::new();
    collect(schema, &mut found);
    found
}

fn collect(schema: &Value, found: &mut Vec<(MeasureFunction, String)>) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::Array(words) if name == "enum" => {
                        let words = words.iter().filter_map(Value::as_str);
                        let words = words.filter_map(|word| {
                            Some((MeasureFunction::from_word(word)?, word.to_owned()))
                        });
                        found.extend(words);
                    }

                    other => collect(other, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// Writes statistics as the tool takes them: a list of objects in its words; or names of functions,
/// with the field in a separate argument. `None` if the tool cannot be asked for them.
pub(crate) fn spoken(asked: &Value, own: &str, listed: &Object) -> Option<Vec<(String, Value)>> {
    let schema = listed.get(own)?;
    let asked = parsed(asked)?;
    let asked: Vec<(MeasureFunction, &str)> = asked
        .as_array()?
        .iter()
        .filter_map(|one| {
            let function = one.get("function")?.as_str()?;
            Some((
                MeasureFunction::from_word(function)?,
                one.get("field")?.as_str()?,
            ))
        })
        .collect();
    let known = functions(schema);
    let word = |function: MeasureFunction| {
        let own = known.iter().find(|(known, _)| *known == function)?;
        Some(own.1.clone())
    };

    // Entries of a list are described in the items, or in the schema of the text.
    let content = schema.get("contentSchema").unwrap_or(schema);
    let members = content
        .pointer("/items/properties")
        .and_then(Value::as_object);
    if let Some(members) = members {
        let named = |names: &[&'static str]| {
            names
                .iter()
                .find(|name| members.contains_key(**name))
                .copied()
        };
        let (function_name, field_name) = (named(FUNCTION_NAMES)?, named(FIELD_NAMES)?);
        let entries: Vec<Value> = asked
            .iter()
            .filter_map(|(function, field)| {
                Some(json!({function_name: word(*function)?, field_name: field}))
            })
            .collect();
        return Some(vec![(own.to_owned(), Value::from(entries))]);
    }

    // Functions alone, and one field for all of them.
    let (_, field) = asked.first()?;
    let field_argument = FIELD_ARGUMENTS
        .iter()
        .find(|name| listed.contains_key(**name) && **name != own)?;
    let mut words: Vec<Value> = Vec::new();
    for (function, other) in &asked {
        let word = word(*function).map(Value::from);
        words.extend(word.filter(|word| other == field && !words.contains(word)));
    }
    let is_list = types(schema).contains(&"array");
    let functions = if is_list {
        Value::from(words)
    } else {
        words.into_iter().next()?
    };
    Some(vec![
        (own.to_owned(), functions),
        ((*field_argument).to_owned(), Value::from(*field)),
    ])
}

/// Returns whether an argument can name the field of a statistic.
pub(crate) fn names_field(listed: &Object) -> bool {
    FIELD_ARGUMENTS
        .iter()
        .any(|name| listed.contains_key(*name))
}

/// Returns whether the entries of an argument name their field themselves.
pub(crate) fn has_fields(schema: &Value) -> bool {
    let content = schema.get("contentSchema").unwrap_or(schema);
    let members = content
        .pointer("/items/properties")
        .and_then(Value::as_object);
    members.is_some_and(|members| FIELD_NAMES.iter().any(|name| members.contains_key(*name)))
}

/// Returns an argument that is written as JSON or as the text of it.
pub(crate) fn parsed(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => serde_json::from_str(text).ok(),
        Value::Null => None,
        other => Some(other.clone()),
    }
}
