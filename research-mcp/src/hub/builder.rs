//! Names the servers of a hub and how each is reached.

use std::sync::{Arc, Mutex};

use rmcp::service::Service;
use rmcp::transport::IntoTransport;
use rmcp::{RoleClient, RoleServer};

use super::actor::Actor;
use super::approvals::Approvals;
use super::bus::Bus;
use super::handle::Hub;
use crate::artifact::ArtifactStore;
use crate::connection::{Connector, StdioServer};
use crate::elicit::Elicitor;
use crate::era::{EraMemory, Eras};
use crate::error::McpError;
use crate::limits::Limits;
use crate::policy::{Overflow, ServerPolicy};
use crate::services::Services;

/// Collects servers for a [`Hub`].
#[derive(Default)]
pub struct HubBuilder {
    servers: Vec<(String, Connector)>,
    policies: Vec<(String, ServerPolicy)>,
    limits: Limits,
    approvals: Approvals,
    services: Services,
}

impl Hub {
    /// A hub without servers, to add some to.
    pub fn builder() -> HubBuilder {
        HubBuilder::default()
    }
}

impl HubBuilder {
    /// Adds a server that runs as a child process.
    #[must_use]
    pub fn stdio(self, name: impl Into<String>, server: StdioServer) -> Self {
        self.server(name, Connector::Stdio(server))
    }

    /// Adds a server that is reached over streamable HTTP.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn http(self, name: impl Into<String>, server: crate::connection::HttpServer) -> Self {
        self.server(name, Connector::Http(server))
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

    /// Sets the policy of one server.
    #[must_use]
    pub fn policy(mut self, name: impl Into<String>, policy: ServerPolicy) -> Self {
        self.policies.push((name.into(), policy));
        self
    }

    /// Sets what was approved before.
    #[must_use]
    pub fn approvals(mut self, approvals: Approvals) -> Self {
        self.approvals = approvals;
        self
    }

    /// Sets who answers the questions that servers ask the user in the middle of a call. Without anybody, servers are told that
    /// they cannot ask, and those that do are declined. Together with [`answer_later`](Self::answer_later) it is asked by the servers
    /// that cannot wait.
    #[must_use]
    pub fn elicitor(mut self, elicitor: Arc<dyn Elicitor>) -> Self {
        self.services.asks.now = Some(elicitor);
        self
    }

    /// Tells servers that they may ask the user, and ends a call that needs an answer with
    /// [`McpError::InputRequired`](crate::McpError::InputRequired): it is made again later, with
    /// [`CallOptions::answers`](crate::CallOptions::answers). Servers of MCP 2025-11-25 and before cannot wait: their questions go to
    /// the [`elicitor`](Self::elicitor), and without one they are told that the user went away.
    #[must_use]
    pub fn answer_later(mut self) -> Self {
        self.services.asks.later = true;
        self
    }

    /// Sets where results go that are too large to be passed on; see [`Overflow::Keep`].
    #[must_use]
    pub fn artifacts(mut self, store: Arc<dyn ArtifactStore>) -> Self {
        self.services.artifacts = Some(store);
        self
    }

    /// Sets what is known of the revisions that the servers speak.
    #[must_use]
    pub fn eras(mut self, eras: EraMemory) -> Self {
        self.services.eras = Eras::new(eras);
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
    /// [`McpError::Configuration`] when a name is empty or used twice, when a policy names no server, or when it keeps large results
    /// and there is no artifact store, or refuses invalid ones and the feature `validate` is off.
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
            self.policies.iter().find(|(name, _)| !self.servers.iter().any(|(other, _)| other == name))
        {
            return refused(name, "a policy is set for it, but the hub has no such server");
        }
        if self.services.artifacts.is_none()
            && let Some((name, _)) = self.policies.iter().find(|(_, policy)| policy.overflow == Overflow::Keep)
        {
            return refused(name, "its policy keeps large results; give the hub an artifact store");
        }
        #[cfg(not(feature = "validate"))]
        if let Some((name, _)) =
            self.policies.iter().find(|(_, policy)| policy.invalid_results == crate::policy::InvalidResults::Refuse)
        {
            return refused(name, "its policy refuses invalid results; that needs the feature `validate`");
        }
        let services = self.services;
        let (limits, approvals, bus) = (Arc::new(self.limits), Arc::new(Mutex::new(self.approvals)), Bus::new());
        let policies = self.policies;
        let actor = |(name, connector): (String, Connector)| {
            let policy = policies.iter().rev().find(|(other, _)| *other == name).map(|(_, policy)| policy.clone());
            let policy = policy.unwrap_or_default();
            Arc::new(Actor::new(
                name,
                connector,
                policy,
                &limits,
                Arc::clone(&approvals),
                bus.clone(),
                services.clone(),
            ))
        };
        Ok(Hub {
            servers: self.servers.into_iter().map(actor).collect(),
            limits,
            approvals,
            bus,
            eras: services.eras.clone(),
            listing: Mutex::new(None),
            names: Mutex::default(),
        })
    }

    /// The hub, [connected](Hub::connect). A server that failed is no error here; see [`Hub::servers`].
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
