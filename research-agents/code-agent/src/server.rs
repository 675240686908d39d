//! The MCP server: one tool, and the runs as resources.

mod agents;
mod resources;
mod tool;

use std::path::PathBuf;
use std::sync::Arc;

use research_agents_code::base::CacheAt;
use research_llm::ChatModel;
use research_mcp::server::{ServeError, ToolServer};

use self::agents::Agents;
use crate::artifacts::{RunStore, StoreLimits};
use crate::lsp::Servers;
use crate::run::AgentConfig;

/// What a model should know before it uses the server.
pub const INSTRUCTIONS: &str = "Ask code_deep_research instead of searching and reading files \
    yourself: it answers with exact counts and lines that were read again, in few tokens. Put \
    names in backticks. Cited lines are in research://runs/{run_id}/evidence.json.";

/// Why a server cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodeServeError {
    /// The folder of the runs cannot be used.
    #[error(
        "cannot keep runs in {}: {source}; name a folder that can be written",
        folder.display()
    )]
    Store {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder of the runs is in the code base.
    #[error(
        "the folder of the runs is in the code base {}; name one outside of it",
        root.display()
    )]
    InTree {
        /// The root of the code base.
        root: PathBuf,
    },
    /// The parts of the server do not fit together.
    #[error(transparent)]
    Server(#[from] ServeError),
}

/// A code research server that is being set up.
#[derive(Clone)]
pub struct CodeServer {
    root: Option<PathBuf>,
    fallback: Option<PathBuf>,
    model: Option<Arc<dyn ChatModel>>,
    config: AgentConfig,
    limits: StoreLimits,
    store: Option<PathBuf>,
    cache: CacheAt,
    servers: Servers,
}

impl CodeServer {
    /// Creates a server that takes its code base from the roots of the client.
    pub fn new() -> Self {
        Self {
            root: None,
            fallback: None,
            model: None,
            config: AgentConfig::default(),
            limits: StoreLimits::default(),
            store: None,
            cache: CacheAt::Default,
            servers: Servers::default(),
        }
    }

    /// Sets the root. Roots of the client are then ignored.
    #[must_use]
    pub fn root(mut self, root: impl Into<PathBuf>) -> Self {
        self.root = Some(root.into());
        self
    }

    /// Sets the root for a client that offers none.
    #[must_use]
    pub fn fallback_root(mut self, root: impl Into<PathBuf>) -> Self {
        self.fallback = Some(root.into());
        self
    }

    /// Sets the model. Defaults to the offline model.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.model = Some(model);
        self
    }

    /// Sets the limits of a run.
    #[must_use]
    pub fn config(mut self, config: AgentConfig) -> Self {
        self.config = config;
        self
    }

    /// Sets where facts of files are kept between questions. Defaults to the cache folder of the
    /// user.
    #[must_use]
    pub fn cache(mut self, cache: CacheAt) -> Self {
        self.cache = cache;
        self
    }

    /// Keeps the runs as files of a folder too, which must be outside of the code base.
    #[must_use]
    pub fn store(mut self, folder: impl Into<PathBuf>) -> Self {
        self.store = Some(folder.into());
        self
    }

    /// Sets the language servers that may be asked. Defaults to none.
    #[must_use]
    pub fn language_servers(mut self, servers: Servers) -> Self {
        self.servers = servers;
        self
    }

    /// Sets how long and how many runs are kept.
    #[must_use]
    pub fn limits(mut self, limits: StoreLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Builds the server.
    ///
    /// # Errors
    ///
    /// [`CodeServeError`] when the folder of the runs cannot be used, or the parts of the server do
    /// not fit together.
    pub fn build(self) -> Result<ToolServer, CodeServeError> {
        let store = match &self.store {
            None => RunStore::new(self.limits),
            Some(folder) => RunStore::in_folder(self.limits, folder).map_err(|source| {
                let folder = folder.clone();
                CodeServeError::Store { folder, source }
            })?,
        };
        let root = self.root.as_ref().or(self.fallback.as_ref());
        if let Some(root) = root.filter(|root| store.is_within(root)) {
            return Err(CodeServeError::InTree { root: root.clone() });
        }

        let agents = Arc::new(Agents::new(
            self.root,
            self.fallback,
            self.model,
            self.config,
            self.servers,
            self.cache,
        ));

        let mut builder = ToolServer::builder("research-code", env!("CARGO_PKG_VERSION"))
            .title("Code research")
            .instructions(INSTRUCTIONS)
            .tool(tool::tool(agents, store.clone()))
            .resource(resources::runs(store.clone()));
        for template in resources::templates(&store) {
            builder = builder.resource_template(template);
        }
        let server = builder.list_resources(move || {
            let listed = resources::list(&store);
            async move { Ok(listed) }
        });
        Ok(server.build()?)
    }
}

impl Default for CodeServer {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for CodeServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodeServer")
            .field("root", &self.root)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
