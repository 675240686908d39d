//! The tools of a hub that an agent may call.

use std::fmt;
use std::sync::Arc;

use research_agents_report::text::{Marker, Untrusted};
use research_llm::ToolDefinition;
use research_mcp::{
    CallOptions, CallOutput, Fingerprint, Hub, McpError, Object, QuarantinedTool, Tool, ToolListing,
};

use crate::tools::hub::allow::ToolPattern;
use crate::tools::hub::interviewer::Interviewer;

/// Checks whether a call may be made; its error says why not.
pub(crate) type Guard = Arc<dyn Fn(&Tool, &Object) -> Result<(), String> + Send + Sync>;

/// The tools of a [`Hub`] that an agent may call, as they were listed when this value was
/// [built](crate::tools::hub::HubToolsBuilder::build). Cheap to clone.
///
/// Each tool is bound to its server and to its definition at that time: a tool that has changed
/// since, or that another server offers under the same name, is not called. Build the value again
/// to use the current tools.
#[derive(Clone)]
pub struct HubTools {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) hub: Arc<Hub>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) left_out: Vec<QuarantinedTool>,
    pub(crate) unmatched: Vec<ToolPattern>,
    pub(crate) is_deferred: bool,
    pub(crate) result_cap: usize,
    pub(crate) options: CallOptions,
    pub(crate) guard: Option<Guard>,
    pub(crate) interviewer: Option<Arc<Interviewer>>,
    pub(crate) marker: Marker,
}

/// A tool that may be called.
pub(crate) struct Entry {
    pub(crate) tool: Tool,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) definition: ToolDefinition,
}

impl HubTools {
    /// Returns the tools that may be called. Their names and descriptions are untrusted.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.inner.entries.iter().map(|entry| &entry.tool)
    }

    /// Returns the tools that are allowed but cannot be used, with the reason.
    #[must_use]
    pub fn left_out(&self) -> &[QuarantinedTool] {
        &self.inner.left_out
    }

    /// Returns the patterns that were allowed but match no tools: a name is misspelled, or a server
    /// is not connected.
    #[must_use]
    pub fn unmatched(&self) -> &[ToolPattern] {
        &self.inner.unmatched
    }

    /// Returns `true` if there are so many tools that a model is given a search for them instead.
    #[must_use]
    pub fn is_deferred(&self) -> bool {
        self.inner.is_deferred
    }

    /// Calls a tool by its exposed name. Dropping the future cancels the call at the server.
    ///
    /// # Errors
    ///
    /// [`McpError::UnknownTool`] for a name that is not among the [tools](Self::tools),
    /// [`McpError::Refused`] when the [guard](crate::tools::hub::HubToolsBuilder::guard) refuses,
    /// [`McpError::ToolChanged`] when the tool has changed, and as for [`Hub::call_on`].
    pub async fn call(
        &self,
        name: &str,
        arguments: Object,
    ) -> Result<Untrusted<CallOutput>, McpError> {
        self.call_pinned(name, arguments).await.map(Untrusted::new)
    }

    /// Calls a tool if its definition is still the one that was listed.
    pub(crate) async fn call_pinned(
        &self,
        name: &str,
        arguments: Object,
    ) -> Result<CallOutput, McpError> {
        let entry = self.entry(name, &arguments)?;
        let options = self.inner.options.clone().pinned(entry.fingerprint.clone());
        self.inner
            .hub
            .call_on_with(&entry.tool.server, &entry.tool.name, arguments, &options)
            .await
    }

    /// Returns the tool of this name, if it may be called with these arguments.
    pub(crate) fn entry(&self, name: &str, arguments: &Object) -> Result<&Entry, McpError> {
        let Some(entry) = self
            .inner
            .entries
            .iter()
            .find(|entry| entry.tool.exposed_name == name)
        else {
            tracing::warn!(tool = name, "a tool was called that is not allowed");
            let known = self.tools().map(|tool| tool.exposed_name.clone()).collect();
            return Err(McpError::UnknownTool {
                name: name.to_owned(),
                known,
            });
        };

        match self
            .inner
            .guard
            .as_ref()
            .map_or(Ok(()), |guard| guard(&entry.tool, arguments))
        {
            Ok(()) => Ok(entry),
            Err(reason) => {
                let (server, tool) = (entry.tool.server.clone(), entry.tool.name.clone());
                tracing::warn!(server, tool, reason, "a call was refused");
                Err(McpError::Refused {
                    server,
                    tool,
                    reason,
                    code: None,
                })
            }
        }
    }

    /// Returns the definitions of the tools that match a query.
    pub(crate) fn search(&self, query: &str, most: usize) -> Vec<&ToolDefinition> {
        let listing = ToolListing::new(self.tools().cloned().collect());
        let found = listing.search(query, most);
        let of = |tool: &&Tool| {
            self.inner
                .entries
                .iter()
                .find(|entry| entry.tool.exposed_name == tool.exposed_name)
        };
        found
            .iter()
            .filter_map(of)
            .map(|entry| &entry.definition)
            .collect()
    }
}

impl fmt::Debug for HubTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self
            .tools()
            .map(|tool| tool.exposed_name.as_str())
            .collect();
        f.debug_struct("HubTools")
            .field("tools", &names)
            .field("is_deferred", &self.inner.is_deferred)
            .finish()
    }
}
