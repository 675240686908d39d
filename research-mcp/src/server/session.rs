//! What is known of one client.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock};

use rmcp::RoleServer;
use rmcp::service::Peer;

use super::log::LogLevel;

/// What belongs to one client of a connection that lasts.
#[derive(Default)]
pub(super) struct Session {
    pub(super) peer: OnceLock<Peer<RoleServer>>,
    /// What the client wants to read of the log, if it said so.
    pub(super) level: Mutex<Option<LogLevel>>,
    /// Addresses that it wants to hear about.
    pub(super) subscribed: Mutex<BTreeSet<String>>,
}
