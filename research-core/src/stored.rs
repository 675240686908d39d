//! What a checkpoint stores beside the state, by names, and what becomes of it when the graph has changed.

mod bytes;
mod change;
mod due;

pub(crate) use bytes::{Reader, damaged, put_bytes, put_names, put_number};
pub use change::{Migration, OnChange, StoredThread};
pub(crate) use due::{Due, LAYOUT, LEFT, WOUND_UP, decode};
