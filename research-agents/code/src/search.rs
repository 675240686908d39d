//! Exact search in the files of a code base, and the documents and words of ranked search.

mod exact;
mod tokens;
mod documents;

pub use self::documents::{Document, documents};
pub(crate) use self::documents::{query_words, words};
pub use self::exact::{Hit, Pattern, Word};
pub use self::tokens::split_identifier;
