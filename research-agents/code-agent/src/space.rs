//! The code base as actions see it: files of the scope, read through the jail of the library.

mod span;
mod view;

pub use self::span::{MAX_CONTENT, MAX_SPAN_LINES, lines_of};
pub use self::view::{SpaceError, View};
