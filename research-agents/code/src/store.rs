//! What is kept about contents by their hash: facts, and an index for ranked search, in one SQLite
//! database in memory or in a file outside of the code base.
//!
//! A store only saves time. One that is damaged, locked or full is left and replaced by one in
//! memory.

mod folder;
mod database;
mod keeper;

pub(crate) use self::database::{Match, Stored, Worded};
pub use self::folder::CacheAt;
pub(crate) use self::keeper::Store;
