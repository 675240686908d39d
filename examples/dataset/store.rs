//! The SQLite database that holds the cells of a data set.
//!
//! * `t0 (record, c0, c1, …)`, `t1 …`: the cells by number of the record, which counts from 1. SQLite limits the columns of a table, so
//!   wide files take several tables of [`TABLE_COLUMNS`]. A date is the text that sorts by time; where documents show another one, it
//!   is in `wN` beside `cN`.
//! * `lN (record, place, first, value)`: the values of a field that holds lists; `first` marks the first of equal ones of a record.
//! * `documents (record, document)`: the JSON texts of records that are not rebuilt from cells.
//!
//! Names of columns never get into a statement, and values only as bound parameters.

mod aggregates;
mod functions;
mod sql;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use serde_json::{Number, Value};

use super::field::FieldKind;

pub(super) use self::sql::{Sql, joined};

/// Fields of one table. Twice as many columns and the number of the record are within the limit of 2,000 columns.
pub(super) const TABLE_COLUMNS: usize = 900;

/// Kibibytes of the database that stay in memory. What is beyond goes to a file that no one else can open.
const MEMORY_KIB: usize = 256 * 1024;

/// A database that ends with this value.
pub(super) struct Store {
    connection: Mutex<Connection>,
}

impl Store {
    /// Opens an empty database.
    ///
    /// The empty name is a private database of SQLite: it is in memory as far as its cache reaches, and beyond that in a temporary file
    /// which has no name in its folder and is gone when the process ends, whatever ends it.
    pub(super) fn open() -> rusqlite::Result<Self> {
        let connection = Connection::open("")?;
        connection.execute_batch(&format!(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
             PRAGMA temp_store = FILE; PRAGMA cache_size = -{MEMORY_KIB};"
        ))?;
        // The statements of a query over many fields differ, and are prepared again and again otherwise.
        connection.set_prepared_statement_cache_capacity(64);
        functions::register(&connection)?;
        aggregates::register(&connection)?;
        Ok(Self { connection: Mutex::new(connection) })
    }

    /// Returns the connection, when no other query has it.
    pub(super) fn lock(&self) -> MutexGuard<'_, Connection> {
        // A query that panicked has changed nothing that others read.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

/// Returns a cell of a field of this kind as JSON.
pub(super) fn cell_value(kind: FieldKind, cell: ValueRef<'_>) -> Value {
    match cell {
        ValueRef::Null | ValueRef::Blob(_) => Value::Null,
        ValueRef::Integer(truth) if kind == FieldKind::Boolean => Value::Bool(truth != 0),
        ValueRef::Integer(whole) => whole.into(),
        ValueRef::Real(real) => Number::from_f64(real).map_or(Value::Null, Value::Number),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
    }
}
