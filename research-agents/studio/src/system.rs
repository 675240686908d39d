//! The studio as a system of the runtime.

use std::fmt;
use std::sync::Arc;

use research_agents_fieldwork::recorded::recorded_documents;
use research_agents_fieldwork::searcher::Searcher;
use research_agents_report::assessment::Rating;
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
use research_core::CompiledGraph;
use research_llm::ChatModel;
use research_mcp::ToolSource;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::agent::graph::{NAME, graph};
use crate::agent::kit::{SEARCHER, StudioKit};
use crate::agent::state::StudioState;
use crate::agent::writer::evidence;
use crate::builder::Studio;
use crate::config::{SourceInfo, StudioConfig};
use crate::event::StudioEvent;

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
        match &state.early_end {
            None => RunStatus::Completed,
            Some(early_end) if early_end.is_cancelled => RunStatus::Cancelled,
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
        let settings = bundle.settings.get("config");
        let config = StudioConfig::deserialize(settings.unwrap_or(&Value::Null));
        let problem = config.as_ref().err().map(ToString::to_string);
        Origins {
            documents: recorded_documents(bundle),
            context: vec![bundle.question.clone()],
            rating: rating(bundle, &config.unwrap_or_default()),
            answers: vec![("the settings of the run".to_owned(), problem)],
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

/// Returns how credible the sites of a bundle are by its settings. A model can only make them less
/// credible, so no mark can be higher than these allow.
fn rating(bundle: &Bundle, config: &StudioConfig) -> Rating {
    let mut rating = Rating::default();
    for document in bundle.evidence.passages.documents() {
        let site = document.origin.site.clone();
        let own = config.credibility_of(document);
        let known = rating.credibility.entry(site).or_insert(own);
        *known = known.max(own);
    }
    rating
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
