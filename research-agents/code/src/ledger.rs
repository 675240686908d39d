//! The ledger of a name: every occurrence in a code base, each in one class.
//!
//! Occurrences are found without a syntax tree. A tree only says what each of them is, so that a
//! file with syntax errors loses no occurrence. The sum of the classes is the number of
//! occurrences.

mod account;
mod class;
mod classify;

pub use self::account::{FileTally, Ledger, Occurrence, Unread, account};
pub(crate) use self::account::{HitFile, survey};
pub use self::class::Class;
