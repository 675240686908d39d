//! Counts the matching records by the values of fields, and by intervals of time.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::error::QueryError;
use super::field::{Field, FieldKind, by_size};
use super::time::Interval;
use super::{Dataset, Object};

/// Fields of one grouping, and commas in the text that names them.
const FIELDS: usize = 100;

/// Keys of all records together. A record with several values in each of several fields has a key for each combination.
const KEYS: usize = 1_000_000;

/// Sample documents of all buckets together.
const SAMPLES: usize = 10_000;

/// A grouping by one field or several.
#[derive(Clone, Debug)]
pub(super) struct GroupBy {
    pub(super) fields: Vec<String>,
    pub(super) top: usize,
    pub(super) samples: usize,
}

impl GroupBy {
    /// Reads the field names: a list, a JSON list in a string, or names separated by commas. A name may itself hold a comma.
    pub(super) fn fields(dataset: &Dataset, argument: &Value) -> Result<Vec<String>, QueryError> {
        const ARGUMENT: &str = "group_by";
        let text_list = |values: &[Value]| -> Option<Vec<String>> {
            values.iter().map(|value| value.as_str().map(str::to_owned)).collect()
        };
        let listed = match argument {
            Value::Array(values) => Some(text_list(values)),
            Value::String(text) if text.trim_start().starts_with('[') => match serde_json::from_str(text) {
                Ok(Value::Array(values)) => Some(text_list(&values)),
                _ => None,
            },
            Value::String(_) => None,
            _ => Some(None),
        };
        let names = match (listed, argument) {
            (Some(Some(names)), _) => names,
            (None, Value::String(text)) => split(dataset, text)?,
            _ => {
                let reason = "must be field names separated by commas, or a list of them";
                return Err(QueryError::argument(ARGUMENT, reason));
            }
        };
        if names.len() > FIELDS {
            return Err(QueryError::argument(ARGUMENT, format!("may name at most {FIELDS} fields")));
        }
        let mut fields = Vec::new();
        for name in names {
            let field = dataset.require(&name, ARGUMENT)?;
            if !fields.contains(&field.name) {
                fields.push(field.name.clone());
            }
        }
        Ok(fields)
    }

    /// Counts. Buckets are sorted by falling count, then by key; an empty cell is the key null; the key of several fields is the
    /// list of their values. A record with several values of a field counts in several buckets.
    ///
    /// # Errors
    ///
    /// When there are too many combinations of values, or too many samples.
    pub(super) fn count(&self, dataset: &Dataset, records: &[usize]) -> Result<Value, QueryError> {
        let fields: Vec<&Field> = self.fields.iter().filter_map(|name| dataset.field(name)).collect();
        let combinations = |record: &usize| {
            let counts = fields.iter().map(|field| field.values_at(*record).len().max(1));
            counts.fold(1_usize, usize::saturating_mul)
        };
        if records.iter().map(combinations).fold(0, usize::saturating_add) > KEYS {
            let reason = format!("the values of these fields have more than {KEYS} combinations; name fewer fields");
            return Err(QueryError::argument("group_by", reason));
        }

        let mut groups: HashMap<String, (Value, Vec<usize>)> = HashMap::new();
        for record in records {
            for key in keys(&fields, *record) {
                groups.entry(key.to_string()).or_insert_with(|| (key, Vec::new())).1.push(*record);
            }
        }
        let mut groups: Vec<(Value, Vec<usize>)> = groups.into_values().collect();
        groups.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| by_key(&a.0, &b.0)));
        let distinct = groups.len();
        if distinct.min(self.top).saturating_mul(self.samples) > SAMPLES {
            let reason = format!("buckets and their samples may be at most {SAMPLES} together; ask for fewer");
            return Err(QueryError::argument("samples_per_bucket", reason));
        }

        let other: usize = groups.iter().skip(self.top).map(|(_, records)| records.len()).sum();
        let bucket = |(key, records): (Value, Vec<usize>)| {
            let mut bucket = json!({ "key": key, "doc_count": records.len() });
            if self.samples > 0 {
                let samples = records.iter().take(self.samples).map(|record| dataset.documents[*record].clone().into());
                bucket["samples"] = Value::Array(samples.collect());
            }
            bucket
        };
        Ok(json!({
            "field": self.fields.join(","),
            "fields": self.fields,
            "buckets": groups.into_iter().take(self.top).map(bucket).collect::<Vec<_>>(),
            "other_doc_count": other,
            "distinct": distinct,
        }))
    }
}

