//! The computation of each class of questions.

mod absent;
mod definition;
mod uses;
mod implementors;
mod outcomes;
mod other;
mod value;
mod key;
mod texts;
mod change;
mod path;
mod list;

pub(crate) use self::absent::absent;
pub(crate) use self::change::change;
pub(crate) use self::definition::definition;
pub(crate) use self::implementors::{implementors, standard_interface};
pub(crate) use self::key::config_key;
pub(crate) use self::list::list;
pub(crate) use self::other::other;
pub(crate) use self::outcomes::{raises, returns};
pub(crate) use self::path::{callees, path};
pub(crate) use self::texts::{commands, environment, events, is_textual, message, text, textual};
pub(crate) use self::uses::{callers, uses};
pub(crate) use self::value::{value, value_by_words};
