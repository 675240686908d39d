//! Counts the matching records by intervals of time.

use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use super::super::data::{Dataset, Object};
use super::super::error::QueryError;
use super::super::field::{Field, FieldKind};
use super::super::store::Sql;
use super::super::time::Interval;
use super::bucket::count;
use super::measure::{self, Measure};
use super::selection::{self, Selection};

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
    pub(super) fn count(
        &self,
        dataset: &Dataset,
        connection: &Connection,
        selection: &Selection,
        measures: &[Measure],
    ) -> Result<Value, QueryError> {
        let field = dataset.require(&self.field, "date_histogram")?;
        let key = self.interval.key(&field.column());
        let columns = Sql::new(format!("{key} AS key, COUNT(*){}", measure::columns(measures)));
        let read: Vec<&Field> = [field.as_ref()].into_iter().chain(measure::fields(measures)).collect();
        let sql = selection.select(&columns, &read).text(" GROUP BY key ORDER BY key");
        let mut missing = 0;
        let mut buckets = Vec::new();
        for row in selection::run(connection, &sql)? {
            match row.first() {
                Some(Cell::Text(key)) => {
                    let mut bucket = json!({ "key": key, "doc_count": count(row.get(1)) });
                    if !measures.is_empty() {
                        bucket["measures"] = measure::results(measures, &row[2..]);
                    }
                    buckets.push(bucket);
                }
                _ => missing = count(row.get(1)),
            }
        }
        Ok(json!({
            "field": self.field,
            "interval": self.name,
            "buckets": buckets,
            "missing": missing,
        }))
    }
}
