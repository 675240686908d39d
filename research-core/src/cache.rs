//! Where the results of cached nodes are kept: the trait of a cache, its object-safe twin, and the one in memory.

mod memory;
mod store;

pub use memory::MemoryCache;
pub use store::Cache;
pub(crate) use store::DynCache;
