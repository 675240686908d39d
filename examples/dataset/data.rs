//! A table of records: its columns, and the store that holds its cells.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::QueryError;
use super::field::Field;
use super::store::{Store, cell_value};

/// A JSON object.
pub type Object = Map<String, Value>;

/// A table of records in an SQLite database of its own, which ends with the last copy of the data set.
///
/// Nested objects of a JSON file are fields with dotted names, and stay nested in the documents.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Name, from the file's name without its extension.
    pub name: String,
    /// The columns, in the order of the file.
    pub fields: Vec<Field>,
    /// Member of a document that holds its id.
    pub id_field: String,
    /// The id is the number of the record, counted from 1, because the file has no id column.
    pub numbered: bool,
    /// What was odd about the file, for people.
    pub warnings: Vec<String>,
    /// Number of records.
    pub(super) records: u64,
    /// How an id that the file's first named column does not give gets into a document.
    pub(super) added_id: Option<AddedId>,
    /// The documents are kept as JSON texts, because nested ones cannot be rebuilt from columns.
    pub(super) kept_documents: bool,
    /// The cells.
    pub(super) store: Arc<Store>,
}

/// An id that is added as first member of every document.
#[derive(Clone, Debug)]
pub(super) struct AddedId {
    /// Field whose cell is the id; the number of the record where there is none.
    pub(super) from: Option<usize>,
    /// Name that a member of the document gets when the id takes its own.
    pub(super) displaced: String,
}

impl Dataset {
    /// Returns the number of records.
    pub fn len(&self) -> u64 {
        self.records
    }

    /// Returns whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// Returns a field by its name: exactly, else without regard to case. `a − b`, `a + b` and `a ÷ b` are computed of two fields,
    /// `a − b in days` of two dates, unless a field is called so.
    pub fn field(&self, name: &str) -> Option<Cow<'_, Field>> {
        let computed = || Field::computed(name, |name| self.stored(name));
        self.stored(name).map(Cow::Borrowed).or_else(|| computed().map(Cow::Owned))
    }

    /// Returns a field of the file by its name.
    fn stored(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name).or_else(|| {
            let lower = name.trim().to_lowercase();
            self.fields.iter().find(|field| field.name.trim().to_lowercase() == lower)
        })
    }

    /// Returns a field by its name, or the error that lists the names there are.
    pub(super) fn require(&self, name: &str, argument: &str) -> Result<Cow<'_, Field>, QueryError> {
        self.field(name).ok_or_else(|| {
            let known: Vec<String> = self.fields.iter().map(|field| field.name.clone()).collect();
            QueryError::UnknownField { argument: argument.to_owned(), name: name.trim().to_owned(), known }
        })
    }

    /// Returns all records in file order, each with its id. Needs as much memory as they take.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn documents(&self) -> Result<Vec<Object>, QueryError> {
        let connection = self.store.lock();
        (1..=self.records).map(|record| self.document(&connection, record)).collect()
    }

    /// Returns the record of this number, counted from 1, as a client sees it.
    pub(super) fn document(&self, connection: &rusqlite::Connection, record: u64) -> Result<Object, QueryError> {
        let members = if self.kept_documents {
            let mut statement = connection
                .prepare_cached("SELECT document FROM documents WHERE record = ?")
                .map_err(QueryError::store)?;
            let text: String = statement.query_one([record as i64], |row| row.get(0)).map_err(QueryError::store)?;
            serde_json::from_str(&text).map_err(QueryError::store)?
        } else {
            self.rebuilt(connection, record).map_err(QueryError::store)?
        };

        let Some(added) = &self.added_id else { return Ok(members) };
        let id = match added.from {
            None => record.into(),
            Some(at) => self.cell(connection, &self.fields[at], record).map_err(QueryError::store)?,
        };
        let mut document = Object::from_iter([(self.id_field.clone(), id)]);
        document.extend(members.into_iter().map(|(name, value)| {
            let name = if name == self.id_field { added.displaced.clone() } else { name };
            (name, value)
        }));
        Ok(document)
    }

    /// Builds a record of a table from its cells.
    fn rebuilt(&self, connection: &rusqlite::Connection, record: u64) -> rusqlite::Result<Object> {
        let mut members = Object::new();
        let mut fields = self.fields.iter().peekable();
        while let Some(first) = fields.peek() {
            let table = first.place.table;
            let mut statement = connection.prepare_cached(&format!("SELECT * FROM t{table} WHERE record = ?"))?;
            let mut rows = statement.query([record as i64])?;
            let row = rows.next()?;

            // The columns of a table stand in the order of the fields, behind the number of the record.
            let mut column = 1;
            while let Some(field) = fields.next_if(|field| field.place.table == table) {
                let Some(row) = row else { continue };
                let mut value = cell_value(field.kind, row.get_ref(column)?);
                column += 1;
                if field.place.written {
                    let written = cell_value(field.kind, row.get_ref(column)?);
                    value = if written.is_null() { value } else { written };
                    column += 1;
                }
                members.insert(field.name.clone(), value);
            }
        }
        Ok(members)
    }

    /// Reads one cell as documents show it.
    pub(super) fn cell(
        &self,
        connection: &rusqlite::Connection,
        field: &Field,
        record: u64,
    ) -> rusqlite::Result<Value> {
        let others: BTreeSet<usize> = field.tables().filter(|table| *table > 0).collect();
        let joins: String = others.iter().map(|table| format!(" JOIN t{table} USING (record)")).collect();
        let text = format!("SELECT {} FROM t0{joins} WHERE t0.record = ?", field.shown());
        let mut statement = connection.prepare_cached(&text)?;
        statement.query_one([record as i64], |row| Ok(cell_value(field.kind, row.get_ref(0)?)))
    }
}
