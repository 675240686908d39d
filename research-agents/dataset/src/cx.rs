//! The resources of a run, and the context that its nodes and sub-agents get.

pub(crate) mod tool_dialect;

use std::fmt;
use std::sync::Arc;

use research_agents_report::evidence::Source;
use research_agents_report::text::Marker;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::{EventKind, ReportedOnce};
use research_agents_runtime::job::{Ask, Job, Kit, Settings};
use research_agents_runtime::limits::{Budget, Policy};
use research_agents_runtime::run::{NodeJob, RunState};
use research_agents_runtime::tools::registry::Registry;
use research_core::Cx;
use research_llm::{ChatModel, ModelInfo};
use research_mcp::envelope::DataResult;
use research_mcp::{Object, Tool, ToolSource};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::cx::tool_dialect::DatasetDialect;
use crate::data::config::DatasetConfig;
use crate::data::event::{DatasetEventKind, Phase};
use crate::data::record::Finding;
use crate::prompts;
use crate::state::model::{DatasetState, DatasetStateUpdate};
use crate::tools::reading::Reading;

/// The policy role of tool calls that a plan names itself.
pub const TOOLS_ROLE: &str = "execute_tools";

/// The resources of the dataset graph, created for each run.
#[derive(Clone)]
pub struct Services {
    kit: Kit,
    pub(crate) agents: Registry<DatasetCx>,
    pub(crate) config: Arc<DatasetConfig>,
    reported: ReportedOnce,
}

impl Services {
    /// Creates the resources of one run, for hosts that run the graph themselves. When the token is
    /// cancelled, the run ends with a report on what it has gathered so far.
    pub fn new(
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn ToolSource>,
        agents: Registry<DatasetCx>,
        config: Arc<DatasetConfig>,
        cancel: CancellationToken,
    ) -> Self {
        let kit = Kit::new(model, tools, limits(&config, &agents)).with_cancel(cancel);
        Self::with_kit(kit, agents, config)
    }

    /// Creates the resources of a run from those that the runtime provides.
    pub(crate) fn with_kit(
        kit: Kit,
        agents: Registry<DatasetCx>,
        config: Arc<DatasetConfig>,
    ) -> Self {
        Self {
            kit,
            agents,
            config,
            reported: ReportedOnce::default(),
        }
    }

    /// Sets the marker of untrusted text, for tests that compare prompts.
    #[must_use]
    pub fn with_marker(mut self, marker: Marker) -> Self {
        self.kit = self.kit.with_marker(marker);
        self
    }
}

/// Returns the limits and policies of a run. Unless the settings have a policy, the tools of the
/// run may be called by plans and by the sub-agents whose cards say that they fetch data.
pub(crate) fn limits(config: &DatasetConfig, agents: &Registry<DatasetCx>) -> Settings {
    let standard = || {
        let policy = Policy::new().role(TOOLS_ROLE, ["*"]);
        agents.cards().fold(policy, |policy, card| {
            policy.role(card.name, card.fetches_data.then_some("*"))
        })
    };
    Settings::new(config.policy.clone().unwrap_or_else(standard))
        .budget(config.budget)
        .retry(config.retry)
        .parallel_calls(config.parallel_calls)
        .clarification(config.clarification, config.max_clarifications)
}

impl AsRef<Kit> for Services {
    fn as_ref(&self) -> &Kit {
        &self.kit
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services")
            .field("kit", &self.kit)
            .field("agents", &self.agents)
            .finish_non_exhaustive()
    }
}

/// The context of a sub-agent: the state as the last step left it, the settings, and the [`Job`]
/// that asks models, calls tools and emits events.
#[derive(Clone)]
pub struct DatasetCx {
    cx: Cx<DatasetState, Services>,
    job: Job,
}

impl DatasetCx {
    /// Creates the context of one task.
    pub(crate) fn new(cx: Cx<DatasetState, Services>) -> Self {
        let job = cx.job().with_dialect(DatasetDialect::new(cx.state.clone()));
        Self { cx, job }
    }

    /// Returns the job of the task.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Adds to an update the usage, the time and the tape of the task.
    pub(crate) fn done(&self, update: DatasetStateUpdate) -> DatasetStateUpdate {
        DatasetState::record(update, self.job.done())
    }

    /// Returns the same context in another role. The policy allows tool calls by role.
    pub(crate) fn in_role(&self, role: &str) -> Self {
        Self {
            cx: self.cx.clone(),
            job: self.job.in_role(role),
        }
    }

    /// Returns the same context with tools that the task has discovered and enabled itself, which
    /// the state does not have yet.
    pub(crate) fn with_discovered(&self, tools: &[Tool]) -> Self {
        let dialect = DatasetDialect::new(self.cx.state.clone()).with_discovered(tools);
        Self {
            cx: self.cx.clone(),
            job: self.job.clone().with_dialect(dialect),
        }
    }

