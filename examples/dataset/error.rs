//! Why a file could not be read, and why a query was refused.

use std::error::Error;
use std::io;
use std::path::PathBuf;

/// Why a file could not be read as a data set.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file holds nothing.
    #[error("`{name}` is empty; a CSV file needs at least a line of column names")]
    Empty {
        /// Name of the data set.
        name: String,
    },
    /// The file is binary or prose.
    #[error("`{name}` is neither CSV, a JSON array of objects, nor JSON lines: {reason}")]
    Unrecognised {
        /// Name of the data set.
        name: String,
        /// What speaks against it.
        reason: String,
    },
    /// The file is JSON with a mistake in it.
    #[error("`{name}` is not valid JSON at line {line}: {reason}")]
    Json {
        /// Name of the data set.
        name: String,
        /// 1-based line in the file.
        line: usize,
        /// What the parser said.
        reason: String,
    },
    /// The file is delimited text with a mistake in it.
    #[error("`{name}` cannot be read as CSV: {source}")]
    Csv {
        /// Name of the data set.
        name: String,
        /// What the parser said.
        source: csv::Error,
    },
    /// A line has more cells than the header has columns.
    #[error(
        "`{name}`, line {line}: {cells} cells under {columns} column names; quote the cells that hold the delimiter {delimiter:?}"
    )]
    TooManyCells {
        /// Name of the data set.
        name: String,
        /// 1-based line in the file.
        line: u64,
        /// Cells of that line.
        cells: usize,
        /// Columns of the header.
        columns: usize,
        /// The delimiter that was detected.
        delimiter: char,
    },
    /// The path leads to something that cannot be read twice, or has no end.
    #[error("{} is {what}; name a regular file, or `-` for standard input", path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The file is larger than allowed.
    #[error("`{name}` has more than {limit} bytes; allow more with --max-size, or take a part of it")]
    TooLarge {
        /// Name of the data set.
        name: String,
        /// The bytes that are allowed.
        limit: u64,
    },
    /// The database in which the records are kept failed, such as for want of space for temporary files.
    #[error(
        "`{name}` cannot be stored: {source}; check that there is space for temporary files (SQLITE_TMPDIR names their folder)"
    )]
    Store {
        /// Name of the data set.
        name: String,
        /// What the database said.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A database has no table of this name, or several and none was named.
    #[error("`{name}` {}; name one with --table: {}", wanted.as_ref().map_or("has several tables".to_owned(), |wanted| format!("has no table {wanted:?}")), tables.join(", "))]
    Tables {
        /// Name of the data set.
        name: String,
        /// The table that was named.
        wanted: Option<String>,
        /// Names of the tables and views.
        tables: Vec<String>,
    },
    /// A database or Parquet file cannot be read.
    #[error("`{name}` cannot be read as {format}: {source}")]
    Foreign {
        /// Name of the data set.
        name: String,
        /// Name of the format.
        format: &'static str,
        /// What its reader said.
        source: Box<dyn Error + Send + Sync>,
    },
    /// This program was built without a format.
    #[error("`{name}` is a {format} file, which this program was built without; build it with --features {feature}")]
    LeftOut {
        /// Name of the data set.
        name: String,
        /// Name of the format.
        format: &'static str,
        /// The feature of the build.
        feature: &'static str,
    },
    /// Reading was stopped.
    #[error("`{name}`: reading was stopped")]
    Stopped {
        /// Name of the data set.
        name: String,
    },
    /// A quoted cell has no end.
    #[error(
        "`{name}`, line {line}: a quote that opens here is never closed; close it, or write a quote in a cell as \"\""
    )]
    OpenQuote {
        /// Name of the data set.
        name: String,
        /// 1-based line in the file.
        line: u64,
    },
}

/// Why a query was refused. The texts are written for the model or program that sent it.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The tool has no such argument.
    #[error("unknown argument `{name}`{}; the arguments are: {}", suggest(name, known), known.join(", "))]
    UnknownArgument {
        /// The argument.
        name: String,
        /// The arguments there are.
        known: Vec<String>,
    },
    /// An argument has a wrong type or value.
    #[error("argument `{argument}`: {reason}")]
    Argument {
        /// The argument.
        argument: String,
        /// What is wrong and what is expected.
        reason: String,
    },
    /// The data set has no such field.
    #[error(
        "argument `{argument}`: the data set has no field `{name}`{}; its fields are: {}",
        suggest(name, known), known.join(", ")
    )]
    UnknownField {
        /// The argument that named it.
        argument: String,
        /// The field.
        name: String,
        /// The fields there are.
        known: Vec<String>,
    },
    /// The database in which the records are kept failed.
    #[error("the records could not be read: {source}; ask again, or start the server again")]
    Store {
        /// What the database said.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl QueryError {
    pub(crate) fn store(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Store { source: source.into() }
    }

    pub(crate) fn argument(argument: &str, reason: impl Into<String>) -> Self {
        Self::Argument { argument: argument.to_owned(), reason: reason.into() }
    }
}

/// From this Jaro-Winkler similarity (0 to 1) on a name is offered as what was meant.
const SIMILAR: f64 = 0.8;

/// Longest name, in bytes, to which others are compared.
const COMPARED: usize = 200;

/// ` (did you mean …?)` with the nearest name, or nothing.
fn suggest(name: &str, known: &[String]) -> String {
    if name.len() > COMPARED {
        return String::new();
    }
    let name = name.to_lowercase();
    known
        .iter()
        .map(|known| (strsim::jaro_winkler(&known.to_lowercase(), &name), known))
        .filter(|(score, _)| *score >= SIMILAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(String::new, |(_, known)| format!(" (did you mean `{known}`?)"))
}
