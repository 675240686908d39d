//! What happens at the servers of a hub, for those who watch.

pub(crate) mod state;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::state::ServerState;

/// Something that happened at a server. Names of tools, messages, data and addresses in it are the server's own words and
/// untrusted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum HubEvent {
    /// It stands elsewhere now.
    #[non_exhaustive]
    State {
        /// Name of the server in the hub.
        server: String,
        /// Where it stands.
        state: ServerState,
    },
    /// Its tools are not the ones that were listed before.
    #[non_exhaustive]
    ToolsChanged {
        /// Name of the server in the hub.
        server: String,
        /// What is different, in the order of the new listing, what is gone at the end.
        changes: Vec<ToolChange>,
    },
    /// A call is getting on.
    #[non_exhaustive]
    Progress {
        /// Name of the server in the hub.
        server: String,
        /// Name of the tool as the server spells it.
        tool: String,
        /// Which call of this server, from 1.
        call: u64,
        /// The [caller's own word](crate::CallOptions::label) for the call.
        label: Option<String>,
        /// How far it is, in the server's own measure.
        progress: f64,
        /// How far it has to go, when known.
        total: Option<f64>,
        /// What is being done.
        message: Option<String>,
    },
    /// The server says something for the log.
    #[non_exhaustive]
    Log {
        /// Name of the server in the hub.
        server: String,
        /// How bad it is, such as `warning`.
        level: String,
        /// Which part of the server speaks.
        logger: Option<String>,
        /// What it says.
        data: Value,
    },
    /// A resource that was subscribed to has changed.
    #[non_exhaustive]
    ResourceUpdated {
        /// Name of the server in the hub.
        server: String,
        /// Its address.
        uri: String,
    },
    /// The list of resources has changed.
    #[non_exhaustive]
    ResourcesChanged {
        /// Name of the server in the hub.
        server: String,
    },
    /// The list of prompts has changed.
    #[non_exhaustive]
    PromptsChanged {
        /// Name of the server in the hub.
        server: String,
    },
    /// An entry of a list is left out, because it is not as it should be.
    #[non_exhaustive]
    Quarantined {
        /// Name of the server in the hub.
        server: String,
        /// Which list: `resources`, `resourceTemplates` or `prompts`. What is wrong with tools, their
        /// [listing](crate::ToolListing::quarantined) says.
        list: &'static str,
        /// What the server calls the entry; empty when it says nothing.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Some events were dropped, because a server sends more than is read.
    #[non_exhaustive]
    Dropped {
        /// How many.
        count: u64,
    },
}

/// How a tool differs from what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolChange {
    /// Name of the tool as the server spells it.
    pub tool: String,
    /// What happened to it.
    pub kind: ToolChangeKind,
}

/// What happened to a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolChangeKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its description, schemas or annotations are others than before.
    Changed,
}
