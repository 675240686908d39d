//! The dataset agent as a research system of the runtime.

use std::sync::Arc;

use research_agents_report::evidence::Evidence;
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::bundle::verify::Origins;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::{EventKind, RunStats};
use research_agents_runtime::job::{Kit, Settings};
use research_agents_runtime::run::{Ended, RunStatus, System};
use research_core::CompiledGraph;
use research_llm::ChatModel;
use research_mcp::ToolSource;

use crate::agent::builder::{DatasetAgent, DatasetAgentBuilder};
use crate::agent::origins::{SYSTEM, origins};
use crate::agent::outcome::DatasetReport;
use crate::cx::{Services, limits};
use crate::data::completion::Completion;
use crate::data::config::DatasetConfig;
use crate::data::event::DatasetEventKind;
use crate::data::filters::describe_filters;
use crate::graph::plan::correct::ROUNDS;
use crate::graph::stream_report::report_events;
use crate::state::evidence::evidence;
use crate::state::model::DatasetState;

impl System for DatasetAgent {
    const NAME: &'static str = SYSTEM;

    type State = DatasetState;
    type Resources = Services;
    type Config = DatasetConfig;
    type Event = DatasetEventKind;
    type Outcome = DatasetReport;

    fn graph(&self) -> &CompiledGraph<DatasetState, Services> {
        &self.graph
    }

    fn config(&self) -> &DatasetConfig {
        &self.config
    }

    fn model(&self) -> Arc<dyn ChatModel> {
        Arc::clone(&self.model)
    }

    fn tools(&self) -> Arc<dyn ToolSource> {
        Arc::clone(&self.tools)
    }

    fn limits(&self) -> Settings {
        limits(&self.config, &self.agents)
    }

    fn resources(&self, kit: Kit) -> Services {
        Services::with_kit(kit, self.agents.clone(), Arc::clone(&self.config))
    }

    /// An iteration takes four steps, and three more for each round of calls that wait for others.
    fn step_limit(&self, input: &DatasetState) -> u64 {
        let limit = match input.max_iterations {
            0 => self.config.max_iterations,
            limit => limit,
        };
        let steps = 4 + 3 * ROUNDS as u64;
        u64::from(limit).saturating_mul(steps).saturating_add(16)
    }

    fn follow_up(finished: DatasetState, input: DatasetState) -> DatasetState {
        finished.followed_by(input)
    }

    fn evidence(state: &DatasetState) -> Evidence {
        evidence(state)
    }

    /// Returns the filters in words, the names of fields, and the question.
    fn context(state: &DatasetState) -> Vec<String> {
        let filters = state
            .ledger
            .scopes()
            .iter()
            .map(|scope| describe_filters(&scope.filters));
        let fields = state
            .tools()
            .flat_map(|tool| tool.fields.iter().map(|field| field.name.clone()));
        filters
            .chain(fields)
            .chain([state.question.clone()])
            .collect()
    }

    fn report_events(state: &DatasetState) -> Vec<EventKind<DatasetEventKind>> {
        report_events(state, None)
            .into_iter()
            .map(EventKind::Run)
            .collect()
    }

    fn end_status(state: &DatasetState) -> RunStatus {
        match state.completion {
            Some(Completion::Cancelled) => RunStatus::Cancelled,
            Some(Completion::Budget) => RunStatus::BudgetExhausted,
            _ => RunStatus::Completed,
        }
    }

    fn outcome(ended: Ended<DatasetState>) -> DatasetReport {
        DatasetReport::new(ended)
    }

    fn stats(report: &DatasetReport) -> RunStats {
        report.stats.clone()
    }

    fn markdown(report: &DatasetReport) -> &str {
        &report.markdown
    }

    fn origins(bundle: &Bundle) -> Origins {
        origins(bundle)
    }

    fn for_replay(
        config: DatasetConfig,
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn ToolSource>,
    ) -> Result<Self, Error> {
        DatasetAgentBuilder::new(model, tools)
            .config(config)
            .build()
    }
}
