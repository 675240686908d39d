//! An open connection and its orderly end.

use std::sync::Arc;

use rmcp::model::RequestId;
use rmcp::service::{Peer, RunningService, ServiceError};
use rmcp::{RoleClient, model};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::child::ChildProcess;
use super::client::{Calls, Client, Inbox};
use super::guard::{OTHER_TEXT, TOO_LONG, UNREADABLE};
#[cfg(feature = "http")]
use super::http::Challenge;
#[cfg(feature = "validate")]
use super::promises::Promises;
use super::subscribed::Subscriptions;
use super::watched::End;
use super::words;
use crate::artifact::ArtifactStore;
use crate::error::{McpError, Operation};
use crate::limits::Limits;
use crate::policy::{InvalidResults, Overflow};
use crate::services::{Asks, Services};

/// The task of an in-process server; ends with the connection.
pub(crate) struct ServerTask(JoinHandle<()>);

impl ServerTask {
    pub(super) fn new(task: JoinHandle<()>) -> Self {
        Self(task)
    }
}

impl Drop for ServerTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What a connection is made of.
pub(super) struct Parts {
    pub(super) server: String,
    pub(super) running: RunningService<RoleClient, Client>,
    pub(super) end: End,
    pub(super) child: Option<ChildProcess>,
    pub(super) task: Option<ServerTask>,
    pub(super) limits: Arc<Limits>,
    pub(super) calls: Calls,
    pub(super) inbox: Inbox,
    pub(super) services: Services,
    pub(super) rules: Rules,
}

/// What happens to results that are not as they should be.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) invalid_results: InvalidResults,
    pub(crate) overflow: Overflow,
}

/// An open connection to one server.
pub(crate) struct Connection {
    pub(super) server: String,
    pub(super) peer: Peer<RoleClient>,
    pub(super) limits: Arc<Limits>,
    pub(super) calls: Calls,
    pub(super) inbox: Inbox,
    pub(super) subscriptions: Subscriptions,
    pub(super) asks: Asks,
    pub(super) artifacts: Option<Arc<dyn ArtifactStore>>,
    pub(super) rules: Rules,
    #[cfg(feature = "validate")]
    pub(super) promises: Promises,
    end: End,
    running: Mutex<Option<RunningService<RoleClient, Client>>>,
    child: Option<ChildProcess>,
    task: Mutex<Option<ServerTask>>,
    #[cfg(feature = "http")]
    challenge: Challenge,
}

impl Connection {
    pub(super) fn new(parts: Parts) -> Self {
        let Parts { server, running, end, child, task, limits, calls, inbox, services, rules } = parts;
        let peer = running.peer().clone();
        Self {
            server,
            peer,
            limits,
            calls,
            inbox,
            subscriptions: Subscriptions::default(),
            asks: services.asks,
            artifacts: services.artifacts,
            rules,
            #[cfg(feature = "validate")]
            promises: Promises::default(),
            end,
            running: Mutex::new(Some(running)),
            child,
            task: Mutex::new(task),
            #[cfg(feature = "http")]
            challenge: Challenge::default(),
        }
    }

    /// The same connection, which learns here that the server wants the user to sign in.
    #[cfg(feature = "http")]
    pub(super) fn challenged_by(self, challenge: Challenge) -> Self {
        Self { challenge, ..self }
    }

    /// What the server said when it wanted the user to sign in.
    fn challenged(&self) -> Option<String> {
        #[cfg(feature = "http")]
        return self.challenge.said();
        #[cfg(not(feature = "http"))]
        return None;
    }

    /// Name and version that the server gives itself, and the protocol version agreed on.
    pub(crate) fn introduction(&self) -> (Option<String>, String) {
        let info = self.peer.peer_info();
        let name = info.as_ref().and_then(|info| info.server_info.as_ref());
        let protocol = info.as_ref().map(|info| info.protocol_version.to_string()).unwrap_or_default();
        (name.map(|name| format!("{} {}", name.name, name.version)), protocol)
    }

