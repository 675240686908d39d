//! Reads a table or view of an SQLite database. Nothing is written to it.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::super::error::LoadError;
use super::names;
use super::row::{Cell, Cells, Each, Reader, Row, cut, cut_warning};
use super::source::Source;

/// A table or view.
pub(super) struct Table<'s> {
    source: &'s Source<'s>,
    connection: Connection,
    table: String,
    columns: Vec<String>,
    /// Cells with bytes that are no text, and texts that were cut.
    binary: u64,
    cut: u64,
}

impl<'s> Table<'s> {
    /// Opens the table of this name, or the only one.
    pub(super) fn open(source: &'s Source<'s>, wanted: Option<&str>) -> Result<Self, LoadError> {
        let path = source.path().unwrap_or(Path::new(""));
        let connection = connect(path).map_err(|error| failed(source, error))?;
        let table = choose(source, &connection, wanted)?;
        let columns = {
            let statement = connection.prepare(&select(&table)).map_err(|error| failed(source, error))?;
            let given = statement.column_names();
            names::unique(given.into_iter())
        };
        Ok(Self { source, connection, table, columns, binary: 0, cut: 0 })
    }
}

/// Opens the database for reading alone. Without changes that wait in a log beside it, not even locks are taken.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let immutable = if Path::new(&log).exists() { "" } else { "&immutable=1" };
    let address: String = path.to_string_lossy().bytes().map(escaped).collect();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(format!("file:{address}?mode=ro{immutable}"), flags)?;
    // Views of a stranger call no functions that could do more than compute.
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

fn escaped(byte: u8) -> String {
    match byte {
        b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    }
}

fn choose(source: &Source<'_>, connection: &Connection, wanted: Option<&str>) -> Result<String, LoadError> {
    const TABLES: &str = "SELECT name, type FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'view', 'virtual') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
    let read = || -> rusqlite::Result<Vec<(String, String)>> {
        connection.prepare(TABLES)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    };
    let all = read().map_err(|error| failed(source, error))?;
    if let Some(wanted) = wanted {
        let equal = |(name, _): &&(String, String)| name == wanted;
        let like = |(name, _): &&(String, String)| name.eq_ignore_ascii_case(wanted);
        if let Some((name, _)) = all.iter().find(equal).or_else(|| all.iter().find(like)) {
            return Ok(name.clone());
        }
    }

    let tables: Vec<&String> = all.iter().filter(|(_, kind)| kind != "view").map(|(name, _)| name).collect();
    match (wanted, &tables[..], &all[..]) {
        (None, [only], _) => Ok((*only).clone()),
        (None, [], [(only, _)]) => Ok(only.clone()),
        (None, [], []) => {
            let reason = "it is a database without a table".to_owned();
            Err(LoadError::Unrecognised { name: source.name.clone(), reason })
        }
        _ => Err(LoadError::Tables {
            name: source.name.clone(),
            wanted: wanted.map(str::to_owned),
            tables: all.into_iter().map(|(name, _)| name).collect(),
        }),
    }
}

fn select(table: &str) -> String {
    format!("SELECT * FROM \"{}\"", table.replace('"', "\"\""))
}

fn failed(source: &Source<'_>, error: rusqlite::Error) -> LoadError {
    LoadError::Foreign { name: source.name.clone(), format: "an SQLite database", source: error.into() }
}

impl Reader for Table<'_> {
    fn read(&mut self, each: &mut Each<'_>) -> Result<(), LoadError> {
        let source = self.source;
        (self.binary, self.cut) = (0, 0);
        let mut statement = self.connection.prepare(&select(&self.table)).map_err(|error| failed(source, error))?;
        let mut rows = statement.query([]).map_err(|error| failed(source, error))?;
        while let Some(row) = rows.next().map_err(|error| failed(source, error))? {
            let mut cells = Vec::with_capacity(self.columns.len());
            for at in 0..self.columns.len() {
                let cell = match row.get_ref(at).map_err(|error| failed(source, error))? {
                    ValueRef::Null => None,
                    ValueRef::Integer(whole) => Some(Cell::Integer(whole)),
                    ValueRef::Real(real) => Some(Cell::Real(real)),
                    ValueRef::Text(text) => match std::str::from_utf8(text) {
                        Ok(text) if text.trim().is_empty() => None,
                        Ok(text) => Some(Cell::Untyped(cut(text.trim(), &mut self.cut))),
                        Err(_) => {
                            self.binary += 1;
                            None
                        }
                    },
                    ValueRef::Blob(_) => {
                        self.binary += 1;
                        None
                    }
                };
                cells.extend(cell.map(|cell| (at, Cells::One(cell))));
            }
            each(Row { cells: &cells, document: None })?;
        }
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        self.columns.clone()
    }

    fn warnings(&self) -> Vec<String> {
        let count = self.binary;
        let binary = (count > 0).then(|| format!("{count} cells hold bytes that are no text; they are left empty"));
        binary.into_iter().chain(cut_warning(self.cut)).collect()
    }
}
