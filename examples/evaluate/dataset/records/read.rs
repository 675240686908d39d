//! Reads data files: delimited text with a header, a JSON array of objects, or one object a line.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use super::{Records, Row, time, value};

/// How R writes an empty cell.
const NOT_AVAILABLE: &str = "NA";

/// A data file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is no delimited text.
    #[error("{file} is not delimited text: {source}")]
    Csv {
        /// Name of the file.
        file: String,
        /// What is wrong.
        source: csv::Error,
    },
    /// It is no JSON.
    #[error("{file} is not JSON as it should be: {source}")]
    Json {
        /// Name of the file.
        file: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A record has no id.
    #[error("{file}: record {number} has nothing in the id column `{column}`")]
    NoId {
        /// Name of the file.
        file: String,
        /// Number of the record, from 1.
        number: usize,
        /// The column.
        column: String,
    },
}

impl Records {
    /// Reads the content of a file; what it is follows from the ending of its name: `.json`, `.jsonl`, else delimited text.
    ///
    /// A record's id is its value in the column `id`, or in one called so when none is given, else its number from 1.
    ///
    /// # Errors
    /// When it is not what its name says, or a record has no id.
    pub fn parse(file: &str, bytes: &[u8], id: Option<&str>, delimiter: char) -> Result<Self, ReadError> {
        let json = |source| ReadError::Json { file: file.to_owned(), source };
        let (columns, mut all) = if file.ends_with(".json") {
            flattened(serde_json::from_slice(bytes).map_err(json)?)
        } else if file.ends_with(".jsonl") {
            let objects = serde_json::Deserializer::from_slice(bytes).into_iter().collect::<Result<_, _>>();
            flattened(objects.map_err(json)?)
        } else {
            delimited(bytes, delimiter).map_err(|source| ReadError::Csv { file: file.to_owned(), source })?
        };
        for column in &columns {
            time::iso_dates(all.iter_mut().filter_map(|cells| cells.get_mut(column)));
        }
        let ids = match id {
            Some(column) => declared_ids(file, &all, column)?,
            None => columns.iter().find(|column| column.eq_ignore_ascii_case("id")).and_then(|id| ids_in(&all, id)),
        };
        // Where no column tells the records apart, a data source numbers them.
        let ids = ids.unwrap_or_else(|| (1..=all.len()).map(|number| number.to_string()).collect());
        let rows = ids.into_iter().zip(all).map(|(id, cells)| Row { id, cells }).collect();
        Ok(Self { columns, rows })
    }
}

/// The ids in the column that a set of cases declares; `None` when two records have the same.
fn declared_ids(file: &str, all: &[Cells], column: &str) -> Result<Option<Vec<String>>, ReadError> {
    match all.iter().position(|cells| !cells.contains_key(column)) {
        Some(at) => Err(ReadError::NoId { file: file.to_owned(), number: at + 1, column: column.to_owned() }),
        None => Ok(ids_in(all, column)),
    }
}

/// What a column holds, when every record has a value there and no two the same.
fn ids_in(all: &[Cells], column: &str) -> Option<Vec<String>> {
    let ids: Vec<String> = all.iter().map(|cells| cells.get(column).map(value::shown)).collect::<Option<_>>()?;
    let distinct: HashSet<&String> = ids.iter().collect();
    (distinct.len() == ids.len()).then_some(ids)
}

type Cells = BTreeMap<String, Value>;

fn delimited(bytes: &[u8], delimiter: char) -> Result<(Vec<String>, Vec<Cells>), csv::Error> {
    let delimiter = u8::try_from(delimiter).unwrap_or(b',');
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).trim(csv::Trim::All).from_reader(bytes);
    let header = reader.headers()?.iter().enumerate();
    // A column without a name is called by its place.
    let named = header.map(|(at, name)| if name.is_empty() { format!("column_{}", at + 1) } else { name.to_owned() });
    let columns: Vec<String> = named.collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record?;
        // A short line has no value in its last columns.
        let cells = columns.iter().zip(record.iter()).filter(|(_, cell)| !cell.is_empty() && *cell != NOT_AVAILABLE);
        rows.push(cells.map(|(column, cell)| (column.clone(), Value::String(cell.to_owned()))).collect());
    }
    Ok((columns, rows))
}

fn flattened(objects: Vec<Map<String, Value>>) -> (Vec<String>, Vec<Cells>) {
    let mut columns: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for object in objects {
        let mut cells = Vec::new();
        flatten("", object, &mut cells);
        for (name, _) in &cells {
            if !columns.contains(name) {
                columns.push(name.clone());
            }
        }
        rows.push(cells.into_iter().filter(|(_, value)| !value::shown(value).trim().is_empty()).collect());
    }
    (columns, rows)
}

fn flatten(prefix: &str, object: Map<String, Value>, cells: &mut Vec<(String, Value)>) {
    for (name, value) in object {
        let name = format!("{prefix}{name}");
        match value {
            Value::Object(inner) => flatten(&format!("{name}."), inner, cells),
            value => {
                cells.extend(inside(&name, &value));
                cells.push((name, value));
            }
        }
    }
}

/// Returns the fields of the objects of a list, each with the values of all of them.
fn inside(name: &str, list: &Value) -> BTreeMap<String, Value> {
    let mut all = Vec::new();
    for item in list.as_array().into_iter().flatten() {
        if let Value::Object(object) = item {
            flatten(&format!("{name}."), object.clone(), &mut all);
        }
    }

    let mut fields = BTreeMap::<String, Vec<Value>>::new();
    for (field, value) in all {
        fields.entry(field).or_default().push(value);
    }
    fields.into_iter().map(|(field, values)| (field, Value::Array(values))).collect()
}
