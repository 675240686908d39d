//! The programming languages whose structure is known, and their files.

mod grammar;
mod language;

pub(crate) use self::grammar::{Grammar, grammar};
pub use self::language::{FileKind, Language};
