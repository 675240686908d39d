//! What a host builds and runs.

use std::sync::Arc;

use research_agents_fieldwork::searcher::Searcher;
use research_agents_fieldwork::source_set::SourceSet;
use research_agents_fieldwork::source_setters;
use research_agents_runtime::error::Error;
use research_agents_runtime::job::NoTools;
use research_agents_runtime::offline::OfflineModel;
use research_agents_runtime::run::{Run, Session};
use research_core::{Checkpointer, CompiledGraph};
use research_llm::ChatModel;
use research_mcp::ToolSource;

use crate::agent::graph::graph;
use crate::agent::kit::StudioKit;
use crate::agent::state::StudioState;
use crate::config::{ConfigError, StudioConfig};
use crate::earlier::StudioInput;
use crate::offline::answers;

/// The studio with its model and its sources. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
///
/// use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec};
/// use research_agents_studio::Studio;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let text = "# Limits\n\nThe maximum page size is 65536 bytes.";
/// std::fs::write(folder.path().join("limits.md"), text)?;
/// let spec = CorpusSpec::new("manual", folder.path())?;
/// let corpus = Corpus::open(&spec, &CorpusOptions::default())?;
///
/// let studio = Studio::builder().corpus(Arc::new(corpus)).build()?;
/// let ended = studio.run("What is the maximum page size?").await?;
/// assert!(ended.markdown().contains("65536 bytes: The maximum page size is 65536 bytes [E1] ✓."));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Studio {
    pub(crate) graph: CompiledGraph<StudioState, StudioKit>,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) tools: Arc<dyn ToolSource>,
    pub(crate) config: Arc<StudioConfig>,
    pub(crate) searcher: Searcher,
    /// Files of the folders that could not be read, each with the reason.
    pub(crate) not_read: Arc<[String]>,
}

/// Why a studio cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudioError {
    /// A setting cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The runtime refuses the graph.
    #[error(transparent)]
    Runtime(#[from] Error),
}

/// A studio that is being built.
pub struct StudioBuilder {
    model: Option<Arc<dyn ChatModel>>,
    tools: Option<Arc<dyn ToolSource>>,
    config: StudioConfig,
    sources: SourceSet,
}

impl StudioBuilder {
    /// Sets the model. Defaults to the offline model, which computes its answers.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets the settings. Their list of sources is replaced.
    #[must_use]
    pub fn config(mut self, config: StudioConfig) -> Self {
        self.config = config;
        self
    }

    source_setters!();

    /// Sets the tools of MCP servers. Defaults to none.
    #[must_use]
    pub fn tools(mut self, tools: Arc<dyn ToolSource>) -> Self {
        self.tools = Some(tools);
        self
    }

    /// Builds the studio.
    ///
    /// # Errors
    ///
    /// [`StudioError`] without a source, when two have one name, and when a setting is out of its
    /// range.
    pub fn build(mut self) -> Result<Studio, StudioError> {
        self.config.sources = self.sources.infos().map_err(ConfigError::from)?;
        self.config.validate()?;

        let searcher = self.sources.searcher(self.config.credibility.clone());
        let searcher = searcher.limits(self.config.searcher);
        Ok(Studio {
            graph: graph(self.config.stops)?,
            model: self
                .model
                .unwrap_or_else(|| Arc::new(OfflineModel::new(answers()))),
            tools: self.tools.unwrap_or_else(|| Arc::new(NoTools)),
            config: Arc::new(self.config),
            searcher,
            not_read: self.sources.not_read().into(),
        })
    }
}

impl std::fmt::Debug for StudioBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StudioBuilder")
            .field("config", &self.config)
            .field("sources", &self.sources)
            .finish_non_exhaustive()
    }
}

impl Studio {
    /// Starts building a studio.
    pub fn builder() -> StudioBuilder {
        StudioBuilder {
            model: None,
            tools: None,
            config: StudioConfig::default(),
            sources: SourceSet::default(),
        }
    }

    /// Keeps runs that have a thread in a store.
    #[must_use]
    pub fn with_checkpointer(mut self, store: impl Checkpointer) -> Self {
        self.graph = self.graph.with_checkpointer(store);
        self
    }

    /// Prepares a run with this question.
    pub fn run(&self, question: impl Into<String>) -> Run<Self> {
        let input = StudioInput {
            question: question.into(),
            not_read: self.not_read.to_vec(),
            ..StudioInput::default()
        };
        Run::new(self.clone(), StudioState::from(input))
    }

    /// Prepares to resume the run of a thread.
    pub fn resume(&self, thread: impl Into<String>) -> Run<Self> {
        Run::resume(self.clone(), thread)
    }

    /// Returns the session of the studio: start, status, resume, approve, steer, stop, follow-up
    /// and fork by thread.
    pub fn session(&self) -> Session<Self> {
        Session::new(self.clone())
    }
}
