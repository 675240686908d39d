//! Stores the checkpoints of `research-core` in an SQLite file, which survives the process.
//!
//! # Overview
//!
//! | type | purpose |
//! |---|---|
//! | [`SqliteCheckpointer`] | the store: open it with a path, or with a [`Builder`] |
//! | [`Builder`] | settings: durability, waiting for other processes, size of the file |
//! | [`Synchronous`] | the main setting: whether a completed write survives a loss of power |
//! | [`SqliteCache`] | the results of cached nodes, in the same file or in another |
//!
//! SQLite is compiled in. No async runtime is needed, because dedicated threads serve the file.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use std::time::SystemTime;
//!
//! use research_core::checkpoint::{
//!     Batch, CheckpointId, CheckpointRecord, Checkpointer, Header, Origin, StoreError, ThreadKey,
//! };
//! use research_core_sqlite::SqliteCheckpointer;
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let directory = tempfile::tempdir()?;
//! let store = SqliteCheckpointer::open(directory.path().join("threads.db")).await?;
//!
//! // A writer claims the thread, and may then write to it.
//! let key = ThreadKey::root("t-1");
//! let claim = store.claim(&key, None).await?;
//! let first = CheckpointId(1);
//! let (now, origin) = (SystemTime::now(), Origin::Input);
//! let (metadata, next) = (Arc::default(), Vec::new());
//! let header = Header::new(first, None, first, "run-1".into(), now, 0, origin, metadata, next);
//! let mut batch = Batch::default();
//! batch.checkpoints.push(CheckpointRecord::new(header, b"the state".to_vec()));
//! store.put(&key, claim.epoch, batch).await?;
//!
//! // A process that opens the file later reads it.
//! drop(store);
//! let store = SqliteCheckpointer::open(directory.path().join("threads.db")).await?;
//! let loaded = store.read(&key, None).await?.ok_or("the thread is there")?;
//! assert_eq!(loaded.bodies, [b"the state"]);
//! # Ok(()) }
//! # futures::executor::block_on(run()).unwrap();
//! ```
//!
//! # Costs
//!
//! Each write is a commit: with [`Synchronous::Full`] it waits for the disk. Writes that wait at
//! the same time are committed together. A checkpoint takes its body and about twenty bytes.
//! Deleted space is reused.

mod builder;
mod store;
mod cache;
mod worker;
mod history;
mod connection;
mod schema;
mod row;
mod key;
mod error;

pub use builder::Builder;
pub use cache::SqliteCache;
pub use connection::Synchronous;
pub use store::SqliteCheckpointer;
