//! The programming languages whose structure is known, and how their files are recognised.

mod grammar;
mod language;

pub(crate) use self::grammar::{Grammar, grammar};
pub use self::language::{FileKind, Language};
