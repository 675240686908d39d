//! Stores the cells of all rows.

use std::sync::Arc;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement};
use serde_json::Number;

use super::super::data::Dataset;
use super::super::error::LoadError;
use super::super::field::{Field, FieldKind, Place};
use super::super::store::{Store, TABLE_COLUMNS};
use super::super::time;
use super::columns::{Typed, boolean};
use super::numbers;
use super::row::{Cell, Cells, Reader, Row};
use super::source::Source;
use super::spelling::{Spelling, is_missing, is_missing_text};

/// Warnings about columns; a wide file has the same to say of many.
const WARNINGS: usize = 10;

/// A database value that may borrow its text from the row.
type Bound<'a> = ToSqlOutput<'a>;

/// Creates the tables and stores all rows.
pub(super) fn fill(source: &Source<'_>, columns: Vec<Typed>, reader: &mut dyn Reader) -> Result<Dataset, LoadError> {
    let name = source.name.as_str();
    let failed = |error: rusqlite::Error| LoadError::Store { name: name.to_owned(), source: error.into() };
    let store = Store::open().map_err(failed)?;
    let fields: Vec<Field> = columns.iter().enumerate().map(|(at, column)| field(at, column)).collect();

    let mut records = 0;
    let mut kept_documents = false;
    {
        let connection = store.lock();
        create(&connection, &fields).map_err(failed)?;
        connection.execute_batch("BEGIN").map_err(failed)?;
        let mut inserts = Inserts::prepare(&connection, &fields, &columns).map_err(failed)?;
        reader.read(&mut |row| {
            source.go_on()?;
            records += 1;
            kept_documents |= row.document.is_some();
            inserts.insert(&fields, records, &row).map_err(failed)
        })?;
        drop(inserts);
        connection.execute_batch("COMMIT").map_err(failed)?;
    }

    Ok(Dataset {
        name: name.to_owned(),
        fields,
        id_field: String::new(),
        numbered: false,
        warnings: columns.iter().filter_map(|column| column.warning.clone()).take(WARNINGS).collect(),
        records: u64::try_from(records).unwrap_or_default(),
        added_id: None,
        kept_documents,
        store: Arc::new(store),
    })
}

fn field(at: usize, column: &Typed) -> Field {
    let place = Place { at, table: at / TABLE_COLUMNS, many: column.many, written: column.written, operand: None };
    let unit = match &column.spelling {
        Spelling::Numbers(style) => style.unit(),
        Spelling::Plain | Spelling::Dates(_) => None,
    };
    Field { name: column.name.clone(), kind: column.kind, place, unit, ..Field::default() }
}

/// Creates the tables. There is a first one even without fields, because it says which records there are.
fn create(connection: &Connection, fields: &[Field]) -> rusqlite::Result<()> {
    let tables = fields.len().div_ceil(TABLE_COLUMNS).max(1);
    for table in 0..tables {
        let mut columns = String::from("record INTEGER PRIMARY KEY");
        for field in fields.iter().filter(|field| field.place.table == table) {
            columns.push_str(&format!(", c{}", field.place.at));
            if field.place.written {
                columns.push_str(&format!(", w{}", field.place.at));
            }
        }
        connection.execute_batch(&format!("CREATE TABLE t{table} ({columns})"))?;
    }

    for field in fields.iter().filter(|field| field.place.many) {
        let list = field.list();
        connection.execute_batch(&format!(
            "CREATE TABLE {list} (record INTEGER, place INTEGER, first INTEGER, value, PRIMARY KEY (record, place)) WITHOUT ROWID"
        ))?;
    }
    connection.execute_batch("CREATE TABLE documents (record INTEGER PRIMARY KEY, document TEXT)")
}

/// The statements that store a row.
struct Inserts<'c> {
    columns: &'c [Typed],
    tables: Vec<Statement<'c>>,
    document: Statement<'c>,
    lists: Vec<Option<Statement<'c>>>,
    /// By field the number of its parameter.
    parameters: Vec<usize>,
}

impl<'c> Inserts<'c> {
    fn prepare(connection: &'c Connection, fields: &[Field], columns: &'c [Typed]) -> rusqlite::Result<Self> {
        let count = fields.len().div_ceil(TABLE_COLUMNS).max(1);
        let mut widths = vec![1_usize; count];
        let mut parameters = Vec::with_capacity(fields.len());
        for field in fields {
            let width = &mut widths[field.place.table];
            parameters.push(*width + 1);
            *width += 1 + usize::from(field.place.written);
        }

        let insert = |(table, width): (usize, &usize)| {
            let marks = vec!["?"; *width].join(",");
            connection.prepare(&format!("INSERT INTO t{table} VALUES ({marks})"))
        };
        let list = |field: &Field| {
            let text = format!("INSERT INTO {} VALUES (?, ?, ?, ?)", field.list());
            field.place.many.then(|| connection.prepare(&text)).transpose()
        };
        Ok(Self {
            columns,
            tables: widths.iter().enumerate().map(insert).collect::<rusqlite::Result<_>>()?,
            document: connection.prepare("INSERT INTO documents VALUES (?, ?)")?,
            lists: fields.iter().map(list).collect::<rusqlite::Result<_>>()?,
            parameters,
        })
    }

