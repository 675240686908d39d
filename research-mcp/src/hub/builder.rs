//! Names the servers of a hub and how each is reached.

use std::sync::{Arc, Mutex};

use rmcp::service::Service;
use rmcp::transport::IntoTransport;
use rmcp::{RoleClient, RoleServer};
use tokio::sync::RwLock;

use super::{Hub, Server, ServerState};
use crate::connection::{Connector, Lifecycle, StdioServer};
use crate::error::McpError;
use crate::limits::Limits;

/// Collects servers for a [`Hub`].
#[derive(Default)]
pub struct HubBuilder {
    servers: Vec<(String, Connector)>,
    lifecycles: Vec<(String, Lifecycle)>,
    limits: Limits,
}

impl HubBuilder {
    /// Adds a server that runs as a child process.
    #[must_use]
    pub fn stdio(self, name: impl Into<String>, server: StdioServer) -> Self {
        self.server(name, Connector::Stdio(server))
    }

    /// Adds a server that runs in this process: any service of the SDK, such as a [`ServerHandler`](rmcp::ServerHandler).
    #[must_use]
    pub fn in_process<S: Service<RoleServer>>(self, name: impl Into<String>, service: S) -> Self {
        self.server(name, Connector::in_process(service))
    }

    /// Adds a server at the other end of any transport of the SDK, such as a pair of a reader and a writer.
    #[must_use]
    pub fn transport<T, E, A>(self, name: impl Into<String>, transport: T) -> Self
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
        A: 'static,
    {
        self.server(name, Connector::transport(transport))
    }

    /// Sets how the connection to one server begins.
    #[must_use]
    pub fn lifecycle(mut self, name: impl Into<String>, lifecycle: Lifecycle) -> Self {
        self.lifecycles.push((name.into(), lifecycle));
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The hub, with nothing connected yet.
    ///
    /// # Errors
    ///
    /// [`McpError::Configuration`] when a name is empty or used twice, or a lifecycle names no server.
    pub fn build(self) -> Result<Hub, McpError> {
        let refused = |server: &str, reason: &str| {
            Err(McpError::Configuration { server: server.to_owned(), reason: reason.to_owned() })
        };
        for (index, (name, _)) in self.servers.iter().enumerate() {
            if name.trim().is_empty() {
                return refused(name, "its name is empty; give every server a name");
            }
            if self.servers[..index].iter().any(|(other, _)| other == name) {
                return refused(name, "two servers have this name; give every server its own");
            }
        }
        if let Some((name, _)) =
            self.lifecycles.iter().find(|(name, _)| !self.servers.iter().any(|(other, _)| other == name))
        {
            return refused(name, "a lifecycle is set for it, but the hub has no such server");
        }
        let lifecycles = self.lifecycles;
        let server = |(name, connector): (String, Connector)| {
            let lifecycle = lifecycles.iter().rev().find(|(other, _)| *other == name).map(|(_, lifecycle)| *lifecycle);
            Arc::new(Server {
                name,
                lifecycle: lifecycle.unwrap_or_default(),
                connector: Mutex::new(Some(connector)),
                connection: RwLock::new(None),
                state: Mutex::new(ServerState::Pending),
            })
        };
        Ok(Hub {
            servers: self.servers.into_iter().map(server).collect(),
            limits: Arc::new(self.limits),
            listing: RwLock::new(None),
        })
    }

    /// The hub, after every server is ready or has failed. A server that failed is no error here; see [`Hub::servers`].
    ///
    /// # Errors
    ///
    /// As for [`build`](Self::build).
    pub async fn connect(self) -> Result<Hub, McpError> {
        let hub = self.build()?;
        hub.connect().await;
        Ok(hub)
    }

    fn server(mut self, name: impl Into<String>, connector: Connector) -> Self {
        self.servers.push((name.into(), connector));
        self
    }
}
