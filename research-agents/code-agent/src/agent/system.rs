//! The agent as a research system of the runtime: the graph, bundles and replay.

use std::fmt;
use std::sync::Arc;

use crate::actions::ActionRegistry;
use crate::agent::decide::decide;
use crate::agent::execute::execute;
use crate::agent::finish::{evidence, finish, results, source_of};
use crate::agent::kit::{CodeKit, Space};
use crate::agent::state::{CodeState, CodeStateUpdate};
use crate::agent::verify::check;
use crate::run::AgentConfig;
use research_agents_code::base::CodeBase;
use research_agents_report::evidence::Evidence;
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::bundle::verify::Origins;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::{NoEvent, RunStats};
use research_agents_runtime::job::{Job, Kit, Settings};
use research_agents_runtime::limits::{BudgetLimits, Policy};
use research_agents_runtime::run::{Ended, NodeJob, RunStatus, System};
use research_core::{CompiledGraph, Cx, END, Graph, NodeError, Targets};
use research_llm::ChatModel;
use research_mcp::ToolSource;

/// The name under which bundles keep runs of the agent.
pub const NAME: &str = "code";

/// The agent as a system: a graph of the phases `decide`, `execute`, `check` and `finish`. Cheap to
/// clone.
#[derive(Clone)]
pub struct CodeSystem {
    pub(super) graph: CompiledGraph<CodeState, CodeKit>,
    pub(super) model: Arc<dyn ChatModel>,
    pub(super) tools: Arc<dyn ToolSource>,
    pub(super) config: Arc<AgentConfig>,
    pub(super) actions: ActionRegistry,
    pub(super) space: Space,
}

macro_rules! node {
    ($phase:ident) => {
        |cx: Cx<CodeState, CodeKit>| async move {
            let job = cx.job();
            let update = $phase(&job, &cx.state, &cx.resources).await?;
            Ok::<CodeStateUpdate, NodeError>(cx.done(&job, update))
        }
    };
}

fn graph() -> Result<CompiledGraph<CodeState, CodeKit>, Error> {
    let mut g = Graph::<CodeState, CodeKit>::new(NAME);
    let first = g.node("decide", node!(decide));
    let second = g.node("execute", node!(execute));
    let third = g.node("check", node!(check));
    let last = g.node("finish", node!(finish));

    g.entry(first)
        .edge(first, second)
        .edge(second, third)
        .edge(last, END)
        .route(third, move |state: &CodeState| -> Targets {
            if state.should_stop {
                last.into()
            } else {
                first.into()
            }
        });
    Ok(g.compile()?)
}

/// Runs one phase of a step by its name, for the loop.
pub(super) async fn phase(
    name: &str,
    job: &Job,
    state: &CodeState,
    kit: &CodeKit,
) -> Result<CodeStateUpdate, Error> {
    match name {
        "decide" => decide(job, state, kit).await,
        "execute" => execute(job, state, kit).await,
        "check" => check(job, state, kit).await,
        _ => finish(job, state, kit).await,
    }
}

impl CodeSystem {
    pub(super) fn new(
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn ToolSource>,
        config: AgentConfig,
        actions: ActionRegistry,
        base: Option<Arc<CodeBase>>,
    ) -> Result<Self, Error> {
        config.validate().map_err(Error::other)?;
        Ok(Self {
            graph: graph()?,
            model,
            tools,
            config: Arc::new(config),
            actions,
            space: Space(base),
        })
    }

    /// Sets the actions, such as those that a replayed run had.
    #[must_use]
    pub fn with_actions(mut self, actions: ActionRegistry) -> Self {
        self.actions = actions;
        self
    }

    /// Keeps runs that have a thread in a store.
    #[must_use]
    pub fn with_checkpointer(mut self, store: impl research_core::Checkpointer) -> Self {
        self.graph = self.graph.with_checkpointer(store);
        self
    }
}

impl System for CodeSystem {
    const NAME: &'static str = NAME;

    type State = CodeState;
    type Resources = CodeKit;
    type Config = AgentConfig;
    type Event = NoEvent;
    type Outcome = Ended<CodeState>;

    fn graph(&self) -> &CompiledGraph<CodeState, CodeKit> {
        &self.graph
    }

    fn config(&self) -> &AgentConfig {
        &self.config
    }

    fn model(&self) -> Arc<dyn ChatModel> {
        Arc::clone(&self.model)
    }

    fn tools(&self) -> Arc<dyn ToolSource> {
        Arc::clone(&self.tools)
    }

    fn limits(&self) -> Settings {
        let limits = BudgetLimits::default().time(self.config.wall_time());
        Settings::new(Policy::new()).budget(limits)
    }

    fn resources(&self, kit: Kit) -> CodeKit {
        CodeKit {
            kit,
            actions: self.actions.clone(),
            config: Arc::clone(&self.config),
            space: self.space.clone(),
        }
    }

    fn evidence(state: &CodeState) -> Evidence {
        evidence(&state.run)
    }

    fn end_status(state: &CodeState) -> RunStatus {
        if state.run.is_partial {
            RunStatus::BudgetExhausted
        } else {
            RunStatus::Completed
        }
    }

    fn outcome(ended: Ended<CodeState>) -> Ended<CodeState> {
        ended
    }

    fn stats(outcome: &Ended<CodeState>) -> RunStats {
        outcome.stats()
    }

    fn markdown(outcome: &Ended<CodeState>) -> &str {
        outcome.markdown()
    }

    fn origins(bundle: &Bundle) -> Origins {
        Origins {
            sources: results(bundle)
                .flat_map(|result| result.evidence)
                .map(|lines| source_of(&lines))
                .collect(),
            context: vec![bundle.question.clone()],
            ..Origins::default()
        }
    }

    fn for_replay(
        config: AgentConfig,
        model: Arc<dyn ChatModel>,
        tools: Arc<dyn ToolSource>,
    ) -> Result<Self, Error> {
        let actions = ActionRegistry::standard().build().map_err(Error::other)?;
        Self::new(model, tools, config, actions, None)
    }
}

impl fmt::Debug for CodeSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodeSystem")
            .field("model", &self.model.info().id())
            .field("config", &self.config)
            .field("actions", &self.actions)
            .finish_non_exhaustive()
    }
}
