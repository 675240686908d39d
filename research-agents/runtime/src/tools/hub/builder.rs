//! The builder that selects the tools of a hub that an agent may call.

use std::fmt;
use std::sync::Arc;

use research_agents_report::text::Marker;
use research_mcp::{CallOptions, Fingerprint, Hub, Object, QuarantinedTool, Standing, Tool};

use crate::error::model::Error;
use crate::tools::hub::allow::{AllowList, ToolPattern};
use crate::tools::hub::interviewer::Interviewer;
use crate::tools::hub::model::{Entry, Guard, HubTools, Inner};
use crate::tools::hub::present;

/// Default number of tools above which a model is given a search instead.
const DEFERRED_ABOVE: usize = 40;

/// Default maximum number of characters of a result that a model is shown.
const RESULT_CAP: usize = 20_000;

impl HubTools {
    /// Creates a builder for the tools of a hub. It allows nothing at first.
    pub fn builder(hub: Arc<Hub>) -> HubToolsBuilder {
        HubToolsBuilder::new(hub)
    }
}

/// Builds [`HubTools`]: selects tools of a hub and sets how they are called.
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
    /// Creates a builder that allows nothing.
    pub(crate) fn new(hub: Arc<Hub>) -> Self {
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

    /// Allows tools of servers. In both names `*` matches any characters.
    pub fn allow(mut self, server: impl Into<String>, tool: impl Into<String>) -> Self {
        self.list = self.list.allow(server, tool);
        self
    }

    /// Denies tools of servers, even if they are allowed.
    pub fn deny(mut self, server: impl Into<String>, tool: impl Into<String>) -> Self {
        self.list = self.list.deny(server, tool);
        self
    }

    /// Sets the whole list of allowed and denied tools.
    pub fn allow_list(mut self, list: AllowList) -> Self {
        self.list = list;
        self
    }

    /// Sets a function that checks every call with the arguments that the model wrote. Its error
    /// refuses the call and is sent to the model. Rules on paths and URLs belong here.
    pub fn guard(
        mut self,
        guard: impl Fn(&Tool, &Object) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.guard = Some(Arc::new(guard));
        self
    }

    /// Sets the number of tools above which a model is given a search instead of all of them.
    /// Defaults to 40.
    pub fn deferred_above(mut self, tools: usize) -> Self {
        self.deferred_above = tools;
        self
    }

    /// Sets the maximum number of characters of a result that a model is shown. Defaults to 20,000.
    /// It applies to results from a [toolbox](HubTools::toolbox); an agent with tools has a
    /// separate [cap](crate::tools::agent::ToolAgentBuilder::result_cap).
    pub fn result_cap(mut self, characters: usize) -> Self {
        self.result_cap = characters;
        self
    }

    /// Sets the limits and the overflow of every call. Options of a single call (answers, pin and
    /// label) are ignored.
    pub fn call_options(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets what receives the questions of servers that cannot wait for an answer. It must also be
    /// the hub's [`elicitor`](research_mcp::HubBuilder::elicitor).
    pub fn interviewer(mut self, interviewer: Arc<Interviewer>) -> Self {
        self.interviewer = Some(interviewer);
        self
    }

    /// Lists the tools of the hub, and selects those that are allowed, have not changed since they
    /// were approved, and can be shown to a model.
    ///
    /// # Errors
    ///
    /// [`Error::Tool`] when no server is connected at all.
    pub async fn build(self) -> Result<HubTools, Error> {
        let mut allowed = self.hub.tools().await?;
        allowed.retain(|tool| self.list.permits(&tool.server, &tool.name));

        let is_unmatched = |pattern: &&ToolPattern| {
            !allowed
                .iter()
                .any(|tool| pattern.matches(&tool.server, &tool.name))
        };
        let unmatched = self
            .list
            .allow
            .iter()
            .filter(is_unmatched)
            .cloned()
            .collect();

        // Tools that were not approved as they are now, or cannot be shown, are left out.
        let approvals = self.hub.approvals();
        let (mut entries, mut left_out) = (Vec::new(), Vec::new());
        for tool in allowed {
            let outcome = match approvals.standing(&tool) {
                Standing::Changed => {
                    Err("it has changed since it was approved; look at it and approve it again")
                }
                Standing::Unknown if approvals.strict => Err("it was not approved yet"),
                _ => present::definition(&tool),
            };
            match outcome {
                Ok(definition) => entries.push(Entry {
                    fingerprint: Fingerprint::of(&tool),
                    definition,
                    tool,
                }),
                Err(reason) => {
                    let mut out = QuarantinedTool::default();
                    (out.server, out.name, out.reason) =
                        (tool.server, tool.name, reason.to_owned());
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

        Ok(HubTools {
            inner: Arc::new(inner),
        })
    }
}

impl fmt::Debug for HubToolsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HubToolsBuilder")
            .field("list", &self.list)
            .finish_non_exhaustive()
    }
}
