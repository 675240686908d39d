//! The tool's schemas. They name the fields of the data set and, where there are few, their values.

use serde_json::{Value, json};

use super::data::{Dataset, Object};
use super::field::{Field, FieldKind, Operation};
use super::query::{
    DIRECTIONS, Function, LOOKUPS, MATCHES, MEASURES, PAGE_SIZE, PAGE_SIZE_CAP, PAIRS, SAMPLES_CAP, SORT_FIELDS, TOP_N,
};
use super::time::Interval;

/// The schema of the arguments.
///
/// `filters` is a JSON text, described by `contentSchema`: its properties are the fields of the data set. Grouping and histogram take
/// the same fields.
pub fn input_schema(dataset: &Dataset) -> Object {
    let names = || dataset.fields.iter().map(|field| field.name.as_str());
    let dates: Vec<&str> =
        dataset.fields.iter().filter(|field| field.kind == FieldKind::Date).map(|field| field.name.as_str()).collect();
    let mut properties = Object::new();
    properties.insert("filters".to_owned(), filters(dataset));
    properties.insert(
        "group_by".to_owned(),
        json!({
            "type": "string",
            "description": format!(
                "Count the matching records by the values of one field, or of several separated by commas. Fields: {}.",
                names().collect::<Vec<_>>().join(", ")
            ),
        }),
    );
    if !dates.is_empty() {
        properties.insert(
            "date_histogram".to_owned(),
            json!({
                "type": "string",
                "description": "Count the matching records by intervals of time. A JSON object as text.",
                "contentMediaType": "application/json",
                "contentSchema": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["field"],
                    "properties": {
                        "field": {"type": "string", "enum": dates},
                        "interval": {"type": "string", "enum": Interval::NAMES, "default": "year"},
                    },
                },
            }),
        );
    }
    let number = |description: &str, minimum: usize, maximum: Option<usize>, default: usize| {
        let mut schema = json!({"type": "integer", "description": description, "minimum": minimum, "default": default});
        if let Some(maximum) = maximum {
            schema["maximum"] = maximum.into();
        }
        schema
    };
    properties.insert("top_n".to_owned(), number("Buckets of `group_by`, the first by `order_by`.", 1, None, TOP_N));
    properties.insert(
        "samples_per_bucket".to_owned(),
        number("Sample records in each bucket of `group_by`.", 0, Some(SAMPLES_CAP), 0),
    );
    properties.insert("page_size".to_owned(), number("Records in `documents`.", 1, Some(PAGE_SIZE_CAP), PAGE_SIZE));
    properties.insert(
        "search_after".to_owned(),
        json!({
            "type": "array",
            "items": {"type": "string"},
            "description": "For the next page: `search_after` of the page before, unchanged, with the same filters, search and sort.",
        }),
    );
    properties.extend(computed(dataset));
    object(json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "x-records": dataset.records,
    }))
}

