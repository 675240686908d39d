//! How a connection begins, and which revision of the protocol each server spoke last, so that a server which ignores questions about it is asked once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::ProtocolVersion;
use serde::{Deserialize, Serialize};

/// How a connection begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lifecycle {
    /// Asks by `server/discover` (MCP 2026-07-28) and falls back to `initialize` when the server does not know it. A server that
    /// neither answers nor hangs up costs 9 s, or a third of [`Limits::connect`](crate::Limits::connect) if that is less, once: it is
    /// [remembered](crate::EraMemory).
    #[default]
    Auto,
    /// The handshake of MCP 2025-11-25 and before.
    Initialize,
    /// `server/discover` and nothing else.
    Discover,
}

/// Which MCP revision each server spoke last, by its name in the hub. Keep it between runs of a program: a server that answers
/// nothing but `initialize` then costs no time.
///
/// It is a hint. A server that has changed meanwhile is connected all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EraMemory {
    /// Revisions, such as `2025-11-25`, by the name of the server in the hub.
    pub servers: BTreeMap<String, String>,
}

impl EraMemory {
    /// Knows no server.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a server is known to speak a revision that begins with `initialize`.
    fn begins_with_initialize(&self, server: &str) -> bool {
        self.servers
            .get(server)
            .is_some_and(|spoken| spoken.as_str() <= ProtocolVersion::LATEST_WITH_INITIALIZE.as_str())
    }
}

/// The memory that the servers of a hub share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Eras(Arc<Mutex<EraMemory>>);

impl Eras {
    pub(crate) fn new(known: EraMemory) -> Self {
        Self(Arc::new(Mutex::new(known)))
    }

    pub(crate) fn known(&self) -> EraMemory {
        self.lock().clone()
    }

    pub(crate) fn begins_with_initialize(&self, server: &str) -> bool {
        self.lock().begins_with_initialize(server)
    }

    pub(crate) fn spoke(&self, server: &str, revision: String) {
        self.lock().servers.insert(server.to_owned(), revision);
    }

    pub(crate) fn forget(&self, server: &str) {
        self.lock().servers.remove(server);
    }

    fn lock(&self) -> MutexGuard<'_, EraMemory> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_server_known_to_be_old_is_not_asked() {
        let memory: EraMemory =
            serde_json::from_str(r#"{"old": "2024-11-05", "last": "2025-11-25", "new": "2026-07-28"}"#).unwrap();
        let asked = |server| !memory.begins_with_initialize(server);
        assert_eq!(["old", "last", "new", "unknown"].map(asked), [false, false, true, true]);
    }
}
