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
mod numbers;
mod row;
mod source;
mod summary;

use std::path::Path;

use super::data::Dataset;
use super::error::LoadError;
pub(super) use numbers::number;
use row::Reader;
use source::Source;

/// The data set that comes with the examples: 10,000 wildlife strikes, see `data/README.md`.
///
/// # Errors
///
/// None in practice: the file is part of the program.
pub fn shipped() -> Result<Dataset, LoadError> {
    parse("birdstrikes", include_bytes!("../data/birdstrikes.csv"), Some("csv"))
}

/// How a file is read.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Most bytes of the file.
    pub max_bytes: u64,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { max_bytes: 4 << 30 }
    }
}

/// Reads a file.
///
/// # Errors
///
/// When the file cannot be read, or is neither delimited text, nor a JSON array of objects, nor JSON lines.
pub fn load(path: &Path) -> Result<Dataset, LoadError> {
    load_with(path, &LoadOptions::default())
}

/// Reads a file with options.
///
/// # Errors
///
/// As for [`load`].
pub fn load_with(path: &Path, options: &LoadOptions) -> Result<Dataset, LoadError> {
    let source = Source::open(path, options.max_bytes)?;
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    read(&source, extension.as_deref())
}

/// Reads the content of a file. `extension` is a hint, in lower case; the content decides.
///
/// # Errors
///
/// As for [`load`].
pub fn parse(name: &str, bytes: &[u8], extension: Option<&str>) -> Result<Dataset, LoadError> {
    read(&Source::bytes(name, bytes), extension)
}

fn read(source: &Source<'_>, extension: Option<&str>) -> Result<Dataset, LoadError> {
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
        '[' | '{' => match json(source, &text, lines) {
            // A header may begin with a bracket: `[id],[name]`.
            Err(LoadError::Json { .. }) if delimited => table(source, &text, true)?,
            dataset => dataset?,
        },
        // Only JSON can be meant; the parser says where it goes wrong.
        _ if lines || extension == Some("json") => json(source, &text, lines)?,
        _ => table(source, &text, delimited)?,
    };
    dataset.warnings.extend(text.warning);
    Ok(dataset)
}

fn json(source: &Source<'_>, text: &decode::Text, lines: bool) -> Result<Dataset, LoadError> {
    store(source, &mut json::Records::open(source, text, lines)?)
}

fn table(source: &Source<'_>, text: &decode::Text, certain: bool) -> Result<Dataset, LoadError> {
    store(source, &mut delimited::Table::open(source, text, certain)?)
}

/// Reads the rows twice, and describes what was stored.
fn store(source: &Source<'_>, reader: &mut dyn Reader) -> Result<Dataset, LoadError> {
    let mut columns = columns::Columns::default();
    reader.read(&mut |row| {
        columns.add(&row);
        Ok(())
    })?;

    let typed = columns.decide(reader.names());
    let mut dataset = fill::fill(&source.name, typed, reader)?;
    dataset.warnings.extend(reader.warnings());
    summary::summarise(&mut dataset)?;
    identity::identify(&mut dataset);
    Ok(dataset)
}