/// Splits at commas, joining parts again where a field's name holds a comma.
fn split(dataset: &Dataset, text: &str) -> Result<Vec<String>, QueryError> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > FIELDS {
        return Err(QueryError::argument("group_by", format!("may name at most {FIELDS} fields")));
    }
    let mut names = Vec::new();
    let mut from = 0;
    while from < parts.len() {
        let whole = (from + 1..=parts.len()).rev().find(|to| dataset.field(&parts[from..*to].join(",")).is_some());
        match whole {
            Some(to) => {
                names.push(parts[from..to].join(","));
                from = to;
            }
            None if parts[from].trim().is_empty() => from += 1,
            None => {
                dataset.require(parts[from], "group_by")?;
                from += 1;
            }
        }
    }
    Ok(names)
}

/// The keys of a record: one, unless a field holds several values.
fn keys(fields: &[&Field], record: usize) -> Vec<Value> {
    let values = |field: &&Field| -> Vec<Value> {
        let mut values = field.values_at(record).to_vec();
        values.sort_by(by_key);
        values.dedup();
        if values.is_empty() { vec![Value::Null] } else { values }
    };
    if let [field] = fields {
        return values(field);
    }
    fields.iter().map(values).fold(vec![Value::Array(Vec::new())], |keys, values| {
        let longer = |key: &Value| -> Vec<Value> {
            values
                .iter()
                .map(|value| {
                    let mut key = key.as_array().cloned().unwrap_or_default();
                    key.push(value.clone());
                    Value::Array(key)
                })
                .collect()
        };
        keys.iter().flat_map(longer).collect()
    })
}

/// Numbers by size, texts by their characters, lists by their first difference; null last.
fn by_key(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Greater,
        (_, Value::Null) => Ordering::Less,
        (Value::Number(_), Value::Number(_)) => by_size(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.iter().zip(b).map(|(a, b)| by_key(a, b)).find(|order| order.is_ne()).unwrap_or(a.len().cmp(&b.len()))
        }
        (Value::String(a), Value::String(b)) => a.cmp(b),
        _ => a.to_string().cmp(&b.to_string()),
    }
}

/// A histogram over a date field.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    field: String,
    interval: Interval,
    name: String,
}

impl Histogram {
    /// Reads `{"field": …, "interval": …}`, an object or its JSON text.
    pub(super) fn compile(dataset: &Dataset, argument: &Value) -> Result<Self, QueryError> {
        const ARGUMENT: &str = "date_histogram";
        let object: Object = match argument {
            Value::Object(object) => object.clone(),
            Value::String(text) => serde_json::from_str(text)
                .map_err(|error| QueryError::argument(ARGUMENT, format!("is not a valid JSON object: {error}")))?,
            _ => return Err(QueryError::argument(ARGUMENT, "must be a JSON text with `field` and `interval`")),
        };
        if let Some(name) = object.keys().find(|name| !["field", "interval"].contains(&name.as_str())) {
            return Err(QueryError::argument(
                ARGUMENT,
                format!("has no member `{name}`; it has `field` and `interval`"),
            ));
        }
        let Some(name) = object.get("field").and_then(Value::as_str) else {
            return Err(QueryError::argument(ARGUMENT, "needs `field`, the name of a date field"));
        };
        let field = dataset.require(name, ARGUMENT)?;
        if field.kind != FieldKind::Date {
            let dates = dataset.fields.iter().filter(|field| field.kind == FieldKind::Date);
            let dates: Vec<&str> = dates.map(|field| field.name.as_str()).collect();
            let known =
                if dates.is_empty() { "there is none".to_owned() } else { format!("there is {}", dates.join(", ")) };
            let reason = format!("`{}` is a {} field, not a date field; {known}", field.name, field.kind.name());
            return Err(QueryError::argument(ARGUMENT, reason));
        }
        let name = object.get("interval").map_or("year", |interval| interval.as_str().unwrap_or_default());
        let Some(interval) = Interval::from_name(name) else {
            let reason = format!("`interval` must be one of {}", Interval::NAMES.join(", "));
            return Err(QueryError::argument(ARGUMENT, reason));
        };
        Ok(Self { field: field.name.clone(), interval, name: name.to_owned() })
    }

    /// Counts. Buckets are sorted by time; intervals without a record are left out.
    pub(super) fn count(&self, dataset: &Dataset, records: &[usize]) -> Value {
        let times = dataset.field(&self.field).map(|field| field.times.as_slice()).unwrap_or_default();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut missing = 0;
        for record in records {
            match times.get(*record).copied().flatten() {
                Some(time) => *counts.entry(self.interval.key(time)).or_default() += 1,
                None => missing += 1,
            }
        }
        let bucket = |(key, count): (String, usize)| json!({ "key": key, "doc_count": count });
        json!({
            "field": self.field,
            "interval": self.name,
            "buckets": counts.into_iter().map(bucket).collect::<Vec<_>>(),
            "missing": missing,
        })
    }
}
