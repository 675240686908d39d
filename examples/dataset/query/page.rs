//! One page of the matching records.

use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::Value;

use super::super::data::Dataset;
use super::super::error::QueryError;
use super::super::store::Sql;
use super::selection::{self, Selection};

/// Bytes of documents on a page; a page of longer records holds fewer of them. Clients refuse results above 1 MiB.
const PAGE_BYTES: usize = 512 * 1024;

/// Reads the page that begins after so many records, as many of `size` as fit; one at least.
pub(super) fn read(
    dataset: &Dataset,
    connection: &Connection,
    selection: &Selection,
    from: u64,
    size: usize,
) -> Result<Vec<Value>, QueryError> {
    let sql = selection
        .select(&Sql::new("t0.record"), &[])
        .text(" ORDER BY t0.record LIMIT ")
        .value(size as i64)
        .text(" OFFSET ")
        .value(from as i64);
    let mut documents = Vec::new();
    let mut bytes = 0;
    for record in records(selection::run(connection, &sql)?) {
        let document = Value::Object(dataset.document(connection, record)?);
        bytes += document.to_string().len();
        if bytes > PAGE_BYTES && !documents.is_empty() {
            break;
        }
        documents.push(document);
    }
    Ok(documents)
}

/// Returns the first column of rows as numbers of records.
fn records(rows: Vec<Vec<Cell>>) -> impl Iterator<Item = u64> {
    rows.into_iter().filter_map(|row| match row.into_iter().next() {
        Some(Cell::Integer(record)) => u64::try_from(record).ok(),
        _ => None,
    })
}
