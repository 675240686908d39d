//! What earlier research found, searched by words and optionally by meaning.
//!
//! ```
//! use research_agents_sources::memory::{FindingsMemory, RememberedFinding};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), research_agents_sources::memory::MemoryError> {
//! let mut memory = FindingsMemory::new();
//! memory.add("thread-1", RememberedFinding::new("The seal of the pump is worn.", "manual.pdf"));
//! memory.add("thread-2", RememberedFinding::new("The seal is new.", "other.pdf"));
//!
//! let found = memory.search("thread-1", "worn seals", 5).await?;
//! assert_eq!(found.len(), 1);
//! assert_eq!(found[0].finding.source, "manual.pdf");
//! # Ok(()) }
//! ```
//!
//! **Architecture Invariant:** a search sees the findings of one thread only, and the same
//! findings give the same order.

pub(crate) mod findings;

pub use findings::{FindingsMemory, MemoryError, Recalled, RememberedFinding};
