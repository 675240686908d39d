//! Where the servers of a hub stand.

use serde::Serialize;

use crate::error::McpErrorKind;

/// Where a server stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ServerState {
    /// Not connected yet.
    Pending,
    /// Starting, or in the handshake.
    Connecting,
    /// Usable.
    Ready {
        /// Name and version that the server gives itself.
        implementation: Option<String>,
        /// MCP revision agreed on, such as `2025-11-25`.
        protocol: String,
    },
    /// Not usable: it did not start, did not complete the handshake, or died.
    #[non_exhaustive]
    Failed {
        /// What kind of failure it was: [`Connect`](McpErrorKind::Connect) when it never was usable,
        /// [`Timeout`](McpErrorKind::Timeout) when it took too long, [`Closed`](McpErrorKind::Closed) when it died.
        kind: McpErrorKind,
        /// Why.
        reason: String,
    },
    /// Not usable before the user has signed in.
    NeedsAuth {
        /// What the server said.
        reason: String,
    },
    /// Closed by us.
    Closed,
}

impl ServerState {
    /// Whether tools can be called.
    pub fn is_ready(&self) -> bool {
        matches!(self, Self::Ready { .. })
    }

    /// Whether it is known that the server is ready or is not.
    pub fn is_settled(&self) -> bool {
        !matches!(self, Self::Pending | Self::Connecting)
    }

    /// Why tools cannot be called, in words that end a sentence.
    pub(crate) fn trouble(&self) -> String {
        match self {
            Self::Failed { reason, .. } | Self::NeedsAuth { reason } => reason.clone(),
            Self::Closed => "it was closed".to_owned(),
            Self::Connecting => "it is still connecting".to_owned(),
            Self::Pending | Self::Ready { .. } => "it is not connected".to_owned(),
        }
    }
}

/// A server of a hub and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Name of the server in the hub.
    pub name: String,
    /// Where it stands.
    #[serde(flatten)]
    pub state: ServerState,
}
