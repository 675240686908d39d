//! The graph, and the studio as a system of the runtime.

use std::fmt;
use std::sync::Arc;

use research_agents_fieldwork::recorded::recorded_documents;
use research_agents_fieldwork::searcher::Searcher;
use research_agents_report::evidence::Evidence;
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::bundle::verify::Origins;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::RunStats;
use research_agents_runtime::job::{Kit, Settings};
use research_agents_runtime::limits::Policy;
use research_agents_runtime::limits::policy::Egress;
use research_agents_runtime::run::{Ended, RunStatus, System};
use research_agents_sources::search::{
    McpSearch, McpTools, RecordedSearch, SearchProvider, SourceKind,
};
use research_core::{CompiledGraph, END, Graph, Sends, Targets};
use research_llm::ChatModel;
use research_mcp::ToolSource;
use tokio::sync::Semaphore;

use crate::agent::analyzer::query_analyzer;
use crate::agent::clarify::clarify;
use crate::agent::gap_detector::gap_detector;
use crate::agent::kit::{SEARCHER, StudioKit};
use crate::agent::orchestrator::orchestrator;
use crate::agent::planner::planner;
use crate::agent::state::StudioState;
use crate::agent::subagent::subagent;
use crate::agent::synthesizer::synthesizer;
use crate::agent::trust_engine::trust_engine;
use crate::agent::writer::{evidence, writer};
use crate::builder::Studio;
use crate::config::{SourceInfo, StudioConfig};
use crate::event::StudioEvent;
use crate::route::{Next, Progress, Stops, next};

/// The name under which bundles keep runs of the studio.
pub(crate) const NAME: &str = "studio";

/// Maximum number of rounds beyond the settings for questions that the user adds.
const MOST_STEERED: u32 = 3;

/// Builds the graph.
pub(crate) fn graph(stops: Stops) -> Result<CompiledGraph<StudioState, StudioKit>, Error> {
    let mut g = Graph::<StudioState, StudioKit>::new(NAME);
    let analyzing = g.node("query_analyzer", query_analyzer);
    let clarifying = g.node("clarify", clarify);
    let planning = g.node("planner", planner);
    let assigning = g.node("orchestrator", orchestrator);
    let researching = g.task("subagent", subagent);
    let synthesizing = g.node("synthesizer", synthesizer);
    let reviewing = g.node("gap_detector", gap_detector);
    let trusting = g.node("trust_engine", trust_engine);
    let writing = g.node("writer", writer);

    g.entry(analyzing)
        .edge(clarifying, planning)
        .edge(planning, assigning)
        .edge(researching, synthesizing)
        .edge(synthesizing, reviewing)
        .edge(trusting, writing)
        .edge(writing, END)
        .route(analyzing, move |state: &StudioState| -> Targets {
            if state.query_analysis.needs_clarification {
                clarifying.into()
            } else {
                planning.into()
            }
        })
        .route(assigning, move |state: &StudioState| -> Targets {
            let assignments = state.subagent_assignments.iter();
            let sends: Sends = assignments
                .map(|assignment| researching.send(assignment.clone()))
                .collect();
            if state.subagent_assignments.is_empty() {
                synthesizing.into()
            } else {
                sends.into()
            }
        })
        .route(reviewing, move |state: &StudioState| -> Targets {
            if goes_on(state, &stops) {
                assigning.into()
            } else {
                trusting.into()
            }
        });
    Ok(g.compile()?)
}

/// Returns whether another round follows. Questions that the user added get a round even if
/// research is otherwise over.
fn goes_on(state: &StudioState, stops: &Stops) -> bool {
    if state.refinements.is_empty() {
        return false;
    }
    if state.has_steered && state.research_iteration < stops.max_iterations + MOST_STEERED {
        return true;
    }
    let progress = Progress {
        iteration: state.research_iteration,
        confidence: state.overall_confidence,
        previous: state.previous_confidence,
        gaps: state.knowledge_gaps.len(),
    };
    next(&progress, stops) == Next::Orchestrator
}

impl System for Studio {
    const NAME: &'static str = NAME;

