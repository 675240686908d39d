//! The SQLite store: its contract, its equality with the store in memory, its faults, and what it takes on the disk.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod bytes;
mod caching;
mod contract;
mod damage;
mod equality;
mod opening;
mod room;
mod support;
mod trouble;
