//! Reads a file into a data set, deciding by its content what it is.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::error::LoadError;
use super::field::Field;
use super::{Dataset, Object, decode, delimited, identity, json};

/// The data set that comes with the examples: 10,000 wildlife strikes, see `data/README.md`.
///
/// # Errors
///
/// None in practice: the file is part of the program.
pub fn shipped() -> Result<Dataset, LoadError> {
    parse("birdstrikes", include_bytes!("../data/birdstrikes.csv"), Some("csv"))
}

/// Reads a file.
///
/// # Errors
///
/// When the file cannot be read, or is neither delimited text, nor a JSON array of objects, nor JSON lines.
pub fn load(path: &Path) -> Result<Dataset, LoadError> {
    let bytes = std::fs::read(path).map_err(|source| LoadError::Read { path: path.to_owned(), source })?;
    let name = path.file_stem().map_or_else(|| "data".to_owned(), |name| name.to_string_lossy().into_owned());
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    parse(&name, &bytes, extension.as_deref())
}

/// Reads the content of a file. `extension` is a hint, in lower case; the content decides.
///
/// # Errors
///
/// As for [`load`].
pub fn parse(name: &str, bytes: &[u8], extension: Option<&str>) -> Result<Dataset, LoadError> {
    let (text, warning) = decode::decode(bytes);
    let Some(first) = text.trim_start().chars().next() else {
        return Err(LoadError::Empty { name: name.to_owned() });
    };
    if text.contains('\0') {
        let reason = "it holds binary data".to_owned();
        return Err(LoadError::Unrecognised { name: name.to_owned(), reason });
    }
    let lines = matches!(extension, Some("jsonl" | "ndjson"));
    let delimited = matches!(extension, Some("csv" | "tsv" | "tab" | "psv"));
    let mut dataset = match first {
        '[' | '{' => match json::read(name, &text, lines) {
            // A header may begin with a bracket: `[id],[name]`.
            Err(LoadError::Json { .. }) if delimited => from_table(delimited::read(name, &text, true)?),
            records => from_records(records?),
        },
        _ if lines || extension == Some("json") => {
            // Only JSON can be meant; the parser says where it goes wrong.
            from_records(json::read(name, &text, lines)?)
        }
        _ => from_table(delimited::read(name, &text, delimited)?),
    };
    dataset.name = name.to_owned();
    dataset.warnings.extend(warning);
    identity::identify(&mut dataset);
    Ok(dataset)
}

fn from_table(table: delimited::Table) -> Dataset {
    let mut columns: Vec<Vec<Option<String>>> = table.columns.iter().map(|_| Vec::new()).collect();
    for row in table.rows {
        for (column, cell) in columns.iter_mut().zip(row) {
            column.push(cell);
        }
    }
    let fields: Vec<Field> =
        table.columns.into_iter().zip(columns).map(|(name, texts)| Field::untyped(name, texts)).collect();
    let count = fields.first().map_or(0, |field| field.cells.len());
    let document = |record: usize| -> Object {
        fields.iter().map(|field| (field.name.clone(), field.cells[record].clone())).collect()
    };
    Dataset { documents: (0..count).map(document).collect(), fields, warnings: table.warnings, ..Dataset::default() }
}

fn from_records(documents: Vec<Object>) -> Dataset {
    let mut columns: Vec<(String, Vec<Value>)> = Vec::new();
    let mut known = HashMap::new();
    for (record, document) in documents.iter().enumerate() {
        for (name, value) in json::flatten(document) {
            let at = *known.entry(name.clone()).or_insert_with(|| {
                columns.push((name, Vec::new()));
                columns.len() - 1
            });
            let cells = &mut columns[at].1;
            cells.resize(record, Value::Null);
            cells.push(value);
        }
    }
    let field = |(name, mut cells): (String, Vec<Value>)| {
        cells.resize(documents.len(), Value::Null);
        Field::typed(name, cells)
    };
    Dataset { fields: columns.into_iter().map(field).collect(), documents, ..Dataset::default() }
}
