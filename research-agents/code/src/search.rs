//! Exact search in the files of a code base.

mod exact;

pub use self::exact::{Hit, Pattern, Word};