    /// Whether the transport has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.peer.is_transport_closed()
    }

    /// Resolves when the transport has ended, or the child, or the server wants the user to sign in.
    pub(crate) async fn ended(&self) {
        let child = async {
            match &self.child {
                Some(child) => child.ended().await,
                None => std::future::pending().await,
            }
        };
        #[cfg(feature = "http")]
        let challenged = self.challenge.made();
        #[cfg(not(feature = "http"))]
        let challenged = std::future::pending();
        tokio::select! {
            () = self.end.reached() => {}
            () = child => {}
            () = challenged => {}
        }
    }

    /// What is known about the end of the connection.
    pub(crate) async fn end_of(&self, tool: Option<String>) -> McpError {
        if let Some(reason) = self.challenged() {
            return McpError::NeedsAuth { server: self.server.clone(), reason };
        }
        let (status, stderr) = match &self.child {
            Some(child) => child.end().await,
            None => (None, String::new()),
        };
        let reason = match status {
            Some(status) => format!("the server ended with {status}"),
            None => "the connection is closed".to_owned(),
        };
        McpError::Closed { server: self.server.clone(), tool, reason, stderr }
    }

    /// Whether a call that broke with the connection cannot have reached the server: it was not written while there was a process
    /// to read it. Without a process nothing is known.
    pub(super) fn cannot_have(&self, call: Option<&RequestId>) -> bool {
        let has_ended = self.child.as_ref().is_some_and(ChildProcess::has_ended);
        has_ended && call.is_none_or(|call| !self.end.may_hold(call))
    }

    /// Closes the transport, and with it the server's standard input; then ends the child, if it is still there.
    pub(crate) async fn close(&self) {
        if let Some(mut running) = self.running.lock().await.take()
            && let Err(error) = running.close_with_timeout(self.limits.close).await
        {
            tracing::warn!(server = self.server, %error, "the connection did not close cleanly");
        }
        if let Some(child) = &self.child {
            child.close(self.limits.close).await;
        }
        self.task.lock().await.take();
    }

    /// Turns an error of the SDK into ours, with what is known about the child.
    pub(super) async fn error(&self, error: ServiceError, operation: Operation, tool: Option<&str>) -> McpError {
        let server = self.server.clone();
        let named = tool.map(str::to_owned);
        if let Some(reason) = self.challenged() {
            return McpError::NeedsAuth { server, reason };
        }
        match (error, tool) {
            (ServiceError::McpError(data), Some(tool)) if data.code.0 == TOO_LONG => McpError::TooLarge {
                server,
                tool: tool.to_owned(),
                bytes: too_long(&data),
                limit: self.limits.result_bytes,
            },
            (ServiceError::McpError(data), _) if matches!(data.code.0, UNREADABLE | OTHER_TEXT) => {
                McpError::Protocol { server, tool: named, operation, code: None, reason: data.message.into_owned() }
            }
            (ServiceError::McpError(data), _) => McpError::Protocol {
                server,
                tool: named,
                operation,
                code: Some(data.code.0),
                reason: data.message.into_owned(),
            },
            (ServiceError::Timeout { timeout }, _) => {
                let stderr = self.child.as_ref().map(ChildProcess::last_words).unwrap_or_default();
                McpError::Timeout { server, tool: named, operation, limit: timeout, stderr }
            }
            (ServiceError::TransportSend(error), _) if !self.is_closed() && self.child.is_none() => {
                let error = error.error.as_ref();
                if let Some(reason) = words::sign_in(error) {
                    return McpError::NeedsAuth { server, reason };
                }
                match words::status(error) {
                    Some(reason) => McpError::Protocol { server, tool: named, operation, code: None, reason },
                    None => {
                        McpError::Closed { server, tool: named, reason: words::transport(error), stderr: String::new() }
                    }
                }
            }
            (ServiceError::TransportClosed | ServiceError::TransportSend(_), _) => self.end_of(named).await,
            (ServiceError::Cancelled { .. }, _) if self.is_closed() => self.end_of(named).await,
            (other, _) => McpError::Protocol { server, tool: named, operation, code: None, reason: other.to_string() },
        }
    }
}

/// Size of a message that the line guard replaced.
fn too_long(data: &model::ErrorData) -> usize {
    let bytes = data.data.as_ref().and_then(|data| data.get("bytes")).and_then(serde_json::Value::as_u64);
    bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX)
}
