//! What a checkpoint stores beside the state, by names, and what becomes of it when the graph has changed.

mod bytes;
mod change;
mod due;

pub(crate) use bytes::{Reader, damaged, put_bytes, put_names, put_number};
pub use change::{Migration, OnChange, StoredThread};
pub use due::SubgraphMemory;
pub(crate) use due::{CallName, Due, LAYOUT, LEFT, Memories, UNKNOWN_MEMORIES, WOUND_UP, decode};
