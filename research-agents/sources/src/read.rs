//! Readers: files of many formats as text with blocks, headings, title, date and language.
//!
//! [`read`] recognises the format of a file and reads it within [limits](ReadLimits). The result is
//! a [`ReadDocument`]: one text, and blocks that are byte ranges of it. Text that a person does not
//! see (hidden elements, comments, scripts, zero-width characters) is not part of it.
//!
//! ```
//! use research_agents_sources::read::{Format, ReadLimits, read};
//!
//! let page = b"# Pumps\n\nThe seal is *worn*. <!-- ignore me -->\n";
//! let document = read(page, Some(Format::Markdown), &ReadLimits::default())?;
//!
//! assert_eq!(document.title.for_code(), "Pumps");
//! let block = &document.blocks[1];
//! assert_eq!(document.slice(&block.range), "The seal is worn.");
//! assert_eq!(document.heading_path(block), ["Pumps"]);
//! # Ok::<(), research_agents_sources::read::ReadError>(())
//! ```
//!
//! **Architecture Invariant:** a reader sees bytes only: it opens no file and no address. A reader
//! that panics, hangs or fails costs its own file and nothing else.

pub(crate) mod document;
pub(crate) mod error;
pub(crate) mod limits;
pub(crate) mod format;
pub(crate) mod encoding;
pub(crate) mod builder;
pub(crate) mod formats;
pub(crate) mod isolate;
pub(crate) mod reader;

pub(crate) use formats::about::date_in;

pub use document::{Block, BlockKind, ReadDocument, ReadNote, ReaderId, Section};
pub use encoding::{Decoded, decode};
pub use error::ReadError;
pub use format::Format;
pub use isolate::abandoned_readers;
pub use limits::ReadLimits;
pub use reader::{read, read_as, reader_of};
