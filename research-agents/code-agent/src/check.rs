//! Checks an answer before it leaves: citations, unchanged lines, and that every name and number of
//! a sentence is in the lines that it cites.

mod claims;
mod judge;
mod names;

pub use self::claims::Fact;
pub use self::judge::{Judged, Reread, judge};
pub use self::names::{Mention, mentions};
