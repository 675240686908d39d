//! The agent as a host uses it: model, tools and settings put together once, then asked any number of questions.

use std::fmt;
use std::sync::Arc;

use research_core::{Checkpointer, CompiledGraph};
use research_llm::{ChatModel, ModelInfo};
use research_mcp::ToolSource;

use super::agents::standard_agents;
use super::config::DatasetConfig;
use super::graph::graph;
use super::replay::Expected;
use super::run::DatasetRun;
use super::services::{DatasetCx, Services};
use super::state::DatasetState;
use crate::Error;
use crate::kernel::Budget;
use crate::subagent::{Registry, SubAgent};

/// Answers questions about a data set. Cheap to clone.
#[derive(Clone)]
pub struct DatasetAgent {
    pub(super) graph: CompiledGraph<DatasetState, Services>,
    pub(super) model: Arc<dyn ChatModel>,
    pub(super) tools: Arc<dyn ToolSource>,
    pub(super) agents: Registry<DatasetCx>,
    pub(super) config: Arc<DatasetConfig>,
    pub(super) replays: Option<Arc<Expected>>,
}

impl DatasetAgent {
    /// Starts to build an agent that asks this model and reads through these tools.
    pub fn builder(model: impl ChatModel + 'static, tools: impl ToolSource + 'static) -> DatasetAgentBuilder {
        DatasetAgentBuilder {
            model: Arc::new(model),
            tools: Arc::new(tools),
            agents: standard_agents(),
            config: DatasetConfig::default(),
            attach: None,
        }
    }

    /// Prepares a run. Nothing happens until it is awaited or its stream is read.
    pub fn run(&self, question: impl Into<String>) -> DatasetRun {
        DatasetRun::new(self.clone(), question.into())
    }

    /// Prepares to go on with a run that [waits for an answer](Error::ClarificationRequired), on a thread of the agent's
    /// store: the number of an option, counted from 1, its words, or other words. An empty answer leaves the question as it is.
    /// Any process that reaches the store can bring the answer.
    pub fn resume(&self, thread: impl Into<String>, answer: impl Into<String>) -> DatasetRun {
        DatasetRun::resumed(self.clone(), thread.into(), answer.into())
    }

    /// What is known about the model.
    pub fn model(&self) -> &ModelInfo {
        self.model.info()
    }
}

impl fmt::Debug for DatasetAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetAgent")
            .field("model", &self.model.info().id())
            .field("agents", &self.agents)
            .finish_non_exhaustive()
    }
}

/// Puts a [`DatasetAgent`] together.
#[must_use]
pub struct DatasetAgentBuilder {
    model: Arc<dyn ChatModel>,
    tools: Arc<dyn ToolSource>,
    agents: Registry<DatasetCx>,
    config: DatasetConfig,
    attach: Option<Attach>,
}

type Attach = Box<dyn FnOnce(CompiledGraph<DatasetState, Services>) -> CompiledGraph<DatasetState, Services> + Send>;

impl DatasetAgentBuilder {
    /// Sets the sub-agents, in place of all that there are.
    pub(super) fn agents(mut self, agents: Registry<DatasetCx>) -> Self {
        self.agents = agents;
        self
    }

    /// Sets the settings.
    pub fn config(mut self, config: DatasetConfig) -> Self {
        self.config = config;
        self
    }

    /// Adds a sub-agent of the host, which the planner then sees. One of the same name is replaced.
    pub fn agent(mut self, agent: impl SubAgent<DatasetCx>) -> Self {
        self.agents.register(agent);
        self
    }

    /// Sets the store that keeps the [threads](DatasetRun::thread) of runs.
    pub fn checkpointer(mut self, store: impl Checkpointer) -> Self {
        self.attach = Some(Box::new(|graph| graph.with_checkpointer(store)));
        self
    }

    /// Checks the settings and builds the graph.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] when a setting is out of its range, or when money is limited and nobody knows what the model costs.
    pub fn build(self) -> Result<DatasetAgent, Error> {
        self.config.validate()?;
        if let Some(problem) = Budget::problem(&self.config.budget, self.model.info()) {
            return Err(Error::Config { key: "budget", problem });
        }
        let graph = graph()?;
        Ok(DatasetAgent {
            graph: match self.attach {
                Some(attach) => attach(graph),
                None => graph,
            },
            model: self.model,
            tools: self.tools,
            agents: self.agents,
            config: Arc::new(self.config),
            replays: None,
        })
    }
}

impl fmt::Debug for DatasetAgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetAgentBuilder").field("config", &self.config).finish_non_exhaustive()
    }
}
