//! Keeps the checkpoints of `research-core` in an SQLite file, which survives the process.
//!
//! # Overview
//!
//! * [`SqliteCheckpointer`] — the store; open it with a path, or through [`SqliteCheckpointer::builder`].
//! * [`SqliteCache`] — keeps the results of cached nodes, in the same file or in one of its own.
//! * [`Builder`] — what can be chosen: how durable a write is, how long to wait for other processes, how large the file may be.
//! * [`Synchronous`] — the one choice that matters: does a write that was reported as done survive a loss of power?
//!
//! SQLite is compiled in. No async runtime is needed: the file is served by threads of its own.
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
//! // A writer takes the thread over, and may then write to it.
//! let key = ThreadKey::root("t-1");
//! let claim = store.claim(&key, None).await?;
//! let first = CheckpointId(1);
//! let header =
//!     Header::new(first, None, first, "run-1".into(), SystemTime::now(), 0, Origin::Input, Arc::default(), Vec::new());
//! let mut batch = Batch::default();
//! batch.checkpoints.push(CheckpointRecord::new(header, b"the state".to_vec()));
//! store.put(&key, claim.epoch, batch).await?;
//!
//! // Whoever opens the file later reads it.
//! drop(store);
//! let store = SqliteCheckpointer::open(directory.path().join("threads.db")).await?;
//! let loaded = store.read(&key, None).await?.ok_or("the thread is there")?;
//! assert_eq!(loaded.bodies, [b"the state"]);
//! # Ok(()) }
//! # futures::executor::block_on(run()).unwrap();
//! ```
//!
//! # What it costs
//!
//! A write is a commit: with [`Synchronous::Full`] it waits for the disk. Writes of several threads that wait at the same time are
//! committed together. A checkpoint takes its body and some twenty bytes; room that was deleted is used again.

mod builder;
mod cache;
mod connection;
mod error;
mod key;
mod put;
mod read;
mod reader;
mod remove;
mod row;
mod schema;
mod store;
mod writer;

pub use builder::Builder;
pub use cache::SqliteCache;
pub use connection::Synchronous;
pub use store::SqliteCheckpointer;
