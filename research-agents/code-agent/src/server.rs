//! The MCP server: one tool, and the runs as resources.

mod agents;
mod resources;
mod tool;

use std::path::PathBuf;
use std::sync::Arc;

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

/// A code research server that is being set up.
#[derive(Clone)]
pub struct CodeServer {
    root: Option<PathBuf>,
    fallback: Option<PathBuf>,
    model: Option<Arc<dyn ChatModel>>,
    config: AgentConfig,
    limits: StoreLimits,
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
    /// [`ServeError::Invalid`] when its parts do not fit together.
    pub fn build(self) -> Result<ToolServer, ServeError> {
        let store = RunStore::new(self.limits);
        let agents = Arc::new(Agents::new(
            self.root,
            self.fallback,
            self.model,
            self.config,
            self.servers,
        ));

        let mut builder = ToolServer::builder("research-code", env!("CARGO_PKG_VERSION"))
            .title("Code research")
            .instructions(INSTRUCTIONS)
            .tool(tool::tool(agents, store.clone()))
            .resource(resources::runs(store.clone()));
        for template in resources::templates(&store) {
            builder = builder.resource_template(template);
        }
        builder
            .list_resources(move || {
                let listed = resources::list(&store);
                async move { Ok(listed) }
            })
            .build()
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