/// The arguments for what is computed, and for the order and the members of the records. They name a field as text, because the fields
/// are listed with `filters` already.
fn computed(dataset: &Dataset) -> Object {
    let text = |description: &str, content: Value| {
        json!({
            "type": "string",
            "description": description,
            "contentMediaType": "application/json",
            "contentSchema": content,
        })
    };
    let field = json!({"type": "string"});
    let order = json!({"type": "string", "enum": DIRECTIONS});
    let function = json!({"type": "string", "enum": Function::names()});
    let mut properties = Object::new();
    properties.insert(
        "measures".to_owned(),
        text(
            "What to compute over all matching records, and in each bucket of `group_by` and `date_histogram`. A JSON list as text: \
             [{\"function\": …, \"field\": …}]. `count` is the number of records with a value, `distinct` the number of different \
             values; `min` and `max` take numbers and dates, the others numbers.",
            json!({
                "type": "array",
                "maxItems": MEASURES,
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["function", "field"],
                    "properties": {"function": function, "field": field},
                },
            }),
        ),
    );

    if dataset.fields.iter().any(|field| field.kind == FieldKind::Text) {
        properties.insert(
            "search".to_owned(),
            text(
                "Takes only the records whose texts say this. A JSON object as text: {\"text\": …, \"fields\": [text fields], all when \
                 absent, \"match\": …}. One field must have all of the words, or the phrase, or any word; other forms of the words \
                 count too unless \"exact\" is true. `data_context.search` counts the records by field.",
                json!({
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["text"],
                    "properties": {
                        "text": {"type": "string"},
                        "fields": {"type": "array", "items": field},
                        "match": {"type": "string", "enum": MATCHES, "default": "all"},
                        "exact": {"type": "boolean", "default": false},
                    },
                }),
            ),
        );
    }
    properties.insert(
        "lookup".to_owned(),
        text(
            "Finds what texts are called in the data: the values that are equal to each, contain its words, begin with it, or are spelled \
             nearly so, and the fields whose texts mention it. Over all records and text fields, whatever the filters. A JSON object as \
             text: {\"texts\": [ … ]}.",
            json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["texts"],
                "properties": {"texts": {"type": "array", "items": {"type": "string"}, "maxItems": LOOKUPS}},
            }),
        ),
    );

    let numbers = dataset.fields.iter().filter(|field| field.kind.is_number() && !field.place.many);
    if numbers.count() > 1 {
        properties.insert(
            "correlations".to_owned(),
            text(
                "Pairs of number fields whose Pearson correlation to compute over all matching records that have both. A JSON list as \
                 text: [[\"field\", \"field\"]].",
                json!({
                    "type": "array",
                    "maxItems": PAIRS,
                    "items": {"type": "array", "items": field, "minItems": 2, "maxItems": 2},
                }),
            ),
        );
    }
    properties.insert(
        "order_by".to_owned(),
        text(
            "Order of the buckets of `group_by`, of which `top_n` are given. A JSON object as text: {\"by\": \"doc_count\" or \"key\"}, \
             or {\"function\": …, \"field\": …} for a measure, with \"order\". The largest counts come first when absent.",
            json!({
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "by": {"type": "string", "enum": ["doc_count", "key"]},
                    "function": function,
                    "field": field,
                    "order": order,
                },
            }),
        ),
    );
    properties.insert(
        "sort".to_owned(),
        text(
            "Order of `documents`: the order of the file when absent. A JSON list as text: [{\"field\": …, \"order\": \"desc\" or \
             \"asc\"}]. Records without a value come last.",
            json!({
                "type": "array",
                "maxItems": SORT_FIELDS,
                "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["field"],
                    "properties": {"field": field, "order": order},
                },
            }),
        ),
    );
    properties.insert(
        "fields".to_owned(),
        text(
            "Members of the records to give, beside the id; all when absent. A JSON list of field names as text.",
            json!({"type": "array", "items": field}),
        ),
    );
    properties
}

/// The most JSON values that describe the fields. Clients refuse schemas with many more.
const VALUES: usize = 15_000;

fn filters(dataset: &Dataset) -> Value {
    let described = |describe: fn(&Field) -> Value| -> Object {
        let described = |field: &Field| {
            let mut schema = describe(field);
            if field.place.many {
                schema["x-lists"] = true.into();
            }
            (field.name.clone(), schema)
        };
        dataset.fields.iter().map(described).collect()
    };
    // The more fields there are, the less is said of each.
    let mut fields = described(condition);
    for shorter in [short_condition, only_type] {
        if fields.values().map(values).sum::<usize>() > VALUES {
            fields = described(shorter);
        }
    }
    let computed: Object = Operation::ALL.map(|operation| (operation.pattern(), json!({}))).into_iter().collect();
    json!({
        "type": "string",
        "description": "Which records to take; all when absent. A JSON object as text: {\"field\": value}, {\"field\": [values]}, \
            {\"field\": {\"gte\": …, \"lt\": …}} for numbers and dates, {\"field\": null} for empty cells. An object also takes \"not\": a \
            value or values that it must not be, \"missing\": true or false, for texts \"contains\": words in this order, and \"lacks\": \
            words that it must not have, for dates \
            \"month\": 1 to 12 or several. The difference, sum and ratio of two number fields are number \
            fields too, here and wherever a field is named: \"a − b\" with U+2212, \"a + b\", \"a ÷ b\"; the difference of two date \
            fields is \"a − b in days\". All conditions must hold.",
        "contentMediaType": "application/json",
        "contentSchema": {
            "type": "object",
            "additionalProperties": false,
            "properties": fields,
            "patternProperties": computed,
        },
    })
}

