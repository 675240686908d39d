//! What single statements say: returns, raises, and values, read from the syntax tree of one file.

mod tree;
mod outcome;
mod value;
mod table;
mod exports;
mod key;
mod text;

pub(crate) use self::exports::exports_of;
pub(crate) use self::key::{KeySite, KeyUse, key_sites};
pub(crate) use self::outcome::{Outcomes, Statement, outcomes};
pub(crate) use self::table::{NamedValue, entries_at, named_values};
pub(crate) use self::text::stated_defaults;
pub(crate) use self::value::{ValueKind, document_values, value_sites};