    type State = StudioState;
    type Resources = StudioKit;
    type Config = StudioConfig;
    type Event = StudioEvent;
    type Outcome = Ended<StudioState>;

    fn graph(&self) -> &CompiledGraph<StudioState, StudioKit> {
        &self.graph
    }

    fn config(&self) -> &StudioConfig {
        &self.config
    }

    fn model(&self) -> Arc<dyn ChatModel> {
        Arc::clone(&self.model)
    }

    fn tools(&self) -> Arc<dyn ToolSource> {
        Arc::clone(&self.tools)
    }

    fn limits(&self) -> Settings {
        let config = &self.config;
        let own = ["search_*", "fetch_*"].map(str::to_owned);
        let tools = config
            .sources
            .iter()
            .filter_map(|source| source.tools.as_ref());
        let tools = tools.flat_map(|[search, _, fetch, _]| [search.clone(), fetch.clone()]);
        let mut policy = Policy::new().role(SEARCHER, own.into_iter().chain(tools));
        if config.sources.iter().any(|one| one.kind == SourceKind::Web) {
            policy = policy.egress(Egress::Public);
        }

        let approvals = u32::from(config.approve_plan);
        Settings::new(policy)
            .budget(config.budget)
            .clarification(config.clarification, config.max_clarifications + approvals)
    }

    fn resources(&self, kit: Kit) -> StudioKit {
        StudioKit {
            kit,
            searcher: self.searcher.clone(),
            config: Arc::clone(&self.config),
            slots: Arc::new(Semaphore::new(self.config.parallel)),
        }
    }

    /// A follow-up reads the evidence of the run before it. Ids of sources stay the same.
    fn follow_up(finished: StudioState, mut input: StudioState) -> StudioState {
        input.earlier = finished.earlier;
        input.earlier.push(finished.input.question);
        input.passages = finished.passages;
        input.rating = finished.rating;
        input
    }

    fn evidence(state: &StudioState) -> Evidence {
        evidence(state)
    }

    fn end_status(state: &StudioState) -> RunStatus {
        match state.stopped.as_deref() {
            None => RunStatus::Completed,
            Some(stop) if stop.contains("cancel") => RunStatus::Cancelled,
            Some(_) => RunStatus::BudgetExhausted,
        }
    }

    fn outcome(ended: Ended<StudioState>) -> Ended<StudioState> {
        ended
    }

    fn stats(outcome: &Ended<StudioState>) -> RunStats {
        let state = &outcome.state;
        RunStats {
            iterations: state.research_iteration,
            docs_processed: state.passages.documents().len() as u64,
            findings_count: state.research_metadata.verified,
            confidence: state.overall_confidence,
            ..outcome.stats()
        }
    }

    fn markdown(outcome: &Ended<StudioState>) -> &str {
        outcome.markdown()
    }

    fn origins(bundle: &Bundle) -> Origins {
        Origins {
            documents: recorded_documents(bundle),
            context: vec![bundle.question.clone()],
            ..Origins::default()
        }
    }

    fn for_replay(
        config: StudioConfig,
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn ToolSource>,
    ) -> Result<Self, Error> {
        let sources: Vec<Arc<dyn SearchProvider>> = config.sources.iter().map(recorded).collect();
        let searcher = Searcher::new(sources).credibility(config.credibility.clone());
        Ok(Self {
            graph: graph(config.stops)?,
            model,
            tools,
            config: Arc::new(config),
            searcher,
            not_read: Arc::default(),
        })
    }
}

/// Returns a source that asks the recording of a run.
fn recorded(source: &SourceInfo) -> Arc<dyn SearchProvider> {
    match &source.tools {
        None => Arc::new(RecordedSearch::new(&*source.name, source.kind)),
        Some([search, query, fetch, id]) => {
            let tools = McpTools::new(search, fetch).query(query).id(id);
            Arc::new(McpSearch::with_tools(&*source.name, tools))
        }
    }
}

impl fmt::Debug for Studio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Studio")
            .field("model", &self.model.info().id())
            .field("searcher", &self.searcher)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
