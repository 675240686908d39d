//! The full-text index over all text fields. It is made when the first question about words comes.
//!
//! An entry of the index is a text. A field with few different values has an entry for each of them, in the table `entries`; any other
//! field has one for each record. The entries of a field have numbers of their own range.

use rusqlite::{Connection, params};

use super::super::super::data::Dataset;
use super::super::super::error::QueryError;
use super::super::super::field::{Field, FieldKind};

/// The entries of one field.
#[derive(Clone, Debug)]
pub(super) struct Span<'d> {
    pub(super) field: &'d Field,
    /// The number before the first entry.
    pub(super) before: i64,
    /// The number of the last entry.
    pub(super) last: i64,
    /// There is an entry for each value, not for each record.
    pub(super) by_value: bool,
}

/// Returns the fields with texts.
pub(super) fn text_fields(dataset: &Dataset) -> impl Iterator<Item = &Field> {
    dataset.fields.iter().filter(|field| field.kind == FieldKind::Text)
}

/// Makes the index where there is none, and returns the entries of every text field.
pub(super) fn spans<'d>(dataset: &'d Dataset, connection: &Connection) -> Result<Vec<Span<'d>>, QueryError> {
    let made = connection.table_exists(None, "spans").map_err(QueryError::store)?;
    if !made {
        make(dataset, connection).map_err(QueryError::store)?;
    }

    let mut statement = connection
        .prepare_cached("SELECT field, before, last, by_value FROM spans ORDER BY before, field")
        .map_err(QueryError::store)?;
    let mut rows = statement.query([]).map_err(QueryError::store)?;
    let mut spans = Vec::new();
    while let Some(row) = rows.next().map_err(QueryError::store)? {
        let read =
            || -> rusqlite::Result<(i64, i64, i64, bool)> { Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)) };
        let (at, before, last, by_value) = read().map_err(QueryError::store)?;
        spans.extend(usize::try_from(at).ok().and_then(|at| dataset.fields.get(at)).map(|field| Span {
            field,
            before,
            last,
            by_value,
        }));
    }
    Ok(spans)
}

fn make(dataset: &Dataset, connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "BEGIN;
         CREATE TABLE entries (id INTEGER PRIMARY KEY, value TEXT, records INTEGER);
         CREATE TABLE found (id INTEGER PRIMARY KEY);
         CREATE TABLE hits (field INTEGER, record INTEGER, PRIMARY KEY (field, record)) WITHOUT ROWID;
         CREATE VIRTUAL TABLE texts USING
            fts5(text, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2');
         CREATE VIRTUAL TABLE vocabulary USING fts5vocab(texts, 'row');
         INSERT INTO texts(texts, rank) VALUES ('hashsize', 16777216);",
    )?;

    let records = i64::try_from(dataset.records).unwrap_or(i64::MAX);
    let mut spans = Vec::new();
    let mut before = 0;
    for field in text_fields(dataset) {
        let filled = dataset.records - field.missing;
        let by_value = field.place.many || field.distinct * 2 <= filled;
        let last = if by_value {
            enter_values(connection, field, before)?
        } else {
            let (column, table) = (field.column(), field.place.table);
            let sql = format!(
                "INSERT INTO texts(rowid, text) SELECT ? + record, {column} FROM t{table} WHERE {column} IS NOT NULL"
            );
            connection.execute(&sql, [before])?;
            before + records
        };
        spans.push((field.place.at as i64, before, last, by_value));
        before = last;
    }

    // The table of spans comes last: it says that the index is complete.
    connection.execute_batch("CREATE TABLE spans (field INTEGER, before INTEGER, last INTEGER, by_value INTEGER)")?;
    let mut insert = connection.prepare("INSERT INTO spans VALUES (?, ?, ?, ?)")?;
    for (field, before, last, by_value) in spans {
        insert.execute(params![field, before, last, by_value])?;
    }
    connection.execute_batch("COMMIT")
}

/// Enters each different value of a field, and returns the number of the last one.
fn enter_values(connection: &Connection, field: &Field, before: i64) -> rusqlite::Result<i64> {
    let values = if field.place.many {
        format!("SELECT value, COUNT(*) AS records FROM {} WHERE first GROUP BY value", field.list())
    } else {
        let (column, table) = (field.column(), field.place.table);
        format!(
            "SELECT {column} AS value, COUNT(*) AS records FROM t{table} WHERE {column} IS NOT NULL GROUP BY {column}"
        )
    };
    let sql = format!("INSERT INTO entries SELECT ? + row_number() OVER (), value, records FROM ({values})");
    let count = connection.execute(&sql, [before])?;
    connection.execute("INSERT INTO texts(rowid, text) SELECT id, value FROM entries WHERE id > ?", [before])?;
    Ok(before + i64::try_from(count).unwrap_or(i64::MAX))
}

/// Puts the entries that match an expression into the table `found`.
pub(super) fn find(connection: &Connection, expression: &str) -> Result<(), QueryError> {
    let found = || -> rusqlite::Result<()> {
        connection.execute("DELETE FROM found", [])?;
        let mut statement =
            connection.prepare_cached("INSERT INTO found SELECT rowid FROM texts WHERE texts MATCH ?")?;
        statement.execute([expression])?;
        Ok(())
    };
    found().map_err(QueryError::store)
}

impl Span<'_> {
    /// Returns the condition on an entry that it is one of this field.
    pub(super) fn within(&self) -> String {
        format!("id > {} AND id <= {}", self.before, self.last)
    }

    /// Returns how many records have a value among the entries that were found.
    pub(super) fn records(&self, connection: &Connection) -> Result<i64, QueryError> {
        let (within, list) = (self.within(), self.field.list());
        let sql = match (self.by_value, self.field.place.many) {
            (false, _) => format!("SELECT COUNT(*) FROM found WHERE {within}"),
            (true, false) => {
                format!("SELECT coalesce(SUM(records), 0) FROM entries JOIN found USING (id) WHERE {within}")
            }
            (true, true) => format!(
                "SELECT COUNT(DISTINCT record) FROM {list} WHERE value IN (SELECT value FROM entries JOIN found USING (id) WHERE {within})"
            ),
        };
        // A field without a hit is the usual case, and cheaper to see.
        let any = format!("SELECT EXISTS (SELECT 1 FROM found WHERE {within})");
        let any: bool = connection.query_one(&any, [], |row| row.get(0)).map_err(QueryError::store)?;
        if !any {
            return Ok(0);
        }
        connection.query_one(&sql, [], |row| row.get(0)).map_err(QueryError::store)
    }
}
