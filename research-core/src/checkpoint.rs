//! Checkpoints as a store sees them: records of bytes, and the trait that keeps them.
//!
//! The engine turns a state into bytes and back; a store keeps rows and never needs to know the state's type. To write a
//! store of your own implement [`Checkpointer`] and run the `contract` suite (feature `testing`) against it.

mod body;
mod chain;
mod durability;
mod error;
mod lease;
mod memory;
pub(crate) mod namespace;
pub(crate) mod packed;
mod record;
mod store;

pub use body::squash;
pub(crate) use body::{BodyWriter, Op, chunks, fields};
pub use chain::{Rewrite, admit, rewrites};
pub use durability::Durability;
pub use error::{StoreError, StoreErrorKind};
pub use lease::{Lease, LeaseReply};
pub use memory::MemoryCheckpointer;
pub use record::{
    Batch, CheckpointId, CheckpointRecord, Claim, Header, Loaded, Metadata, Origin, Prune, Query, RecordKey,
    RecordKind, Seen, TaskRecord, ThreadKey,
};
pub use store::Checkpointer;
pub(crate) use store::DynCheckpointer;
