//! The workflow as a system of the runtime.

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

use crate::agent::citation::evidence;
use crate::agent::graph::{NAME, graph};
use crate::agent::kit::FeedbackKit;
use crate::agent::state::FeedbackState;
use crate::builder::FeedbackAgent;
use crate::config::FeedbackConfig;
use crate::earlier::FeedbackInput;
use crate::event::FeedbackEvent;

impl System for FeedbackAgent {
    const NAME: &'static str = NAME;

    type State = FeedbackState;
    type Resources = FeedbackKit;
    type Config = FeedbackConfig;
    type Event = FeedbackEvent;
    type Outcome = Ended<FeedbackState>;

    fn graph(&self) -> &CompiledGraph<FeedbackState, FeedbackKit> {
        &self.graph
    }

    fn config(&self) -> &FeedbackConfig {
        &self.config
    }

    fn model(&self) -> Arc<dyn ChatModel> {
        Arc::clone(&self.model)
    }

    fn tools(&self) -> Arc<dyn ToolSource> {
        Arc::clone(&self.tools)
    }

    fn limits(&self) -> Settings {
        Settings::new(policy(&self.config.sources)).budget(self.config.budget)
    }

    fn resources(&self, kit: Kit) -> FeedbackKit {
        FeedbackKit::new(kit, self.searcher.clone(), Arc::clone(&self.config))
    }

    /// A follow-up begins with the findings of the run before it that are about its question. Ids
    /// of sources stay the same.
    fn follow_up(finished: FeedbackState, input: FeedbackState) -> FeedbackState {
        FeedbackState::from(finished.followed_by(input.input))
    }

    fn evidence(state: &FeedbackState) -> Evidence {
        evidence(state)
    }

    fn end_status(state: &FeedbackState) -> RunStatus {
        RunStatus::ended(state.early_end.as_ref())
    }

    fn outcome(ended: Ended<FeedbackState>) -> Ended<FeedbackState> {
        ended
    }

    fn stats(outcome: &Ended<FeedbackState>) -> RunStats {
        let state = &outcome.state;
        RunStats {
            iterations: state.iteration_count,
            docs_processed: state.passages.documents().len() as u64,
            findings_count: state.memo.findings.len(),
            confidence: state.decision.confidence,
            ..outcome.stats()
        }
    }

    fn markdown(outcome: &Ended<FeedbackState>) -> &str {
        outcome.markdown()
    }

    fn origins(bundle: &Bundle) -> Origins {
        let settings = bundle.settings.get("config");
        let config = FeedbackConfig::deserialize(settings.unwrap_or(&Value::Null));
        let problem = config.as_ref().err().map(ToString::to_string);
        let config = config.unwrap_or_default();
        let input = FeedbackInput::deserialize(&bundle.input).unwrap_or_default();
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
        config: FeedbackConfig,
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn ToolSource>,
    ) -> Result<Self, Error> {
        let searcher = recorded_searcher(&config.sources, config.credibility.clone());
        Ok(Self {
            graph: graph(&config)?,
            model,
            tools,
            searcher: searcher.limits(config.searcher),
            config: Arc::new(config),
            not_read: Arc::default(),
        })
    }
}

impl fmt::Debug for FeedbackAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeedbackAgent")
            .field("model", &self.model.info().id())
            .field("searcher", &self.searcher)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
