//! The programming languages whose structure is known, and how their files are recognised.

mod language;
mod role;
mod grammar;

pub(crate) use self::grammar::{Grammar, grammar};
pub use self::language::{FileKind, Language};
pub(crate) use self::role::NodeRole;
