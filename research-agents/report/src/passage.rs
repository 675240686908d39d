//! Passages: pieces of documents on which sentences about text are based.
//!
//! A [`Document`] is a record, page, paper, file, memory or finding with its stored text, the hash
//! of what was read, and the reader that read it. A [`Passage`] is a part of the stored text, with
//! its place in bytes and lines, its hash, its section, and how it was found. The
//! [`PassageRegistry`] gives both their ids, which stay the same in every round of a run.
//!
//! ```
//! use research_agents_report::passage::{Document, Found, PassageRegistry};
//!
//! let mut passages = PassageRegistry::default();
//! let manual = Document::new("manual.md", "The pump was inspected.\nIt leaks.\n");
//! let source = passages.add_document(manual.clone());
//! assert_eq!((source.as_str(), passages.add_document(manual).as_str()), ("S1", "S1"));
//!
//! let id = passages.add(&source, 24..33, Found::by("bm25")).unwrap();
//! let passage = passages.get(&id).unwrap();
//! assert_eq!(id, "E1");
//! assert_eq!(passage.text.for_code(), "It leaks.");
//! assert_eq!((passage.lines.first, passage.lines.last), (2, 2));
//! assert!(passages.damage().is_empty());
//! ```

pub(crate) mod ids;
pub(crate) mod model;
pub(crate) mod registry;
pub mod extract;

pub use ids::IdScheme;
pub use model::{Document, Found, Lines, Origin, OriginKind, Passage, Span};
pub use registry::{Damage, PassageRegistry, UnknownSpan};