/// What a field can be compared with.
fn condition(field: &Field) -> Value {
    let scalar = scalar(field);
    let mut forms = vec![scalar.clone(), json!({"type": "array", "items": scalar, "minItems": 1})];
    let mut operators = Object::new();
    let bound = match field.kind {
        FieldKind::Integer | FieldKind::Number => Some(json!({"type": "number"})),
        FieldKind::Date => Some(json!({"type": "string", "format": "date"})),
        FieldKind::Text | FieldKind::Boolean => None,
    };
    if let Some(bound) = bound {
        operators.extend(["gte", "gt", "lte", "lt"].map(|name| (name.to_owned(), bound.clone())));
    }
    operators.insert("not".to_owned(), json!({}));
    operators.insert("missing".to_owned(), json!({"type": "boolean"}));
    match field.kind {
        FieldKind::Text => {
            operators.insert("contains".to_owned(), json!({"type": "string"}));
            operators.insert("lacks".to_owned(), json!({"type": "string"}));
        }
        FieldKind::Date => {
            operators.insert("month".to_owned(), json!({}));
        }
        FieldKind::Integer | FieldKind::Number | FieldKind::Boolean => {}
    }
    forms.push(json!({
        "type": "object",
        "additionalProperties": false,
        "minProperties": 1,
        "properties": operators,
    }));
    forms.push(json!({"type": "null"}));
    let mut condition = json!({
        "description": description(field),
        "anyOf": forms,
        "x-distinct": field.distinct,
        "x-missing": field.missing,
    });
    if let Some(unit) = &field.unit {
        condition["x-unit"] = unit.clone().into();
    }
    condition
}

/// The same without the forms of conditions, which the description of the filters names.
fn short_condition(field: &Field) -> Value {
    let mut condition = scalar(field);
    condition["x-distinct"] = field.distinct.into();
    condition["x-missing"] = field.missing.into();
    condition
}

fn only_type(field: &Field) -> Value {
    match field.kind {
        FieldKind::Date => json!({"type": "string", "format": "date"}),
        FieldKind::Text => json!({"type": "string"}),
        _ => scalar(&Field { range: None, ..field.clone() }),
    }
}

/// The number of JSON values in a value.
fn values(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(values).sum(),
        Value::Object(members) => members.values().map(values).sum::<usize>(),
        _ => 0,
    }
}

fn scalar(field: &Field) -> Value {
    let mut schema = match field.kind {
        FieldKind::Integer => json!({"type": "integer"}),
        FieldKind::Number => json!({"type": "number"}),
        FieldKind::Boolean => json!({"type": "boolean"}),
        FieldKind::Date => json!({"type": "string", "format": "date"}),
        FieldKind::Text if field.values.is_empty() => json!({"type": "string"}),
        FieldKind::Text => json!({"type": "string", "enum": field.values}),
    };
    if let Some((first, last)) = &field.range {
        let (low, high) =
            if field.kind == FieldKind::Date { ("formatMinimum", "formatMaximum") } else { ("minimum", "maximum") };
        schema[low] = first.clone();
        schema[high] = last.clone();
    }
    schema
}

fn description(field: &Field) -> String {
    let unit = field.unit.as_ref().map_or_else(String::new, |unit| format!(" in {unit}"));
    let kind = format!("{}{unit}", field.kind.name());
    let empty = field.missing;
    let mut text = match (&field.range, field.values.len()) {
        (Some((first, last)), _) => format!("{kind}, {} to {}", plain(first), plain(last)),
        (None, 0) => kind,
        (None, values) => format!("{kind}, {values} different values"),
    };
    if empty > 0 {
        text.push_str(&format!("; empty in {empty} records"));
    }
    text
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The schema of numbers of records by field.
fn hits() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["field", "doc_count"],
            "properties": {"field": {"type": "string"}, "doc_count": {"type": "integer", "minimum": 0}},
        },
    })
}

/// The schema of the result of a lookup.
fn lookup() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["text", "candidates", "mentions", "searched"],
            "properties": {
                "text": {"type": "string"},
                "candidates": {
                    "type": "array",
                    "description": "Values that the text may mean, the best first.",
                    "items": {
                        "type": "object",
                        "required": ["field", "value", "doc_count", "match"],
                        "properties": {
                            "field": {"type": "string"},
                            "value": {"type": "string"},
                            "doc_count": {"type": "integer", "minimum": 0},
                            "match": {"type": "string", "enum": ["exact", "case", "words", "prefix", "spelling"]},
                        },
                    },
                },
                "mentions": hits(),
                "searched": {
                    "type": "object",
                    "required": ["fields", "records"],
                    "properties": {"fields": {"type": "integer"}, "records": {"type": "integer"}},
                },
            },
        },
    })
}

