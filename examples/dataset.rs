//! A data set in memory, read from a CSV, JSON or JSONL file and served as one MCP tool.

mod aggregate;
mod cursor;
mod decode;
mod delimited;
mod error;
mod field;
mod filter;
mod identity;
mod json;
mod load;
mod query;
mod schema;
mod server;
mod time;

use serde_json::{Map, Value};

pub use self::error::{LoadError, QueryError};
pub use self::field::{Field, FieldKind};
pub use self::load::{load, parse, shipped};
pub use self::query::{Query, answer};
pub use self::schema::{input_schema, output_schema};
pub use self::server::{DEFAULT_TOOL, dataset_server};

/// A JSON object.
pub type Object = Map<String, Value>;

/// A table of records.
///
/// `documents[n]` is the n-th record as a client sees it, and `fields[f].cells[n]` what it holds in a field. Nested objects of a
/// JSON file are fields with dotted names, and stay nested in the documents.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// Name, from the file's name without its extension.
    pub name: String,
    /// The columns, in the order of the file.
    pub fields: Vec<Field>,
    /// The records in file order, each with its id.
    pub documents: Vec<Object>,
    /// Member of a document that holds its id.
    pub id_field: String,
    /// The id is the number of the record, counted from 1, because the file has no id column.
    pub numbered: bool,
    /// What was odd about the file, for people.
    pub warnings: Vec<String>,
}

impl Dataset {
    /// A field by its name: exactly, else without regard to case.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name).or_else(|| {
            let lower = name.trim().to_lowercase();
            self.fields.iter().find(|field| field.name.trim().to_lowercase() == lower)
        })
    }

    /// A field by its name, or the error that lists the names there are.
    pub(crate) fn require(&self, name: &str, argument: &str) -> Result<&Field, QueryError> {
        self.field(name).ok_or_else(|| {
            let known: Vec<String> = self.fields.iter().map(|field| field.name.clone()).collect();
            QueryError::UnknownField { argument: argument.to_owned(), name: name.trim().to_owned(), known }
        })
    }
}

#[cfg(test)]
mod odd_files;
#[cfg(test)]
mod tests;
