//! Which fields of an unknown record are its id, title, address, snippet, date and text.

mod infer;
mod locate;
mod map;
mod mapping;
mod path;
mod reader;
mod schema;
mod table;

pub use self::reader::DocumentReader;
pub use map::FieldMap;
pub use mapping::FieldMapping;

pub(crate) use self::locate::holds_records;
