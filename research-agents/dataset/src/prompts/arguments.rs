//! The arguments of a sub-agent in the prompt of a plan: one short line for each, in place of a
//! JSON schema, which takes three times as many tokens.

use serde_json::Value;

use crate::data::names::STATE_OWNED;

/// Arguments that are filled in from the run, so that a plan has no reason to give them.
const FILLED_IN: &[&str] = &[
    "query",
    "original_query",
    "topic",
    "docs_processed",
    "total_docs_available",
];

/// Returns the arguments that a plan may give, each with its schema.
fn given(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().filter(|(name, _)| {
        let is_filled = |known: &&[&str]| known.contains(&name.as_str());
        ![STATE_OWNED, FILLED_IN].iter().any(is_filled)
    })
}

/// Returns the names of the arguments that a plan may give.
pub(crate) fn names(schema: &Value) -> Vec<&str> {
    given(schema).map(|(name, _)| name.as_str()).collect()
}

/// Returns a line for each argument that a plan may give: its name, type, default and purpose.
pub(crate) fn lines(schema: &Value) -> Vec<String> {
    let line = |(name, argument): (&String, &Value)| {
        let mut facts = vec![type_of(argument, schema)];
        let default = argument.get("default").filter(|default| says_much(default));
        facts.extend(default.map(|default| format!("default {default}")));
        facts.retain(|fact| !fact.is_empty());

        let facts = if facts.is_empty() {
            String::new()
        } else {
            format!(" ({})", facts.join("; "))
        };
        let purpose = argument
            .get("description")
            .and_then(Value::as_str)
            .map(|text| {
                format!(
                    ": {}",
                    text.split_whitespace().collect::<Vec<_>>().join(" ")
                )
            });
        format!("- {name}{facts}{}", purpose.unwrap_or_default())
    };
    given(schema).map(line).collect()
}

/// Returns the type of an argument in words; empty for one that takes anything.
fn type_of(argument: &Value, schema: &Value) -> String {
    let argument = resolved(argument, schema);
    let values = enumerated(argument);
    if !values.is_empty() {
        return format!("one of {}", values.join(", "));
    }

    let names = match argument.get("type") {
        Some(Value::String(name)) => vec![name.as_str()],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let names: Vec<&str> = names.into_iter().filter(|name| *name != "null").collect();
    let items = argument
        .get("items")
        .filter(|_| names == ["array"])
        .map(|items| type_of(items, schema));
    match items {
        Some(items) if !items.is_empty() => format!("list: {items}"),
        Some(_) => "list".to_owned(),
        None => names.join(" or "),
    }
}

/// Returns the definition that a schema refers to, or the schema itself.
fn resolved<'s>(argument: &'s Value, schema: &'s Value) -> &'s Value {
    let definition = argument
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| schema.pointer(reference.strip_prefix('#')?));
    definition.unwrap_or(argument)
}

/// Returns the values that a schema lists, itself or one by one as alternatives.
fn enumerated(schema: &Value) -> Vec<&str> {
    let own = schema.get("enum").and_then(Value::as_array);
    let own = own.into_iter().flatten().filter_map(Value::as_str);
    let alternatives = schema.get("oneOf").and_then(Value::as_array);
    let alternatives = alternatives
        .into_iter()
        .flatten()
        .filter_map(|one| one.get("const").and_then(Value::as_str));
    own.chain(alternatives).collect()
}

/// Returns whether a default is worth its tokens: nothing, zero and empty values are what a reader
/// expects.
fn says_much(default: &Value) -> bool {
    match default {
        Value::Null | Value::Bool(false) | Value::Array(_) => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Bool(true) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_argument_is_one_line_with_its_type_and_default() {
        let schema = json!({
            "$defs": {"Shape": {"oneOf": [{"const": "long"}, {"const": "short"}]}},
            "properties": {
                "group_by": {
                    "type": ["string", "null"], "default": null,
                    "description": "Field\nto group by."
                },
                "top_n": {"type": "integer", "default": 20, "description": "Most groups."},
                "names": {"type": "array", "items": {"type": "string"}, "default": []},
                "shape": {"$ref": "#/$defs/Shape", "default": "long"},
                "sort": {"default": null},
                "findings": {"type": "array"},
                "query": {"type": "string"}
            }
        });

        let expected = [
            "- group_by (string): Field to group by.",
            "- top_n (integer; default 20): Most groups.",
            "- names (list: string)",
            "- shape (one of long, short; default \"long\")",
            "- sort",
        ];
        assert_eq!(lines(&schema), expected, "what is filled in is left out");
        assert_eq!(
            names(&schema),
            ["group_by", "top_n", "names", "shape", "sort"]
        );
    }
}
