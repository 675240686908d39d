//! One page of the matching records.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::Value;

use super::super::data::Dataset;
use super::super::error::QueryError;
use super::super::field::Field;
use super::super::store::Sql;
use super::PAGE_SIZE_CAP;
use super::order::SortField;
use super::project::Members;
use super::selection::{self, Selection};

/// Bytes of documents on a page; a page of longer records holds fewer of them. Clients refuse results above 1 MiB.
const PAGE_BYTES: usize = 512 * 1024;

/// Which records a page has, in which order, and what of them.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) size: usize,
    pub(super) sort: Vec<SortField>,
    /// What documents keep; everything when none.
    pub(super) kept: Option<Members>,
    /// The computed fields that documents are sorted by or asked to show.
    computed: Vec<Field>,
}

impl Page {
    /// Creates a page of at most so many documents. `members` are the names of the fields that they are to show; all when none.
    pub(super) fn new(dataset: &Dataset, size: usize, sort: Vec<SortField>, members: Option<Vec<String>>) -> Self {
        let sorted = sort.iter().map(|sort| sort.field.name.as_str());
        let named: BTreeSet<&str> = sorted.chain(members.iter().flatten().map(String::as_str)).collect();
        let fields = named.into_iter().filter_map(|name| dataset.field(name));
        let computed = fields.map(Cow::into_owned).filter(|field| field.place.operand.is_some()).collect();
        let kept = members.map(|names| Members::new(names, &dataset.id_field));
        Self { size: size.min(PAGE_SIZE_CAP), sort, kept, computed }
    }

    /// Returns the order for people.
    pub(super) fn order(&self) -> String {
        if self.sort.is_empty() {
            return "the order of the file".to_owned();
        }
        let fields: Vec<String> = self.sort.iter().map(SortField::words).collect();
        format!("sorted by {}; records without a value last, equal ones in the order of the file", fields.join("; "))
    }
}

/// Reads the page that begins after so many records, as many as fit; one at least.
pub(super) fn read(
    dataset: &Dataset,
    connection: &Connection,
    selection: &Selection,
    from: u64,
    page: &Page,
) -> Result<Vec<Value>, QueryError> {
    let sorted: Vec<&Field> = page.sort.iter().map(|sort| &sort.field).collect();
    let order: Vec<String> = page.sort.iter().map(SortField::sql).chain(["t0.record".to_owned()]).collect();
    let sql = selection
        .select(&Sql::new("t0.record"), &sorted)
        .text(&format!(" ORDER BY {} LIMIT ", order.join(", ")))
        .value(page.size as i64)
        .text(" OFFSET ")
        .value(from as i64);
    let mut documents = Vec::new();
    let mut bytes = 0;
    for record in records(selection::run(connection, &sql)?) {
        let document = dataset.document(connection, record)?;
        let mut document = match &page.kept {
            Some(members) => members.of(document),
            None => document,
        };
        for field in &page.computed {
            let cell = dataset.cell(connection, field, record).map_err(QueryError::store)?;
            document.insert(field.name.clone(), cell);
        }
        let document = Value::Object(document);
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
