//! The records that a query is about, as SQL.

use std::collections::BTreeSet;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::super::error::QueryError;
use super::super::field::Field;
use super::super::store::Sql;

/// The records that match.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    /// The condition on a record.
    pub(super) condition: Sql,
    /// Tables that the condition reads, beside the first.
    pub(super) tables: BTreeSet<usize>,
}

impl Selection {
    /// Returns a statement over the records that match, up to its condition. `fields` are those that the columns read; of one that holds
    /// lists there is a row for each of its different values, or one with null.
    pub(super) fn select(&self, columns: &Sql, fields: &[&Field]) -> Sql {
        let mut tables = self.tables.clone();
        tables.extend(fields.iter().filter(|field| !field.place.many).flat_map(|field| field.tables()));
        let mut from = String::from(" FROM t0");
        for table in tables.into_iter().filter(|table| *table > 0) {
            from.push_str(&format!(" JOIN t{table} ON t{table}.record = t0.record"));
        }
        for field in fields.iter().filter(|field| field.place.many) {
            let list = field.list();
            from.push_str(&format!(" LEFT JOIN {list} ON {list}.record = t0.record AND {list}.first"));
        }
        Sql::new("SELECT ").sql(columns.clone()).text(&from).text(" WHERE ").sql(self.condition.clone())
    }
}

/// Returns the expression for the values of a field that [`Selection::select`] has joined, as documents show them.
pub(super) fn joined_value(field: &Field) -> String {
    if field.place.many { format!("{}.value", field.list()) } else { field.shown() }
}

/// Runs a statement that has few rows.
pub(super) fn run(connection: &Connection, sql: &Sql) -> Result<Vec<Vec<Value>>, QueryError> {
    let mut found = Vec::new();
    each(connection, sql, |row| found.push(row))?;
    Ok(found)
}

/// Runs a statement and hands on its rows.
pub(super) fn each(connection: &Connection, sql: &Sql, mut take: impl FnMut(Vec<Value>)) -> Result<(), QueryError> {
    let mut statement = connection.prepare_cached(&sql.text).map_err(QueryError::store)?;
    let columns = statement.column_count();
    let mut rows = statement.query(params_from_iter(&sql.values)).map_err(QueryError::store)?;
    while let Some(row) = rows.next().map_err(QueryError::store)? {
        let cells: rusqlite::Result<Vec<Value>> = (0..columns).map(|column| row.get(column)).collect();
        take(cells.map_err(QueryError::store)?);
    }
    Ok(())
}
