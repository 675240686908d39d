//! The code agent through its public API, and through its programs as real processes.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod actions;
mod answers;
mod bundles;
mod firewall;
mod language_servers;
mod limits;
mod loops;
mod project;
mod registry;
mod resumed;
mod roots;
mod server;
mod store;
mod verification;
