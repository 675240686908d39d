//! Calls of a server's tools, as far as its policy and the approvals let them.

use std::sync::Arc;

use super::super::approvals::Standing;
use super::{Actor, lock};
use crate::connection::Connection;
use crate::error::McpError;
use crate::fingerprint::Fingerprint;
use crate::options::CallOptions;
use crate::output::CallOutput;
use crate::policy::{ChangedTools, RetryCalls};
use crate::tool::{Object, Tool};

impl Actor {
    /// Calls a tool by the server's own name for it.
    pub(in super::super) async fn call(
        &self,
        tool: &str,
        arguments: Object,
        options: &CallOptions,
    ) -> Result<CallOutput, McpError> {
        if !self.policy.permits(tool) {
            return Err(self.refused(
                tool,
                "the policy of the server does not allow it; add it to `allow` or take it out of `deny`",
            ));
        }
        // Before the connection is taken: the one of before the wait may be gone after it. The semaphore is never closed.
        let _permit = self.permits.acquire().await.ok();
        let connection = self.connection().await?;
        self.check(tool, &connection, options).await?;
        let retry = self.policy.retry == RetryCalls::Safe && self.is_safe(tool, &connection).await?;
        let outcome = match connection.call(tool, &arguments, options).await {
            // What never reached the server is made again whatever it does.
            Err(failed) if failed.error.is_closed() && (retry || failed.is_unsent) => {
                tracing::info!(server = self.name, tool, "a call whose connection broke is made again");
                let connection = self.connection().await?;
                self.check(tool, &connection, options).await?;
                connection.call(tool, &arguments, options).await
            }
            outcome => outcome,
        };
        outcome.map_err(|failed| failed.error)
    }

    /// Whether the approvals let the tool be called as this connection lists it.
    async fn check(&self, tool: &str, connection: &Arc<Connection>, options: &CallOptions) -> Result<(), McpError> {
        let refuses_changed = self.policy.changed_tools == ChangedTools::Refuse;
        let (strict, approved) = {
            let approvals = lock(&self.approvals);
            (approvals.strict, approvals.knows(&self.name, tool))
        };
        let matters = strict || (refuses_changed && approved) || options.pinned.is_some();
        if !matters {
            return Ok(());
        }
        let listed = self.listed(tool, connection).await?;
        if let Some(pinned) = &options.pinned {
            match &listed {
                None => return Err(self.refused(tool, "the server does not list it any more")),
                Some(listed) if Fingerprint::of(listed) != *pinned => {
                    return Err(McpError::ToolChanged { server: self.name.clone(), tool: tool.to_owned() });
                }
                Some(_) => {}
            }
        }
        match listed.map(|listed| lock(&self.approvals).standing(&listed)) {
            Some(Standing::Changed) if refuses_changed => {
                Err(McpError::ToolChanged { server: self.name.clone(), tool: tool.to_owned() })
            }
            Some(Standing::Unknown) | None if strict => {
                Err(self.refused(tool, "it was not approved yet; approve it first"))
            }
            _ => Ok(()),
        }
    }

    fn refused(&self, tool: &str, reason: &str) -> McpError {
        McpError::Refused { server: self.name.clone(), tool: tool.to_owned(), reason: reason.to_owned(), code: None }
    }

    async fn listed(&self, tool: &str, connection: &Arc<Connection>) -> Result<Option<Tool>, McpError> {
        let listing = match self.known(connection) {
            Some(listing) => listing,
            None => self.tools_on(connection, false).await?,
        };
        Ok(listing.tools.iter().find(|known| known.name == tool).cloned())
    }

    async fn is_safe(&self, tool: &str, connection: &Arc<Connection>) -> Result<bool, McpError> {
        let hints = self.listed(tool, connection).await?.map(|tool| tool.hints).unwrap_or_default();
        Ok(hints.read_only == Some(true) || hints.idempotent == Some(true))
    }
}
