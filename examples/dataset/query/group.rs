//! Counts the matching records by the values of fields.

use std::borrow::Cow;
use std::collections::HashMap;

use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use super::super::data::Dataset;
use super::super::error::QueryError;
use super::super::field::Field;
use super::super::store::Sql;
use super::bucket::{count, key};
use super::measure::{self, Measure};
use super::order::{BucketOrder, OrderBy};
use super::project::Members;
use super::selection::{self, Selection, joined_value};

/// Keys of records with several values in each of several fields, which have a key for each combination.
const KEYS: f64 = 1_000_000.0;

/// Sample documents of all buckets together.
const SAMPLES: u64 = 10_000;

/// A grouping by one field or several.
#[derive(Clone, Debug)]
pub(super) struct GroupBy {
    pub(super) fields: Vec<String>,
    pub(super) top: usize,
    pub(super) samples: usize,
    pub(super) order: BucketOrder,
}

impl GroupBy {
    /// Counts, and measures each bucket. Equal buckets are sorted by key; an empty cell is the key null; the key of several fields is the
    /// list of their values. A record with several values of a field counts in several buckets.
    ///
    /// # Errors
    ///
    /// When there are too many combinations of values, or too many samples.
    pub(super) fn count(
        &self,
        dataset: &Dataset,
        connection: &Connection,
        selection: &Selection,
        measures: &[Measure],
        members: Option<&Members>,
    ) -> Result<Value, QueryError> {
        let fields: Vec<Cow<'_, Field>> = self.fields.iter().filter_map(|name| dataset.field(name)).collect();
        let fields: Vec<&Field> = fields.iter().map(AsRef::as_ref).collect();
        check_combinations(connection, selection, &fields)?;

        let keys: Vec<String> = fields.iter().map(|field| joined_value(field)).collect();
        let keys = keys.join(", ");
        let mut measured = measures.to_vec();
        let order = self.order_sql(fields.len(), &mut measured);
        let columns = Sql::new(format!(
            "{keys}, COUNT(*) AS records, COUNT(*) OVER (), SUM(COUNT(*)) OVER (){}",
            measure::columns(&measured)
        ));
        let read: Vec<&Field> = fields.iter().copied().chain(measure::fields(&measured)).collect();
        let sql = selection
            .select(&columns, &read)
            .text(&format!(" GROUP BY {keys} ORDER BY {order} LIMIT "))
            .value(i64::try_from(self.top).unwrap_or(i64::MAX));
        let rows = selection::run(connection, &sql)?;

        let at = fields.len();
        let distinct = rows.first().map_or(0, |row| count(row.get(at + 1)));
        let all = rows.first().map_or(0, |row| count(row.get(at + 2)));
        if distinct.min(self.top as u64).saturating_mul(self.samples as u64) > SAMPLES {
            let reason = format!("buckets and their samples may be at most {SAMPLES} together; ask for fewer");
            return Err(QueryError::argument("samples_per_bucket", reason));
        }
        let listed: u64 = rows.iter().map(|row| count(row.get(at))).sum();
        let bucket = |row: &Vec<Cell>| {
            let mut bucket = json!({ "key": key(&fields, row), "doc_count": count(row.get(at)) });
            if !measures.is_empty() {
                bucket["measures"] = measure::results(measures, &row[at + 3..]);
            }
            bucket
        };
        let mut buckets: Vec<Value> = rows.iter().map(bucket).collect();
        if self.samples > 0 {
            self.add_samples(dataset, connection, selection, &fields, members, &mut buckets)?;
        }
        Ok(json!({
            "field": self.fields.join(","),
            "fields": self.fields,
            "buckets": buckets,
            "other_doc_count": all - listed,
            "distinct": distinct,
        }))
    }

    /// Returns SQL for the order; a measure that only orders is added to those that are computed.
    fn order_sql(&self, keys: usize, measured: &mut Vec<Measure>) -> String {
        let direction = self.order.direction;
        let by_key = |direction: &str| -> String {
            let keys: Vec<String> = (1..=keys).map(|column| format!("{column} {direction} NULLS LAST")).collect();
            keys.join(", ")
        };
        match &self.order.by {
            OrderBy::DocCount => format!("records {direction}, {}", by_key("ASC")),
            OrderBy::Key => by_key(direction),
            OrderBy::Measure(measure) => {
                let at = measured.iter().position(|known| *known == **measure).unwrap_or_else(|| {
                    measured.push(Measure::clone(measure));
                    measured.len() - 1
                });
                // The columns are the keys, three counts, and two for each measure.
                format!("{} {direction} NULLS LAST, {}", keys + 4 + 2 * at, by_key("ASC"))
            }
        }
    }

    /// Adds the first records of each bucket.
    fn add_samples(
        &self,
        dataset: &Dataset,
        connection: &Connection,
        selection: &Selection,
        fields: &[&Field],
        members: Option<&Members>,
        buckets: &mut [Value],
    ) -> Result<(), QueryError> {
        let mut places: HashMap<String, Vec<u64>> =
            buckets.iter().map(|bucket| (bucket["key"].to_string(), Vec::new())).collect();
        let keys: Vec<String> = fields.iter().map(|field| joined_value(field)).collect();
        let columns = format!(
            "{keys}, t0.record AS record, row_number() OVER (PARTITION BY {keys} ORDER BY t0.record) AS place",
            keys = keys.join(", ")
        );
        let sql = Sql::new("SELECT * FROM (")
            .sql(selection.select(&Sql::new(columns), fields))
            .text(") WHERE place <= ")
            .value(self.samples as i64)
            .text(" ORDER BY record");
        selection::each(connection, &sql, |row| {
            if let (Some(Cell::Integer(record)), Some(records)) =
                (row.get(fields.len()), places.get_mut(&key(fields, &row).to_string()))
            {
                records.push(record.unsigned_abs());
            }
        })?;

        for bucket in buckets {
            let records = places.remove(&bucket["key"].to_string()).unwrap_or_default();
            let sample = |record: &u64| {
                let document = dataset.document(connection, *record)?;
                Ok(Value::Object(members.map_or_else(|| document.clone(), |members| members.of(document.clone()))))
            };
            bucket["samples"] = records.iter().map(sample).collect::<Result<Value, QueryError>>()?;
        }
        Ok(())
    }
}

/// Counts the combinations of the values of fields that hold lists; without such fields each record has one.
fn check_combinations(connection: &Connection, selection: &Selection, fields: &[&Field]) -> Result<(), QueryError> {
    let lists = fields.iter().filter(|field| field.place.many);
    let counts: Vec<String> = lists
        .map(|field| {
            let list = field.list();
            format!("max(1.0, (SELECT COUNT(*) FROM {list} WHERE {list}.record = t0.record AND {list}.first))")
        })
        .collect();
    if counts.len() < 2 {
        return Ok(());
    }
    let sql = selection.select(&Sql::new(format!("TOTAL({})", counts.join(" * "))), &[]);
    let rows = selection::run(connection, &sql)?;
    match rows.first().and_then(|row| row.first()) {
        Some(Cell::Real(combinations)) if *combinations > KEYS => {
            let reason = format!("the values of these fields have more than {KEYS} combinations; name fewer fields");
            Err(QueryError::argument("group_by", reason))
        }
        _ => Ok(()),
    }
}
