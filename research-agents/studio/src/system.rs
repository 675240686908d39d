//! The studio as a system of the runtime.

use std::fmt;
use std::sync::Arc;

use research_agents_fieldwork::recorded::document_origins;
use research_agents_fieldwork::source_set::{policy, recorded_searcher};
use research_agents_report::evidence::Evidence;
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::bundle::verify::Origins;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::RunStats;
use research_agents_runtime::job::{Kit, Settings};
use research_agents_runtime::run::{Ended, RunStatus, System};
use research_core::CompiledGraph;
use research_llm::ChatModel;
use research_mcp::ToolSource;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Semaphore;

use crate::agent::graph::{NAME, graph};
use crate::agent::kit::StudioKit;
use crate::agent::state::StudioState;
use crate::agent::writer::evidence;
use crate::builder::Studio;
use crate::config::StudioConfig;
use crate::earlier::StudioInput;
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
        let approvals = u32::from(config.approve_plan);
        Settings::new(policy(&config.sources))
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
    fn follow_up(finished: StudioState, input: StudioState) -> StudioState {
        StudioState::from(finished.followed_by(input.input))
    }

    fn evidence(state: &StudioState) -> Evidence {
        evidence(state)
    }

    fn end_status(state: &StudioState) -> RunStatus {
        RunStatus::ended(state.early_end.as_ref())
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
        let config = config.unwrap_or_default();
        let input = StudioInput::deserialize(&bundle.input).unwrap_or_default();
        let earlier = input.earlier.unwrap_or_default();
        document_origins(
            bundle,
            &earlier.evidence.effects,
            &config.sources,
            &config.credibility,
            config.local_credibility,
            problem,
        )
    }

    fn for_replay(
        config: StudioConfig,
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn ToolSource>,
    ) -> Result<Self, Error> {
        let searcher = recorded_searcher(&config.sources, config.credibility.clone());
        let searcher = searcher.limits(config.searcher);
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

impl fmt::Debug for Studio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Studio")
            .field("model", &self.model.info().id())
            .field("searcher", &self.searcher)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
