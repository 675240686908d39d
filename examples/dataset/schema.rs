//! The tool's schemas. They name the fields of the data set and, where there are few, their values.

use serde_json::{Value, json};

use super::data::{Dataset, Object};
use super::field::{Field, FieldKind};
use super::query::{PAGE_SIZE, PAGE_SIZE_CAP, SAMPLES_CAP, TOP_N};
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
    properties.insert("top_n".to_owned(), number("Buckets of `group_by`, the largest first.", 1, None, TOP_N));
    properties.insert(
        "samples_per_bucket".to_owned(),
        number("Sample records in each bucket of `group_by`.", 0, Some(SAMPLES_CAP), 0),
    );
    properties.insert(
        "page_size".to_owned(),
        number("Records in `documents`, in the order of the file.", 1, Some(PAGE_SIZE_CAP), PAGE_SIZE),
    );
    properties.insert(
        "search_after".to_owned(),
        json!({
            "type": "array",
            "items": {"type": "string"},
            "description": "For the next page: `search_after` of the page before, unchanged, with the same filters.",
        }),
    );
    object(json!({"type": "object", "additionalProperties": false, "properties": properties}))
}

fn filters(dataset: &Dataset) -> Value {
    let fields: Object = dataset.fields.iter().map(|field| (field.name.clone(), condition(field))).collect();
    json!({
        "type": "string",
        "description": "Which records to take; all when absent. A JSON object as text: {\"field\": value}, {\"field\": [values]}, \
            {\"field\": {\"gte\": …, \"lt\": …}} for numbers and dates, {\"field\": null} for empty cells. All conditions must hold.",
        "contentMediaType": "application/json",
        "contentSchema": {"type": "object", "additionalProperties": false, "properties": fields},
    })
}

/// What a field can be compared with.
fn condition(field: &Field) -> Value {
    let scalar = scalar(field);
    let mut forms = vec![scalar.clone(), json!({"type": "array", "items": scalar, "minItems": 1})];
    let bound = match field.kind {
        FieldKind::Integer | FieldKind::Number => Some(json!({"type": "number"})),
        FieldKind::Date => Some(json!({"type": "string", "format": "date"})),
        FieldKind::Text | FieldKind::Boolean => None,
    };
    if let Some(bound) = bound {
        forms.push(json!({
            "type": "object",
            "additionalProperties": false,
            "minProperties": 1,
            "properties": {"gte": bound, "gt": bound, "lte": bound, "lt": bound},
        }));
    }
    forms.push(json!({"type": "null"}));
    json!({"description": description(field), "anyOf": forms})
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
    let kind = field.kind.name();
    let empty = field.missing;
    let mut text = match (&field.range, field.values.len()) {
        (Some((first, last)), _) => format!("{kind}, {} to {}", plain(first), plain(last)),
        (None, 0) => kind.to_owned(),
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

/// The schema of the structured content of a result.
pub fn output_schema(dataset: &Dataset) -> Object {
    let buckets = |key: Value, sampled: bool| {
        let mut bucket = json!({
            "type": "object",
            "required": ["key", "doc_count"],
            "properties": {"key": key, "doc_count": {"type": "integer", "minimum": 0}},
        });
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
                },
            },
            "documents": {
                "type": "array",
                "description": "One page of the matching records, in the order of the file.",
                "items": {
                    "type": "object",
                    "required": [dataset.id_field],
                    "properties": {dataset.id_field.as_str(): {"description": id}},
                },
            },
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
