//! Questions about words: records whose texts say something, and values that are called so.

mod expression;
mod index;
mod lookup;
mod search;
mod spelling;

pub(in super::super) use lookup::LOOKUPS;
pub(super) use lookup::Lookup;
pub(in super::super) use search::MATCHES;
pub(super) use search::Search;