    fn insert(&mut self, fields: &[Field], record: i64, row: &Row<'_>) -> rusqlite::Result<()> {
        for (at, cells) in row.cells {
            let Some(field) = fields.get(*at) else { continue };
            match (cells, field.place.many) {
                (Cells::One(cell), false) => self.bind(field, cell)?,
                (Cells::One(cell), true) => self.list(field, record, std::slice::from_ref(cell))?,
                (Cells::Many(cells), _) => self.list(field, record, cells)?,
            }
        }

        for statement in &mut self.tables {
            statement.raw_bind_parameter(1, record)?;
            statement.raw_execute()?;
            statement.clear_bindings();
        }
        if let Some(document) = row.document {
            self.document.execute((record, document))?;
        }
        Ok(())
    }

    /// Binds the value of a field, and beside it the text that documents show where it is another one.
    fn bind(&mut self, field: &Field, cell: &Cell<'_>) -> rusqlite::Result<()> {
        let parameter = self.parameters[field.place.at];
        let statement = &mut self.tables[field.place.table];
        let (value, written) = stored(&self.columns[field.place.at], cell);
        statement.raw_bind_parameter(parameter, value)?;
        match written {
            Some(written) if field.place.written => statement.raw_bind_parameter(parameter + 1, written),
            _ => Ok(()),
        }
    }

    fn list(&mut self, field: &Field, record: i64, cells: &[Cell<'_>]) -> rusqlite::Result<()> {
        let Some(statement) = &mut self.lists[field.place.at] else { return Ok(()) };
        let values: Vec<Bound<'_>> =
            { cells.iter().map(|cell| stored(&self.columns[field.place.at], cell).0).collect() };
        for (place, value) in values.iter().enumerate() {
            let first = !values[..place].contains(value);
            statement.execute((record, place as i64, first, value))?;
        }
        Ok(())
    }
}

/// The value that compares and sorts, and the text of the document where that is another one.
fn stored<'a>(column: &Typed, cell: &Cell<'a>) -> (Bound<'a>, Option<&'a str>) {
    let kind = column.kind;
    let value = match (kind, cell) {
        (FieldKind::Integer | FieldKind::Number, Cell::Untyped(text) | Cell::Text(text)) => {
            let parsed = match &column.spelling {
                Spelling::Numbers(style) => style.parse(text),
                Spelling::Plain | Spelling::Dates(_) => numbers::number(text),
            };
            let is_stray = parsed.is_none() && !is_missing(text);
            let stray = (is_stray || matches!(cell, Cell::Text(_))).then_some(*text);
            return (number(parsed), stray);
        }
        (FieldKind::Number, Cell::Real(real)) => number(numbers::plain(*real)),
        (FieldKind::Boolean, Cell::Untyped(text)) => boolean(text).unwrap_or_default().into(),
        (FieldKind::Boolean, Cell::Boolean(truth)) => (*truth).into(),
        (FieldKind::Date, Cell::Untyped(text) | Cell::Text(text)) => {
            let time = match column.spelling {
                Spelling::Dates(style) => style.parse(text),
                Spelling::Plain | Spelling::Numbers(_) => time::parse(text),
            };
            return match time.map(time::day_text) {
                Some(key) if key == *text => (borrowed(text), None),
                Some(key) => (key.into(), Some(text)),
                None => (Bound::Borrowed(ValueRef::Null), (!is_missing(text)).then_some(*text)),
            };
        }
        (_, Cell::Untyped(text) | Cell::Text(text)) if column.has_marks && is_missing_text(text) => {
            Bound::Borrowed(ValueRef::Null)
        }
        (_, Cell::Untyped(text) | Cell::Text(text)) => borrowed(text),
        (FieldKind::Text, Cell::Integer(whole)) => whole.to_string().into(),
        (FieldKind::Text, Cell::Real(real)) => {
            Number::from_f64(*real).map_or_else(String::new, |number| number.to_string()).into()
        }
        (FieldKind::Text, Cell::Boolean(truth)) => truth.to_string().into(),
        (_, Cell::Integer(whole)) => (*whole).into(),
        (_, Cell::Real(real)) => (*real).into(),
        (_, Cell::Boolean(truth)) => (*truth).into(),
    };
    (value, None)
}

fn borrowed(text: &str) -> Bound<'_> {
    Bound::Borrowed(ValueRef::Text(text.as_bytes()))
}

fn number(number: Option<Number>) -> Bound<'static> {
    match number.as_ref().map(|number| (number.as_i64(), number.as_f64())) {
        Some((Some(whole), _)) => whole.into(),
        Some((None, Some(real))) => real.into(),
        _ => Bound::Borrowed(ValueRef::Null),
    }
}
