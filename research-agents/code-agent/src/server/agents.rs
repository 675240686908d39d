//! The agents of a server, one for each root.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use research_agents_code::base::{CacheAt, CodeBase};
use research_llm::ChatModel;
use research_mcp::server::{Answer, Caller, Capability, Question};

use crate::agent::CodeAgent;
use crate::lsp::{Servers, decoded};
use crate::run::AgentConfig;

/// Maximum number of roots whose facts are kept.
const MAX_ROOTS: usize = 8;

/// The agents of a server.
pub(super) struct Agents {
    root: Option<PathBuf>,
    fallback: Option<PathBuf>,
    model: Option<Arc<dyn ChatModel>>,
    config: AgentConfig,
    servers: Servers,
    cache: CacheAt,
    open: Mutex<HashMap<PathBuf, CodeAgent>>,
}

impl Agents {
    pub(super) fn new(
        root: Option<PathBuf>,
        fallback: Option<PathBuf>,
        model: Option<Arc<dyn ChatModel>>,
        config: AgentConfig,
        servers: Servers,
        cache: CacheAt,
    ) -> Self {
        Self {
            root,
            fallback,
            model,
            config,
            servers,
            cache,
            open: Mutex::default(),
        }
    }

    /// Returns whether the caller's client has to be asked for its roots, and does so. The roots of
    /// a client are folders that its user has opened; only the first one is used.
    pub(super) async fn agent(&self, caller: &Caller) -> Result<CodeAgent, String> {
        if let Some(root) = &self.root {
            return self.open(root);
        }
        if caller.offers(Capability::Roots) {
            let answer = caller.ask("roots", Question::Roots).await;
            if let Ok(Answer::Roots(roots)) = answer {
                let folders = roots.iter().filter_map(|root| folder(&root.uri));
                if let Some(root) = folders.into_iter().next() {
                    return self.open(&root);
                }
            }
        }

        match &self.fallback {
            Some(root) => self.open(root),
            None => Err(
                "there is no code base: the client offers no root; start the server \
                         with --root DIR"
                    .to_owned(),
            ),
        }
    }

    fn open(&self, root: &Path) -> Result<CodeAgent, String> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // A root that is gone is not served from memory.
        if !root.is_dir() {
            open.remove(root);
        }
        if let Some(agent) = open.get(root) {
            return Ok(agent.clone());
        }

        let base = CodeBase::open(root, &self.cache).map_err(|error| error.to_string())?;
        let mut builder = CodeAgent::on(Arc::new(base))
            .config(self.config.clone())
            .language_servers(self.servers.clone());
        if let Some(model) = &self.model {
            builder = builder.model(Arc::clone(model));
        }
        let agent = builder.build().map_err(|error| error.to_string())?;
        if open.len() >= MAX_ROOTS {
            open.clear();
        }
        open.insert(root.to_owned(), agent.clone());
        Ok(agent)
    }
}

/// Returns the folder that a `file` address of this machine names.
fn folder(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let path = decoded(path)?;
    (!path.contains('\0')).then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_this_machine_are_roots() {
        assert_eq!(folder("file:///a%20b/c"), Some(PathBuf::from("/a b/c")));
        assert_eq!(folder("file://localhost/a"), Some(PathBuf::from("/a")));
        for uri in [
            "file://host/a",
            "https://x/a",
            "file:a",
            "file:///%00",
            "file:///%zz",
        ] {
            assert_eq!(folder(uri), None, "{uri}");
        }
    }
}
