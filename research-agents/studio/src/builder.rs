//! What a host builds and runs.

use std::collections::BTreeSet;
use std::sync::Arc;

use research_agents_fieldwork::searcher::Searcher;
use research_agents_runtime::error::Error;
use research_agents_runtime::offline::OfflineModel;
use research_agents_runtime::run::{Run, RunState, Session};
use research_agents_sources::corpus::Corpus;
use research_agents_sources::search::{FolderSearch, McpSearch, McpTools, SearchProvider};
use research_core::{Checkpointer, CompiledGraph};
use research_llm::ChatModel;
use research_mcp::{BoxFuture, CallOutput, McpError, Object, ToolListing, ToolSource};

use crate::agent::graph::graph;
use crate::agent::kit::StudioKit;
use crate::agent::state::{StudioInput, StudioState};
use crate::config::{ConfigError, SourceInfo, StudioConfig};
use crate::offline::answers;

/// Maximum number of files that cannot be read and are named each.
const MOST_NAMED: usize = 50;

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
    sources: Vec<Arc<dyn SearchProvider>>,
    infos: Vec<SourceInfo>,
    not_read: Vec<String>,
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

    /// Adds a folder. The report names the files that could not be read.
    #[must_use]
    pub fn corpus(mut self, corpus: Arc<Corpus>) -> Self {
        let skipped = &corpus.report().not_read;
        let name = corpus.name().to_owned();
        let lines = skipped.iter().take(MOST_NAMED);
        let lines = lines.map(|file| format!("{name}: {}: {}", file.path, file.reason));
        self.not_read.extend(lines);
        if let Some(more) = skipped
            .len()
            .checked_sub(MOST_NAMED)
            .filter(|more| *more > 0)
        {
            self.not_read.push(format!("{name}: {more} more files"));
        }
        self.source(Arc::new(FolderSearch::new(corpus)))
    }

    /// Adds a source, such as a search service.
    #[must_use]
    pub fn source(mut self, source: Arc<dyn SearchProvider>) -> Self {
        self.infos.push(SourceInfo {
            name: source.name().to_owned(),
            kind: source.kind(),
            tools: None,
        });
        self.sources.push(source);
        self
    }

    /// Adds an MCP server by its tools, which the [tools](Self::tools) of the studio must have.
    #[must_use]
    pub fn mcp(mut self, name: &str, tools: McpTools) -> Self {
        let source = McpSearch::with_tools(name, tools.clone());
        self.infos.push(SourceInfo {
            name: name.to_owned(),
            kind: source.kind(),
            tools: Some([tools.search, tools.query, tools.fetch, tools.id]),
        });
        self.sources.push(Arc::new(source));
        self
    }

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
        if self.sources.is_empty() {
            return Err(ConfigError::NoSource.into());
        }
        let mut names = BTreeSet::new();
        for info in &self.infos {
            if !names.insert(&info.name) {
                return Err(ConfigError::SameName(info.name.clone()).into());
            }
        }
        self.config.sources = self.infos;
        self.config.validate()?;

        let searcher = Searcher::new(self.sources).credibility(self.config.credibility.clone());
        Ok(Studio {
            graph: graph(self.config.stops)?,
            model: self
                .model
                .unwrap_or_else(|| Arc::new(OfflineModel::new(answers()))),
            tools: self.tools.unwrap_or_else(|| Arc::new(NoTools)),
            config: Arc::new(self.config),
            searcher,
            not_read: self.not_read.into(),
        })
    }
}

impl std::fmt::Debug for StudioBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StudioBuilder")
            .field("config", &self.config)
            .field("sources", &self.infos)
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
            sources: Vec::new(),
            infos: Vec::new(),
            not_read: Vec::new(),
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
        Run::new(self.clone(), StudioState::from_input(input))
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

/// The tools of a studio without MCP servers.
struct NoTools;

impl ToolSource for NoTools {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { Ok(ToolListing::new(Vec::new())) })
    }

    fn call_tool<'a>(
        &'a self,
        _: &'a str,
        _: Object,
    ) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async {
            Err(McpError::NoServer {
                reasons: vec!["no MCP server was given to the studio".to_owned()],
            })
        })
    }
}
