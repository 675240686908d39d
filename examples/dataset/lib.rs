//! A data set, read from a file into SQLite and served as one MCP tool.

mod data;
mod error;
mod field;
mod load;
mod query;
mod schema;
mod server;
mod store;
mod time;
mod words;

pub use data::{Dataset, Object};
pub use error::{LoadError, QueryError};
pub use field::{Field, FieldKind};
pub use load::{LoadOptions, Stop, load, load_with, parse, shipped};
pub use query::{Query, answer};
pub use schema::{input_schema, output_schema};
pub use server::{DEFAULT_TOOL, dataset_server};

#[cfg(test)]
mod computed;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod odd_files;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
