//! The tools of a hub that an agent may call.

use std::fmt;
use std::sync::Arc;

use research_llm::ToolDefinition;
use research_llm::tool::Toolbox;
use research_mcp::{CallOptions, CallOutput, Fingerprint, Hub, McpError, Object, QuarantinedTool, Tool, ToolListing};

use super::allow::ToolPattern;
use super::builder::HubToolsBuilder;
use super::deferred;
use super::interviewer::Interviewer;
use super::tool::HubTool;
use crate::kernel::{Marker, Untrusted};

/// Says of a call whether it may be made, and if not, why.
pub(super) type Guard = Arc<dyn Fn(&Tool, &Object) -> Result<(), String> + Send + Sync>;

/// The tools of a [`Hub`] that an agent may call, as they were listed when this was [built](HubToolsBuilder::build). Cheap to
/// clone.
///
/// What is called is bound to the server and to what the tool said of itself then: a tool that has changed since, or that another
/// server offers under the same name, is not called. Build it anew to see the tools of today.
#[derive(Clone)]
pub struct HubTools {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) hub: Arc<Hub>,
    pub(super) entries: Vec<Entry>,
    pub(super) left_out: Vec<QuarantinedTool>,
    pub(super) unmatched: Vec<ToolPattern>,
    pub(super) is_deferred: bool,
    pub(super) result_cap: usize,
    pub(super) options: CallOptions,
    pub(super) guard: Option<Guard>,
    pub(super) interviewer: Option<Arc<Interviewer>>,
    pub(super) marker: Marker,
}

/// A tool that may be called.
pub(super) struct Entry {
    pub(super) tool: Tool,
    pub(super) fingerprint: Fingerprint,
    pub(super) definition: ToolDefinition,
}

impl HubTools {
    /// Starts to choose from the tools of a hub. Nothing is allowed yet.
    pub fn builder(hub: Arc<Hub>) -> HubToolsBuilder {
        HubToolsBuilder::new(hub)
    }

    /// The tools that may be called. What they say of themselves is untrusted.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.inner.entries.iter().map(|entry| &entry.tool)
    }

    /// Tools that are allowed but cannot be used, with the reason.
    #[must_use]
    pub fn left_out(&self) -> &[QuarantinedTool] {
        &self.inner.left_out
    }

    /// What was allowed and matches no tool: a name that is misspelled, or a server that is not connected.
    #[must_use]
    pub fn unmatched(&self) -> &[ToolPattern] {
        &self.inner.unmatched
    }

    /// Whether there are so many tools that a model is given a search for them instead.
    #[must_use]
    pub fn is_deferred(&self) -> bool {
        self.inner.is_deferred
    }

    /// What a model is told: of every tool, or of the two that [find and call](super#many-tools) the others.
    #[must_use]
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        match self.inner.is_deferred {
            true => deferred::definitions(self.inner.entries.len()),
            false => self.inner.entries.iter().map(|entry| entry.definition.clone()).collect(),
        }
    }

    /// The tools in a box of their own. Results are blocks of marked data.
    #[must_use]
    pub fn toolbox(&self) -> Toolbox {
        self.put_into(Toolbox::new())
    }

    /// Adds the tools to a box.
    #[must_use]
    pub fn put_into(&self, tools: Toolbox) -> Toolbox {
        self.definitions()
            .into_iter()
            .fold(tools, |tools, definition| tools.with(HubTool { tools: self.clone(), definition }))
    }

    /// Whether a model is told of a tool of this name.
    pub(crate) fn offers(&self, name: &str) -> bool {
        match self.inner.is_deferred {
            true => deferred::NAMES.contains(&name),
            false => self.tools().any(|tool| tool.exposed_name == name),
        }
    }

    /// Calls a tool by its exposed name. Dropping the future cancels the call at the server.
    ///
    /// # Errors
    ///
    /// [`McpError::UnknownTool`] for a name that is not among the [tools](Self::tools), [`McpError::Refused`] when the
    /// [guard](HubToolsBuilder::guard) does, [`McpError::ToolChanged`], and as for [`Hub::call_on`].
    pub async fn call(&self, name: &str, arguments: Object) -> Result<Untrusted<CallOutput>, McpError> {
        let entry = self.entry(name, &arguments)?;
        let options = self.inner.options.clone().pinned(entry.fingerprint.clone());
        let output = self.inner.hub.call_on_with(&entry.tool.server, &entry.tool.name, arguments, &options).await?;
        Ok(Untrusted::new(output))
    }

    /// The tool of this name, if it may be called with these arguments.
    pub(super) fn entry(&self, name: &str, arguments: &Object) -> Result<&Entry, McpError> {
        let Some(entry) = self.inner.entries.iter().find(|entry| entry.tool.exposed_name == name) else {
            tracing::warn!(tool = name, "a tool was called that is not allowed");
            let known = self.tools().map(|tool| tool.exposed_name.clone()).collect();
            return Err(McpError::UnknownTool { name: name.to_owned(), known });
        };
        match self.inner.guard.as_ref().map_or(Ok(()), |guard| guard(&entry.tool, arguments)) {
            Ok(()) => Ok(entry),
            Err(reason) => {
                let (server, tool) = (entry.tool.server.clone(), entry.tool.name.clone());
                tracing::warn!(server, tool, reason, "a call was refused");
                Err(McpError::Refused { server, tool, reason })
            }
        }
    }

    /// The tools that fit a query, for [`deferred`].
    pub(super) fn search(&self, query: &str, most: usize) -> Vec<&ToolDefinition> {
        let listing = ToolListing::new(self.tools().cloned().collect());
        let found = listing.search(query, most);
        let of = |tool: &&Tool| self.inner.entries.iter().find(|entry| entry.tool.exposed_name == tool.exposed_name);
        found.iter().filter_map(of).map(|entry| &entry.definition).collect()
    }
}

impl fmt::Debug for HubTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.tools().map(|tool| tool.exposed_name.as_str()).collect();
        f.debug_struct("HubTools").field("tools", &names).field("is_deferred", &self.inner.is_deferred).finish()
    }
}
