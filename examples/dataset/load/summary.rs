//! Describes what the columns hold.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use rusqlite::Connection;
use rusqlite::types::{Value as Cell, ValueRef};
use serde_json::{Number, Value};

use super::super::data::Dataset;
use super::super::error::LoadError;
use super::super::field::{Field, FieldKind, LISTED, LONGEST};

/// Records up to which the different values of a column are counted in memory, which takes 20 bytes for each.
const IN_MEMORY: u64 = 5_000_000;

/// Counts the different values of every field and the records without one, and finds the range and the few values of a text.
pub(super) fn summarise(dataset: &mut Dataset) -> Result<(), LoadError> {
    let failed = |error: rusqlite::Error| LoadError::Store { name: dataset.name.clone(), source: error.into() };
    let connection = dataset.store.lock();
    for field in &mut dataset.fields {
        let summary = Summary::read(&connection, field, dataset.records).map_err(failed)?;
        summary.describe(field, dataset.records);
    }
    Ok(())
}

/// What is known of the values of one field.
#[derive(Default)]
struct Summary {
    /// Hashes of 128 bits: two different values practically never share one.
    seen: HashSet<u128>,
    /// The different texts while they are few and short.
    texts: Option<HashSet<String>>,
    distinct: Option<u64>,
    filled: u64,
    range: Option<(Cell, Cell)>,
}

impl Summary {
    fn read(connection: &Connection, field: &Field, records: u64) -> rusqlite::Result<Self> {
        let mut summary = Self { texts: Some(HashSet::new()), ..Self::default() };
        let (column, table) = if field.place.many {
            ("value".to_owned(), field.list())
        } else {
            (field.shown(), format!("t{}", field.place.table))
        };
        let hashers = [RandomState::new(), RandomState::new()];
        let mut statement = connection.prepare(&format!("SELECT {column} FROM {table}"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            summary.add(row.get_ref(0)?, field.kind, records, &hashers);
        }

        if records > IN_MEMORY {
            let text = format!("SELECT COUNT(DISTINCT {column}) FROM {table}");
            summary.distinct = Some(connection.query_one(&text, [], |row| row.get::<_, i64>(0))?.unsigned_abs());
        }
        if field.place.many {
            let text = format!("SELECT COUNT(DISTINCT record) FROM {table}");
            summary.filled = connection.query_one(&text, [], |row| row.get::<_, i64>(0))?.unsigned_abs();
        }
        if field.kind != FieldKind::Text && field.kind != FieldKind::Boolean {
            let column = if field.place.many { column } else { field.column() };
            let text = format!("SELECT MIN({column}), MAX({column}) FROM {table}");
            summary.range = Some(connection.query_one(&text, [], |row| Ok((row.get(0)?, row.get(1)?)))?);
        }
        Ok(summary)
    }

    fn add(&mut self, cell: ValueRef<'_>, kind: FieldKind, records: u64, hashers: &[RandomState; 2]) {
        let hash = |hasher: &RandomState| match cell {
            ValueRef::Null | ValueRef::Blob(_) => 0,
            ValueRef::Integer(whole) => hasher.hash_one((1, whole)),
            ValueRef::Real(real) => hasher.hash_one((2, real.to_bits())),
            ValueRef::Text(text) => hasher.hash_one(text),
        };
        if cell == ValueRef::Null {
            return;
        }
        self.filled += 1;
        if records <= IN_MEMORY {
            self.seen.insert(u128::from(hash(&hashers[0])) << 64 | u128::from(hash(&hashers[1])));
        }

        if kind == FieldKind::Text
            && let Some(texts) = &mut self.texts
            && let Ok(text) = cell.as_str()
            && !texts.contains(text)
        {
            if texts.len() == LISTED || text.len() > LONGEST {
                self.texts = None;
            } else {
                texts.insert(text.to_owned());
            }
        }
    }

    fn describe(self, field: &mut Field, records: u64) {
        field.distinct = self.distinct.unwrap_or(self.seen.len() as u64);
        field.missing = records.saturating_sub(self.filled);
        field.range = self.range.and_then(|(low, high)| Some((value(low)?, value(high)?)));
        field.values = self.texts.unwrap_or_default().into_iter().collect();
        field.values.sort_unstable();
    }
}

fn value(cell: Cell) -> Option<Value> {
    match cell {
        Cell::Null | Cell::Blob(_) => None,
        Cell::Integer(whole) => Some(whole.into()),
        Cell::Real(real) => Number::from_f64(real).map(Value::Number),
        Cell::Text(text) => Some(text.into()),
    }
}
