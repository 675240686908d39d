//! Exact search in the files of a code base, and the words of code for ranked search.

mod exact;
mod tokens;

pub use self::exact::{Hit, Pattern, Word};
pub use self::tokens::split_identifier;
pub(crate) use self::tokens::stem;
