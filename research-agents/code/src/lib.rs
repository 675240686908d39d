//! A library that answers questions about a code base without a model: where a name is defined, who
//! calls it, what it returns, its default, what changed. It writes nothing into the code base and
//! needs no index: an answer is about the files as they are when the question is asked.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use research_agents_code::answer::answer;
//! use research_agents_code::base::{CacheAt, CodeBase};
//! use research_agents_code::tree::Scope;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # if !cfg!(feature = "rust") { return Ok(()); }
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("a.rs"), "/// Defaults to 5.\nconst LIMIT: u8 = 7;\n")?;
//!
//! let base = CodeBase::open(folder.path(), &CacheAt::Memory)?;
//! let go_on = AtomicBool::new(false);
//! let found = answer(&base, "What is the value of `LIMIT`?", &Scope::default(), &go_on)?;
//! assert_eq!(found.sentences[0].text, "`LIMIT` is `7` (`a.rs`, line 2).");
//! assert!(found.sentences[1].text.starts_with("A text contradicts the code: it states `5`"));
//! # Ok(()) }
//! ```
//!
//! * [`tree`]: a root that no path leaves, and the files beneath it: those that are searched, and
//!   those that are not, with the reason.
//! * [`lang`]: the languages. Each has a Cargo feature; `all-languages` enables all of them.
//! * [`facts`]: symbols, calls, imports, types, implementations, comments and strings of a file, by
//!   its syntax tree.
//! * [`search`]: whole words and regular expressions in the bytes of a file; the documents of
//!   ranked search.
//! * [`ledger`]: every occurrence of a name with its class. The classes add up to the number of
//!   occurrences that a search without a syntax tree finds.
//! * [`base`]: the handle on a code base, its files when a question is asked, and ranked search.
//! * [`resolve`]: definitions and uses of a name, with how sure each link is.
//! * [`question`]: the class of a question and the names in it.
//! * [`answer`](mod@answer): sentences with typed claims and the lines that show them.
//! * [`verify`](mod@verify): the check of an answer, without syntax trees.
//!
//! The account of a name alone:
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
