//! Folders of documents: what is read, what is not, and ranked passages.
//!
//! A [`Corpus`] is a folder with a name. Every file below it is read or listed as not read with the
//! reason. Its index is kept by the hash of the files' content, in memory or in a file of the
//! user's cache directory, so that only what changed is read again.
//!
//! ```
//! use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec};
//!
//! # let folder = tempfile::tempdir()?;
//! # std::fs::write(folder.path().join("pump.md"), "# Pumps\n\nThe seal of the pump is worn.\n")?;
//! # std::fs::write(folder.path().join("photo.bin"), [0, 1, 2])?;
//! # let path = folder.path().display().to_string();
//! let spec: CorpusSpec = format!("manuals={path}").parse()?;
//! let corpus = Corpus::open(&spec, &CorpusOptions::default())?;
//!
//! let hits = corpus.search("worn seals", 5);
//! assert_eq!(hits[0].document, "pump.md");
//! assert_eq!(hits[0].headings, ["Pumps"]);
//!
//! let not_read = &corpus.report().not_read[0];
//! assert_eq!((not_read.path.as_str(), not_read.reason.code()), ("photo.bin", "unknown_format"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Architecture Invariant:** nothing outside of the folder is opened. Symbolic links are not
//! followed, and a document is found by its entry in the index and never by a path from outside.

pub(crate) mod spec;
pub(crate) mod jail;
pub(crate) mod passages;
pub(crate) mod index;
pub(crate) mod store;
pub(crate) mod files;
pub(crate) mod folder;

pub use files::{FileRead, IndexReport, NotRead, NotReadReason};
pub use folder::{Corpus, CorpusOptions, IndexPlace, PassageHit};
pub use jail::{Jail, JailError};
pub use passages::{PassageSpan, passages_of};
pub use spec::{CorpusError, CorpusSpec};
