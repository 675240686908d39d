//! What a host builds and runs.

use std::fmt;
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
use crate::agent::kit::FeedbackKit;
use crate::agent::state::FeedbackState;
use crate::config::{ConfigError, FeedbackConfig};
use crate::earlier::FeedbackInput;
use crate::offline::answers;

/// The workflow with its model and its sources. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
///
/// use research_agents_feedback::FeedbackAgent;
/// use research_agents_sources::corpus::{Corpus, CorpusOptions, CorpusSpec};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let text = "# Backup\n\nThe nightly backup takes 6 hours. The backup fails on full disks.\n\n\
///     We recommend an incremental backup.";
/// std::fs::write(folder.path().join("backup.md"), text)?;
/// let spec = CorpusSpec::new("notes", folder.path())?;
/// let corpus = Corpus::open(&spec, &CorpusOptions::default())?;
///
/// let agent = FeedbackAgent::builder().corpus(Arc::new(corpus)).build()?;
/// let ended = agent.run("What should we do about the backup?").await?;
/// let report = ended.markdown();
/// assert!(report.contains("The nightly backup takes 6 hours [E1] ✓."), "{report}");
/// assert!(report.contains("We recommend an incremental backup [E1] ✓."), "{report}");
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct FeedbackAgent {
    pub(crate) graph: CompiledGraph<FeedbackState, FeedbackKit>,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) tools: Arc<dyn ToolSource>,
    pub(crate) config: Arc<FeedbackConfig>,
    pub(crate) searcher: Searcher,
    /// Files of the folders that could not be read, each with the reason.
    pub(crate) not_read: Arc<[String]>,
}

/// Why the workflow cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FeedbackError {
    /// A setting cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The runtime refuses the graph.
    #[error(transparent)]
    Runtime(#[from] Error),
}

/// A workflow that is being built.
pub struct FeedbackBuilder {
    model: Option<Arc<dyn ChatModel>>,
    tools: Option<Arc<dyn ToolSource>>,
    config: FeedbackConfig,
    sources: SourceSet,
}

impl FeedbackBuilder {
    /// Sets the model. Defaults to the offline model, which computes its answers.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets the settings. Their list of sources is replaced.
    #[must_use]
    pub fn config(mut self, config: FeedbackConfig) -> Self {
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

    /// Builds the workflow.
    ///
    /// # Errors
    ///
    /// [`FeedbackError`] without a source, when two have one name, and when a setting is out of its
    /// range.
    pub fn build(mut self) -> Result<FeedbackAgent, FeedbackError> {
        self.config.sources = self.sources.infos().map_err(ConfigError::from)?;
        self.config.validate()?;

        let searcher = self.sources.searcher(self.config.credibility.clone());
        Ok(FeedbackAgent {
            graph: graph(&self.config)?,
            model: self
                .model
                .unwrap_or_else(|| Arc::new(OfflineModel::new(answers()))),
            tools: self.tools.unwrap_or_else(|| Arc::new(NoTools)),
            searcher: searcher.limits(self.config.searcher),
            config: Arc::new(self.config),
            not_read: self.sources.not_read().into(),
        })
    }
}

impl fmt::Debug for FeedbackBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeedbackBuilder")
            .field("config", &self.config)
            .field("sources", &self.sources)
            .finish_non_exhaustive()
    }
}

impl FeedbackAgent {
    /// Starts building a workflow.
    pub fn builder() -> FeedbackBuilder {
        FeedbackBuilder {
            model: None,
            tools: None,
            config: FeedbackConfig::default(),
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
        let input = FeedbackInput {
            question: question.into(),
            not_read: self.not_read.to_vec(),
            ..FeedbackInput::default()
        };
        Run::new(self.clone(), FeedbackState::from(input))
    }

    /// Prepares to resume the run of a thread.
    pub fn resume(&self, thread: impl Into<String>) -> Run<Self> {
        Run::resume(self.clone(), thread)
    }

    /// Returns the session of the workflow: start, status, resume, stop, follow-up and fork by
    /// thread.
    pub fn session(&self) -> Session<Self> {
        Session::new(self.clone())
    }
}
