//! Several named servers as one source of tools.

mod builder;
mod names;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures::future::join_all;
use tokio::sync::RwLock;

pub use self::builder::HubBuilder;
use crate::connection::{Connection, Connector, Lifecycle};
use crate::error::McpError;
use crate::limits::Limits;
use crate::output::CallOutput;
use crate::source::{BoxFuture, FailedServer, ToolListing, ToolSource};
use crate::tool::{Object, Tool};

/// Where a server stands.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    Failed {
        /// Why.
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
}

/// A server of a hub and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Name of the server in the hub.
    pub name: String,
    /// Where it stands.
    pub state: ServerState,
}

struct Server {
    name: String,
    lifecycle: Lifecycle,
    connector: Mutex<Option<Connector>>,
    connection: RwLock<Option<Arc<Connection>>>,
    state: Mutex<ServerState>,
}

impl Server {
    fn state(&self) -> ServerState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, state: ServerState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    fn failed(&self, error: &McpError) {
        self.set(ServerState::Failed { reason: error.to_string() });
    }

    async fn connect(&self, limits: &Arc<Limits>) {
        let connector = self.connector.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(connector) = connector else { return };
        self.set(ServerState::Connecting);
        match connector.connect(&self.name, self.lifecycle, limits).await {
            Ok(connection) => {
                let (implementation, protocol) = connection.introduction();
                tracing::debug!(server = self.name, implementation, protocol, "connected");
                let mut slot = self.connection.write().await;
                if self.state() == ServerState::Closed {
                    // Closed while it was starting.
                    connection.close().await;
                    return;
                }
                *slot = Some(Arc::new(connection));
                self.set(ServerState::Ready { implementation, protocol });
            }
            Err(error) => {
                tracing::warn!(server = self.name, %error, "not connected");
                self.failed(&error);
            }
        }
    }

    async fn connection(&self) -> Result<Arc<Connection>, McpError> {
        self.connection.read().await.clone().ok_or_else(|| {
            let reason = match self.state() {
                ServerState::Failed { reason } => reason,
                ServerState::Closed => "it was closed".to_owned(),
                _ => "it is not connected".to_owned(),
            };
            McpError::Closed { server: self.name.clone(), tool: None, reason, stderr: String::new() }
        })
    }

    async fn close(&self) {
        // The state changes under the lock, so that a connection which is just being made sees it.
        let mut slot = self.connection.write().await;
        let connection = slot.take();
        self.connector.lock().unwrap_or_else(PoisonError::into_inner).take();
        if connection.is_some() || !matches!(self.state(), ServerState::Failed { .. }) {
            self.set(ServerState::Closed);
        }
        drop(slot);
        if let Some(connection) = connection {
            connection.close().await;
        }
    }
}

/// Named MCP servers as one source of tools.
///
/// Servers connect in parallel and fail alone. Tool calls are never repeated by the hub. End a hub with
/// [`close`](Self::close): it lets child processes finish. A hub that is merely dropped kills them.
pub struct Hub {
    servers: Vec<Arc<Server>>,
    limits: Arc<Limits>,
    listing: RwLock<Option<Arc<ToolListing>>>,
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("servers", &self.servers()).finish_non_exhaustive()
    }
}

impl Hub {
    /// A hub without servers, to add some to.
    pub fn builder() -> HubBuilder {
        HubBuilder::default()
    }

    /// Connects the servers that are not connected yet, all at the same time, and returns when each is ready or has failed.
    /// [`servers`](Self::servers) says how each stands, also meanwhile.
    pub async fn connect(&self) {
        join_all(self.servers.iter().map(|server| server.connect(&self.limits))).await;
    }

    /// The servers in the order in which they were added.
    pub fn servers(&self) -> Vec<ServerStatus> {
        let status = |server: &Arc<Server>| ServerStatus { name: server.name.clone(), state: server.state() };
        self.servers.iter().map(status).collect()
    }

    /// The tools of the newest listing; asks the servers when there was none.
    ///
    /// # Errors
    ///
    /// As for [`list_tools`](ToolSource::list_tools).
    pub async fn tools(&self) -> Result<Vec<Tool>, McpError> {
        Ok(self.listing().await?.tools.clone())
    }

    /// Calls a tool of one server by the server's own name for it, whether it was listed or not.
    ///
    /// # Errors
    ///
    /// When the hub has no such server, and as for [`call_tool`](ToolSource::call_tool).
    pub async fn call_on(&self, server: &str, tool: &str, arguments: Object) -> Result<CallOutput, McpError> {
        let Some(found) = self.servers.iter().find(|known| known.name == server) else {
            return Err(McpError::Configuration {
                server: server.to_owned(),
                reason: format!(
                    "the hub has no such server; it has: {}",
                    self.servers.iter().map(|known| known.name.as_str()).collect::<Vec<_>>().join(", ")
                ),
            });
        };
        let outcome = found.connection().await?.call(tool, arguments).await;
        if let Err(error) = &outcome
            && error.is_closed()
        {
            found.failed(error);
        }
        outcome
    }

    /// Closes every server: its standard input, then TERM, then KILL. Calls in flight end with an error.
    pub async fn close(&self) {
        join_all(self.servers.iter().map(|server| server.close())).await;
    }

    async fn listing(&self) -> Result<Arc<ToolListing>, McpError> {
        if let Some(listing) = self.listing.read().await.clone() {
            return Ok(listing);
        }
        self.refresh().await
    }

    async fn refresh(&self) -> Result<Arc<ToolListing>, McpError> {
        let outcomes = join_all(self.servers.iter().map(|server| async move {
            let listed = match server.connection().await {
                Ok(connection) => connection.list().await,
                Err(error) => Err(error),
            };
            if let Err(error) = &listed
                && error.is_closed()
                && server.state().is_ready()
            {
                server.failed(error);
            }
            (server, listed)
        }))
        .await;
        let mut listings = Vec::new();
        let mut failed = Vec::new();
        for (server, outcome) in outcomes {
            match outcome {
                Ok(listing) => listings.push(listing),
                Err(error) => {
                    let reason = match server.state() {
                        ServerState::Failed { reason } => reason,
                        _ => error.to_string(),
                    };
                    failed.push(FailedServer { server: server.name.clone(), reason });
                }
            }
        }
        if listings.is_empty() {
            let reasons = failed.into_iter().map(|failure| failure.reason).collect();
            return Err(McpError::NoServer { reasons });
        }
        let listing = Arc::new(names::expose(listings, failed));
        *self.listing.write().await = Some(Arc::clone(&listing));
        Ok(listing)
    }
}

impl ToolSource for Hub {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { Ok((*self.refresh().await?).clone()) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move {
            let listing = self.listing().await?;
            let Some(tool) = listing.get(name) else {
                let known = listing.tools.iter().map(|tool| tool.exposed_name.clone()).collect();
                return Err(McpError::UnknownTool { name: name.to_owned(), known });
            };
            self.call_on(&tool.server, &tool.name, arguments).await
        })
    }
}
