//! Languages: their codes and names, the language of a question, the texts of the program, and how
//! numbers are written.
//!
//! ```
//! use research_agents_report::language::Language;
//!
//! let german: Language = "de".parse()?;
//! assert_eq!((german.code(), german.name(), german.own_name()), ("de", "German", "Deutsch"));
//!
//! let asked = Language::detect("Welche Vögel werden am häufigsten getroffen?", []);
//! assert_eq!(asked, Some(german));
//! assert_eq!(Language::detect("India events by theme", []), Some(Language::ENGLISH));
//! # Ok::<(), research_agents_report::language::UnknownLanguage>(())
//! ```

pub(crate) mod catalogue;
pub(crate) mod detect;
pub(crate) mod macros;
pub(crate) mod numerals;
pub(crate) mod phrase;
pub(crate) mod tag;

pub use crate::phrases;
pub use catalogue::{Catalogue, Say};
#[doc(hidden)]
pub use fluent_bundle::FluentArgs;
pub use phrase::Phrase;
pub use tag::{Language, UnknownLanguage};
