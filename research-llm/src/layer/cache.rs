//! A cache of answers: the same request to the same model is asked once.

mod cached;
mod flight;
mod key;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;

pub use cached::{Cache, Cached};
pub use key::CacheKey;
pub use memory::MemoryCache;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteResponseCache;
pub use store::ResponseCache;

pub(super) use cached::is_hit;
