//! Chooses the tools of a hub that an agent may call.

use std::fmt;
use std::sync::Arc;

use research_mcp::{CallOptions, Fingerprint, Hub, Object, QuarantinedTool, Standing, Tool};

use super::allow::{AllowList, ToolPattern};
use super::interviewer::Interviewer;
use super::present;
use super::tools::{Entry, Guard, HubTools, Inner};
use crate::Error;
use crate::kernel::Marker;

/// With more tools than this a model is given a search instead, unless the host says otherwise.
const DEFERRED_ABOVE: usize = 40;

/// Characters of a result that a model is shown, unless the host says otherwise.
const RESULT_CAP: usize = 20_000;

/// Chooses from the tools of a hub.
#[must_use]
pub struct HubToolsBuilder {
    hub: Arc<Hub>,
    list: AllowList,
    deferred_above: usize,
    result_cap: usize,
    options: CallOptions,
    guard: Option<Guard>,
    interviewer: Option<Arc<Interviewer>>,
}

impl HubToolsBuilder {
    /// Nothing is allowed yet.
    pub(super) fn new(hub: Arc<Hub>) -> Self {
        Self {
            hub,
            list: AllowList::new(),
            deferred_above: DEFERRED_ABOVE,
            result_cap: RESULT_CAP,
            options: CallOptions::new(),
            guard: None,
            interviewer: None,
        }
    }

    /// Allows tools of servers; in both names `*` stands for any characters.
    pub fn allow(mut self, server: impl Into<String>, tool: impl Into<String>) -> Self {
        self.list = self.list.allow(server, tool);
        self
    }

    /// Denies tools of servers, even if they are allowed.
    pub fn deny(mut self, server: impl Into<String>, tool: impl Into<String>) -> Self {
        self.list = self.list.deny(server, tool);
        self
    }

    /// Sets what is allowed and what is denied.
    pub fn allow_list(mut self, list: AllowList) -> Self {
        self.list = list;
        self
    }

    /// Asks this about every call, with the arguments that the model wrote: its error refuses the call and goes to the model. A
    /// rule on paths or addresses belongs here.
    pub fn guard(mut self, guard: impl Fn(&Tool, &Object) -> Result<(), String> + Send + Sync + 'static) -> Self {
        self.guard = Some(Arc::new(guard));
        self
    }

    /// Sets from how many tools on a model is given a search instead of all of them: when there are more. Default 40.
    pub fn deferred_above(mut self, tools: usize) -> Self {
        self.deferred_above = tools;
        self
    }

    /// Sets how much of a result a model is shown, in characters. Default 20,000. It holds for results out of a
    /// [toolbox](HubTools::toolbox); an agent with tools has a [cap of its own](crate::tool_loop::ToolAgentBuilder::result_cap).
    pub fn result_cap(mut self, characters: usize) -> Self {
        self.result_cap = characters;
        self
    }

    /// Sets limits and overflow of every call. What is set here for one call alone (answers, pin, label) does not count.
    pub fn call_options(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets who takes the questions of servers that cannot wait. It must be the hub's
    /// [`elicitor`](research_mcp::HubBuilder::elicitor) too.
    pub fn interviewer(mut self, interviewer: Arc<Interviewer>) -> Self {
        self.interviewer = Some(interviewer);
        self
    }

    /// Lists the tools of the hub, and takes those that are allowed, are what they were when they were approved, and can be shown
    /// to a model.
    ///
    /// # Errors
    ///
    /// [`Error::Tool`] when no server is connected at all.
    pub async fn build(self) -> Result<HubTools, Error> {
        let listed = self.hub.tools().await?;
        let approvals = self.hub.approvals();
        let mut allowed = listed;
        allowed.retain(|tool| self.list.permits(&tool.server, &tool.name));
        let is_unmatched =
            |pattern: &&ToolPattern| !allowed.iter().any(|tool| pattern.matches(&tool.server, &tool.name));
        let unmatched = self.list.allow.iter().filter(is_unmatched).cloned().collect();
        let (mut entries, mut left_out) = (Vec::new(), Vec::new());
        for tool in allowed {
            let outcome = match approvals.standing(&tool) {
                Standing::Changed => Err("it has changed since it was approved; look at it and approve it again"),
                Standing::Unknown if approvals.strict => Err("it was not approved yet"),
                _ => present::definition(&tool),
            };
            match outcome {
                Ok(definition) => entries.push(Entry { fingerprint: Fingerprint::of(&tool), definition, tool }),
                Err(reason) => {
                    let mut out = QuarantinedTool::default();
                    (out.server, out.name, out.reason) = (tool.server, tool.name, reason.to_owned());
                    left_out.push(out);
                }
            }
        }
        let mut options = self.options;
        (options.answers, options.pinned, options.label) = (None, None, None);
        let inner = Inner {
            is_deferred: entries.len() > self.deferred_above,
            hub: self.hub,
            entries,
            left_out,
            unmatched,
            result_cap: self.result_cap,
            options,
            guard: self.guard,
            interviewer: self.interviewer,
            marker: Marker::random(),
        };
        Ok(HubTools { inner: Arc::new(inner) })
    }
}

impl fmt::Debug for HubToolsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HubToolsBuilder").field("list", &self.list).finish_non_exhaustive()
    }
}
