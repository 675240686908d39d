//! Walks a tool that pages through an argument, page after page, until there is a reason to stop.
//!
//! The tool takes a cursor in an argument (`search_after` unless told otherwise) and returns the next one in its result. The
//! cursor is opaque: whatever JSON value the tool returns goes back as it is. Tools that take the number of a page or an offset
//! are walked too. [`PagerOptions::for_tool`] reads from a tool's schemas which it is.

mod answer;
mod coverage;
mod cursor;
mod infer;
mod options;
mod walk;

pub use self::coverage::Coverage;
pub use self::options::{PagerOptions, Paging};
pub use crate::paging::PagingArguments;
pub use walk::{Page, PageEnd, Pager};

#[cfg(test)]
mod tests;