    /// Returns the same context without tools, for agents whose cards do not say that they fetch
    /// data.
    pub(crate) fn without_tools(&self) -> Self {
        Self {
            cx: self.cx.clone(),
            job: self.job.without_tools(),
        }
    }

    /// Returns the state as the last step left it.
    pub fn state(&self) -> &DatasetState {
        &self.cx.state
    }

    /// Returns the settings.
    pub fn config(&self) -> &DatasetConfig {
        &self.cx.resources.config
    }

    /// Returns the sub-agents.
    pub(crate) fn agents(&self) -> &Registry<DatasetCx> {
        &self.cx.resources.agents
    }

    /// Returns the description of the model.
    pub(crate) fn model(&self) -> &ModelInfo {
        self.job.kit().model()
    }

    /// Returns the budget of the run.
    pub(crate) fn budget(&self) -> &Budget {
        self.job.kit().budget()
    }

    /// Returns the cost of the model so far in US dollars, if its price is known.
    pub(crate) fn cost(&self) -> Option<f64> {
        self.job.kit().cost()
    }

    /// Returns how to call a tool, page through its records and read its results.
    pub(crate) fn reading(&self, tool: &str) -> Reading {
        Reading::of(tool, self.state().listed_tool(tool), self.config())
    }

    /// Asks the model and returns its typed answer, in the language of the run.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Job::ask`].
    pub async fn ask<T>(&self, ask: Ask<'_, impl Serialize + Sync>) -> Result<T, Error>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send,
    {
        let template = ask.template().name;
        let ask = ask.rewrite(move |prompt| prompts::in_language(prompt, template, self.state()));
        self.job.ask(ask).await
    }

    /// Returns the tools. Calls are checked, counted and reported. Every call of an agent whose
    /// card does not say that it fetches data is refused.
    pub fn tools(&self) -> Arc<dyn ToolSource> {
        Arc::new(self.job.tools())
    }

    /// Calls a tool and returns the JSON of its result. A call that fails with a transient error is
    /// retried.
    ///
    /// # Errors
    ///
    /// Returns an error if the call has no result, if the tool reports an error, if the result is
    /// not JSON, if the policy or the budget does not allow the call, or if the run must stop.
    pub async fn call_tool(&self, name: &str, arguments: Object) -> Result<Value, Error> {
        self.call_tool_for(name, arguments)
            .await
            .map(|(data, _)| data.into_value())
    }

    /// Calls a tool and returns the JSON of its result, and the arguments as they were sent.
    pub(crate) async fn call_tool_for(
        &self,
        name: &str,
        arguments: Object,
    ) -> Result<(DataResult, Object), Error> {
        let answer = self.job.call_tool(name, arguments).await?;
        Ok((
            answer.json.map_err(|error| Error::from(*error))?,
            answer.sent,
        ))
    }

    /// Returns `true` if gathering must stop: the run was cancelled, or its budget is used up.
    pub fn is_cancelled(&self) -> bool {
        self.job.is_stopped()
    }

    /// Emits an event: a [shared](research_agents_runtime::event::RunEvent) one, or one of the
    /// dataset agent.
    pub fn emit(&self, event: impl Into<EventKind<DatasetEventKind>>) {
        match event.into() {
            EventKind::Run(event) => self.job.emit(event),
            EventKind::Own(event) => {
                self.job.record_event(&event);
                self.cx.emit(event);
            }
        }
    }

    /// Reports sources and findings that were not reported yet.
    pub(crate) fn announce<'n>(
        &self,
        sources: impl IntoIterator<Item = &'n Source>,
        findings: impl IntoIterator<Item = &'n Finding>,
    ) {
        let reported = &self.cx.resources.reported;

        reported
            .sources(sources)
            .into_iter()
            .for_each(|event| self.emit(event));

        findings
            .into_iter()
            .filter(|finding| reported.is_news(&finding.id, finding.evidence_count))
            .for_each(|finding| {
                self.emit(DatasetEventKind::Finding {
                    finding: finding.clone(),
                })
            });
    }

    /// Reports that a phase starts.
    pub(crate) fn phase(&self, phase: Phase) {
        self.job.phase(phase.as_str());
    }

    /// Reports the progress of the run, and returns the percentage that was reported, which never
    /// decreases.
    pub(crate) fn progress(&self, percent: u8, message: impl Into<String>) -> u8 {
        self.job.progress(percent, message)
    }

    /// Reports a failure that does not end the run.
    pub(crate) fn warn(&self, error: &Error) {
        self.job.warn(error);
    }
}

impl fmt::Debug for DatasetCx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetCx")
            .field("job", &self.job)
            .finish_non_exhaustive()
    }
}
