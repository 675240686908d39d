//! What single statements say: returns, raises, and values, read from the syntax tree of one file.

mod tree;
mod outcome;
mod value;
mod key;
mod text;

pub(crate) use self::key::{KeySite, KeyUse, key_sites};
pub(crate) use self::outcome::{Outcomes, Statement, outcomes};
pub(crate) use self::text::{Stated, stated_defaults};
pub(crate) use self::value::{ValueKind, ValueSite, document_values, value_sites};
