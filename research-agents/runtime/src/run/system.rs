//! The trait of a research system.

use std::sync::Arc;
use std::time::{Duration, Instant};

use research_agents_report::evidence::Evidence;
use research_core::{CompiledGraph, State};
use research_llm::ChatModel;
use research_mcp::ToolSource;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bundle::model::Bundle;
use crate::bundle::verify::origins::Origins;
use crate::error::model::Error;
use crate::event::vocabulary::{EventKind, RunEvent, RunStats};
use crate::job::{Kit, Settings};
use crate::run::state::RunState;
use crate::run::status::RunStatus;

/// A research system: a graph over a [`RunState`], with the model, tools and settings that it runs
/// on. Cheap to clone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a research system",
    label = "this must implement `System`",
    note = "implement it for the value that holds the graph, the model, the tools and the settings"
)]
pub trait System: Clone + Send + Sync + Sized + 'static {
    /// The name under which bundles keep runs of this system, in snake case.
    const NAME: &'static str;

    /// The state of its graph.
    type State: RunState + Into<<Self::State as State>::Update>;
    /// The resources of its nodes.
    type Resources: Send + Sync + 'static;
    /// Its settings, which bundles keep.
    type Config: Serialize + DeserializeOwned + Send + Sync;
    /// Its own events, next to the [shared ones](RunEvent).
    type Event: Clone + Serialize + Send + Sync + 'static;
    /// What a run gives.
    type Outcome: Send;

    /// Returns the graph. Attach a checkpointer to it for threads.
    fn graph(&self) -> &CompiledGraph<Self::State, Self::Resources>;

    /// Returns the settings.
    fn config(&self) -> &Self::Config;

    /// Returns the model.
    fn model(&self) -> Arc<dyn ChatModel>;

    /// Returns the tools.
    fn tools(&self) -> Arc<dyn ToolSource>;

    /// Returns the limits and policies of a run.
    fn limits(&self) -> Settings;

    /// Creates the resources of one run.
    fn resources(&self, kit: Kit) -> Self::Resources;

    /// Returns the maximum number of steps of a run with this input. Defaults to 10,000.
    fn step_limit(&self, input: &Self::State) -> u64 {
        let _ = input;
        10_000
    }

    /// Returns the state that a follow-up question starts from, given the finished run before it on
    /// the thread. Defaults to the input alone.
    fn follow_up(finished: Self::State, input: Self::State) -> Self::State {
        drop(finished);
        input
    }

    /// Returns the evidence that the report of a run rests on.
    fn evidence(state: &Self::State) -> Evidence;

    /// Returns the texts whose numbers a report may repeat without a claim. Defaults to the
    /// question.
    fn context(state: &Self::State) -> Vec<String> {
        vec![state.question().to_owned()]
    }

    /// Returns the events that stream the report of a run that had finished before. Defaults to the
    /// report alone.
    fn report_events(state: &Self::State) -> Vec<EventKind<Self::Event>> {
        let markdown = state.markdown().unwrap_or_default();
        RunEvent::report(&markdown, state.document().cloned())
            .into_iter()
            .map(EventKind::Run)
            .collect()
    }

    /// Returns the status of a run whose graph has ended: completed, cancelled, or out of budget.
    /// Defaults to completed.
    fn end_status(state: &Self::State) -> RunStatus {
        let _ = state;
        RunStatus::Completed
    }

    /// Returns the outcome of a run.
    fn outcome(ended: Ended<Self::State>) -> Self::Outcome;

    /// Returns the statistics of a run.
    fn stats(outcome: &Self::Outcome) -> RunStats;

    /// Returns the Markdown of the report.
    fn markdown(outcome: &Self::Outcome) -> &str;

    /// Reads the recorded answers of tools in a bundle again, and returns the sources and tables
    /// that follow from them.
    fn origins(bundle: &Bundle) -> Origins;

    /// Creates the system that replays a run: with the recorded settings, and with a model and
    /// tools that must not be called.
    ///
    /// # Errors
    ///
    /// When the settings are invalid.
    fn for_replay(
        config: Self::Config,
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn ToolSource>,
    ) -> Result<Self, Error>;
}

/// A run that has ended with a report.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ended<S> {
    /// The final state.
    pub state: S,
    /// Id of the run.
    pub run_id: String,
    /// The report as Markdown.
    markdown: String,
    /// Provider and name of the model.
    pub model: String,
    /// Duration in this process.
    pub elapsed: Duration,
    /// The run in one file, if it was recorded and wrote a report.
    pub bundle: Option<Arc<Bundle>>,
}

impl<S: RunState> Ended<S> {
    /// Creates the end of a run that started at `started`.
    pub(crate) fn new(
        state: S,
        run_id: String,
        model: &str,
        started: Instant,
        bundle: Option<Bundle>,
    ) -> Self {
        let (elapsed, bundle) = (started.elapsed(), bundle.map(Arc::new));
        let markdown = state.markdown().unwrap_or_default().into_owned();
        Self {
            state,
            markdown,
            run_id,
            model: model.to_owned(),
            elapsed,
            bundle,
        }
    }

    /// Returns the report as Markdown; empty if the run wrote none.
    pub fn markdown(&self) -> &str {
        &self.markdown
    }

    /// Returns the statistics that every run has: calls, tokens and durations.
    pub fn stats(&self) -> RunStats {
        let usage = self.state.usage();
        RunStats {
            planner_calls: usage.planner_calls,
            llm_calls: usage.llm_calls,
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
            mcp_calls: usage.mcp_calls,
            model: self.model.clone(),
            elapsed_ms: u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX),
            ..RunStats::default()
        }
    }
}
