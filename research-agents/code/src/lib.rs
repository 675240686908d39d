//! A library for code bases: a jailed root, exact search, the structure of files in twelve
//! languages, and a ledger that accounts for every occurrence of a name. It needs no model and no
//! index, and writes nothing into the code base.
//!
//! * [`tree`]: a root that no path leaves, and the files beneath it: those that are searched, and
//!   those that are not, with the reason.
//! * [`lang`]: the languages. Each has a Cargo feature; `all-languages` enables all of them.
//! * [`facts`]: symbols, calls, imports, types, implementations, comments and strings of a file, by
//!   its syntax tree.
//! * [`search`]: whole words and regular expressions in the bytes of a file.
//! * [`ledger`]: every occurrence of a name with its class. The classes add up to the number of
//!   occurrences that a search without a syntax tree finds.
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::AtomicBool;
//!
//! use research_agents_code::ledger::account;
//! use research_agents_code::tree::{CodeRoot, CodeTree, Scope};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("a.rs"), "fn run() {}\n// run it\nfn main() { run(); }\n")?;
//!
//! let go_on = AtomicBool::new(false);
//! let tree = CodeTree::list(Arc::new(CodeRoot::open(folder.path())?), &go_on)?;
//! let ledger = account(&tree, &Scope::default(), "run", &go_on)?;
//! # #[cfg(feature = "rust")]
//! assert_eq!(
//!     ledger.sentence(),
//!     "3 occurrences in 1 of 1 file: 1 definition, 1 call, 1 in a comment."
//! );
//! # Ok(()) }
//! ```

mod error;
pub mod tree;
pub mod lang;
pub mod facts;
pub mod search;
pub mod ledger;
mod store;
pub mod base;
pub mod resolve;
pub mod question;
pub mod answer;
pub mod verify;

pub use crate::error::CodeError;