/// The schema of a list of measures.
fn measures() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "required": ["function", "field", "value", "count"],
            "properties": {
                "function": {"type": "string", "enum": Function::names()},
                "field": {"type": "string"},
                "value": {"type": ["number", "string", "null"], "description": "Null without values; a text for dates."},
                "count": {"type": "integer", "minimum": 0, "description": "Values behind it."},
            },
        },
    })
}

/// The schema of the structured content of a result.
pub fn output_schema(dataset: &Dataset) -> Object {
    let buckets = |key: Value, sampled: bool| {
        let mut bucket = json!({
            "type": "object",
            "required": ["key", "doc_count"],
            "properties": {"key": key, "doc_count": {"type": "integer", "minimum": 0}},
        });
        bucket["properties"]["measures"] = measures();
        if sampled {
            bucket["properties"]["samples"] = json!({"type": "array", "items": {"type": "object"}});
        }
        json!({"type": "array", "items": bucket})
    };
    let id =
        if dataset.numbered { "Number of the record in the file, counted from 1." } else { "The record's own id." };
    object(json!({
        "type": "object",
        "required": ["data_context", "aggregations", "documents", "has_more", "search_after"],
        "properties": {
            "data_context": {
                "type": "object",
                "required": ["dataset", "unique_ids_matched", "total_records"],
                "properties": {
                    "dataset": {"type": "string"},
                    "unique_ids_matched": {"type": "integer", "minimum": 0, "description": "Records that match the filters."},
                    "total_records": {"type": "integer", "minimum": 0},
                    "id_field": {"type": "string"},
                    "order": {"type": "string"},
                    "notes": {"type": "array", "items": {"type": "string"}},
                    "search": {
                        "type": "object",
                        "required": ["text", "match", "fields", "hits"],
                        "properties": {
                            "text": {"type": "string"},
                            "match": {"type": "string", "enum": MATCHES},
                            "fields": {"type": "array", "items": {"type": "string"}, "description": "What was searched."},
                            "hits": hits(),
                        },
                    },
                },
            },
            "aggregations": {
                "type": "object",
                "properties": {
                    "group_by": {
                        "type": "object",
                        "required": ["field", "fields", "buckets", "other_doc_count", "distinct"],
                        "properties": {
                            "field": {"type": "string"},
                            "fields": {"type": "array", "items": {"type": "string"}},
                            "buckets": buckets(json!({
                                "description": "The value; null for empty cells; the list of values when there are several fields.",
                            }), true),
                            "other_doc_count": {"type": "integer", "description": "Records in buckets beyond `top_n`."},
                            "distinct": {"type": "integer", "description": "Number of buckets, listed or not."},
                        },
                    },
                    "date_histogram": {
                        "type": "object",
                        "required": ["field", "interval", "buckets", "missing"],
                        "properties": {
                            "field": {"type": "string"},
                            "interval": {"type": "string", "enum": Interval::NAMES},
                            "buckets": buckets(json!({"type": "string"}), false),
                            "missing": {"type": "integer", "description": "Matching records without a date."},
                        },
                    },
                    "measures": measures(),
                    "correlations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["fields", "count", "pearson"],
                            "properties": {
                                "fields": {"type": "array", "items": {"type": "string"}},
                                "count": {"type": "integer", "minimum": 0, "description": "Records with both values."},
                                "pearson": {"type": ["number", "null"], "description": "Null where one does not vary."},
                            },
                        },
                    },
                },
            },
            "documents": {
                "type": "array",
                "description": "One page of the matching records, in the order of the file or of `sort`.",
                "items": {
                    "type": "object",
                    "required": [dataset.id_field],
                    "properties": {dataset.id_field.as_str(): {"description": id}},
                },
            },
            "lookup": lookup(),
            "has_more": {"type": "boolean"},
            "search_after": {
                "description": "Cursor of the next page; null on the last.",
                "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}],
            },
        },
    }))
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}
