//! The dataset agent and its builder: model, tools and settings are set once, and the agent answers
//! any number of questions.

use std::fmt;
use std::sync::Arc;

use research_agents_runtime::error::Error;
use research_agents_runtime::limits::Budget;
use research_agents_runtime::tools::registry::{Registry, SubAgent};
use research_core::{Checkpointer, CompiledGraph};
use research_llm::{ChatModel, ModelInfo};
use research_mcp::ToolSource;

use crate::agents::standard::standard_agents;
use crate::cx::{DatasetCx, Services};
use crate::data::config::DatasetConfig;
use crate::graph::graph;
use crate::state::model::DatasetState;

/// An agent that answers questions about a data set. Cheap to clone.
#[derive(Clone)]
pub struct DatasetAgent {
    pub(crate) graph: CompiledGraph<DatasetState, Services>,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) tools: Arc<dyn ToolSource>,
    pub(crate) agents: Registry<DatasetCx>,
    pub(crate) config: Arc<DatasetConfig>,
}

impl DatasetAgent {
    /// Returns a builder of an agent that asks this model and reads through these tools.
    pub fn builder(
        model: impl ChatModel + 'static,
        tools: impl ToolSource + 'static,
    ) -> DatasetAgentBuilder {
        DatasetAgentBuilder::new(Arc::new(model), Arc::new(tools))
    }

    /// Returns the description of the model.
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

/// A builder of a [`DatasetAgent`].
#[must_use]
pub struct DatasetAgentBuilder {
    model: Arc<dyn ChatModel>,
    tools: Arc<dyn ToolSource>,
    agents: Registry<DatasetCx>,
    config: DatasetConfig,
    attach: Option<Attach>,
}

type Attach = Box<
    dyn FnOnce(CompiledGraph<DatasetState, Services>) -> CompiledGraph<DatasetState, Services>
        + Send,
>;

impl DatasetAgentBuilder {
    /// Creates a builder with the standard sub-agents and settings.
    pub(crate) fn new(model: Arc<dyn ChatModel>, tools: Arc<dyn ToolSource>) -> Self {
        Self {
            model,
            tools,
            agents: standard_agents(),
            config: DatasetConfig::default(),
            attach: None,
        }
    }

    /// Sets the settings.
    pub fn config(mut self, config: DatasetConfig) -> Self {
        self.config = config;
        self
    }

    /// Adds a sub-agent of the host, which the planner can then call. It replaces a sub-agent of
    /// the same name.
    pub fn agent(mut self, agent: impl SubAgent<DatasetCx>) -> Self {
        self.agents.register(agent);
        self
    }

    /// Sets the store that keeps the [threads](crate::DatasetRun::thread) of runs.
    pub fn checkpointer(mut self, store: impl Checkpointer) -> Self {
        self.attach = Some(Box::new(|graph| graph.with_checkpointer(store)));
        self
    }

    /// Checks the settings and builds the graph.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Config`] if a setting is out of its range, or if the budget limits money
    /// and the price of the model is unknown.
    pub fn build(self) -> Result<DatasetAgent, Error> {
        check_settings(&self.config, self.model.info())?;

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
        })
    }
}

impl fmt::Debug for DatasetAgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetAgentBuilder")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// Checks settings as every run does, and every verification of one.
///
/// # Errors
///
/// As for [`DatasetAgentBuilder::build`].
pub(crate) fn check_settings(config: &DatasetConfig, model: &ModelInfo) -> Result<(), Error> {
    config.validate()?;
    match Budget::problem(&config.budget, model) {
        Some(problem) => Err(Error::Config {
            key: "budget",
            problem,
        }),
        None => Ok(()),
    }
}
