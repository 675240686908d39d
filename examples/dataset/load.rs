//! Reads a file into a data set, deciding by its content what it is.
//!
//! Every file is read twice: the first pass finds the columns and their types, the second stores the cells. Neither keeps the records in
//! memory.

mod columns;
mod decode;
mod delimited;
mod fill;
mod identity;
mod json;
mod names;
mod nested;
mod numbers;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
mod row;
mod source;
mod spelling;
mod sqlite;
mod summary;

use std::path::Path;

use super::data::Dataset;
use super::error::LoadError;
use row::Reader;
use source::{Magic, Source};

pub(super) use numbers::number;
pub use options::{LoadOptions, Stop};

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
/// When the file cannot be read, or is neither delimited text, nor a JSON array of objects, nor JSON lines, nor a database with one
/// table.
pub fn load(path: &Path) -> Result<Dataset, LoadError> {
    load_with(path, &LoadOptions::default())
}

/// Reads a file with options. The path `-` is standard input.
///
/// # Errors
///
/// As for [`load`], and when reading was stopped.
pub fn load_with(path: &Path, options: &LoadOptions) -> Result<Dataset, LoadError> {
    let source = Source::open(path, options)?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    read(&source, extension.as_deref(), options)
}

/// Reads the content of a file. `extension` is a hint, in lower case; the content decides.
///
/// # Errors
///
/// As for [`load`].
pub fn parse(name: &str, bytes: &[u8], extension: Option<&str>) -> Result<Dataset, LoadError> {
    read(&Source::bytes(name, bytes), extension, &LoadOptions::default())
}

fn read(source: &Source<'_>, extension: Option<&str>, options: &LoadOptions) -> Result<Dataset, LoadError> {
    match source.magic()? {
        Magic::Sqlite => return store(source, &mut sqlite::Table::open(source, options.table.as_deref())?),
        Magic::Parquet => return parquet(source),
        Magic::None => {}
    }

    let text = decode::examine(source)?;
    let Some(first) = text.first else {
        return Err(LoadError::Empty { name: source.name.clone() });
    };
    if text.has_nul {
        let reason = "it holds binary data".to_owned();
        return Err(LoadError::Unrecognised { name: source.name.clone(), reason });
    }

    let lines = matches!(extension, Some("jsonl" | "ndjson"));
    let delimited = matches!(extension, Some("csv" | "tsv" | "tab" | "psv"));
    let mut dataset = match first {
        '[' | '{' => match json(source, &text, lines, options) {
            // A header may begin with a bracket: `[id],[name]`.
            Err(LoadError::Json { .. }) if delimited => table(source, &text, true)?,
            dataset => dataset?,
        },
        // Only JSON can be meant; the parser says where it goes wrong.
        _ if lines || extension == Some("json") => json(source, &text, lines, options)?,
        _ => table(source, &text, delimited)?,
    };
    dataset.warnings.extend(text.warning);
    Ok(dataset)
}

#[cfg(feature = "parquet")]
fn parquet(source: &Source<'_>) -> Result<Dataset, LoadError> {
    store(source, &mut parquet::Rows::open(source)?)
}

#[cfg(not(feature = "parquet"))]
fn parquet(source: &Source<'_>) -> Result<Dataset, LoadError> {
    Err(LoadError::LeftOut { name: source.name.clone(), format: "Parquet", feature: "parquet" })
}

fn json(source: &Source<'_>, text: &decode::Text, lines: bool, options: &LoadOptions) -> Result<Dataset, LoadError> {
    store(source, &mut json::Records::open(source, text, lines, options.skip_bad_lines)?)
}

fn table(source: &Source<'_>, text: &decode::Text, certain: bool) -> Result<Dataset, LoadError> {
    store(source, &mut delimited::Table::open(source, text, certain)?)
}

/// Reads the rows twice, and describes what was stored.
fn store(source: &Source<'_>, reader: &mut dyn Reader) -> Result<Dataset, LoadError> {
    let mut columns = columns::Columns::default();
    reader.read(&mut |row| {
        columns.add(&row);
        source.go_on()
    })?;

    let typed = columns.decide(reader.names(), reader.has_decimal_commas());
    let mut dataset = fill::fill(source, typed, reader)?;
    dataset.warnings.extend(reader.warnings());
    summary::summarise(&mut dataset)?;
    identity::identify(&mut dataset);
    Ok(dataset)
}
