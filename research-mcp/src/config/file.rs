//! A configuration file: its servers, and what is wrong with the others.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::entry;
use super::server::{ConfiguredServer, Endpoint};
use crate::hub::{Hub, HubBuilder};

/// Why a configuration, or one entry of it, cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("MCP configuration {}: {source}; check the path", path.display())]
    #[non_exhaustive]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// It is no JSON.
    #[error("the MCP configuration is no JSON: {source}")]
    #[non_exhaustive]
    Json {
        /// Where reading stopped.
        #[from]
        source: serde_json::Error,
    },
    /// It names no servers where they belong.
    #[error("the MCP configuration holds no servers: write {{\"mcpServers\": {{\"name\": {{\"command\": …}}}}}}")]
    NoServers,
    /// An entry cannot be used.
    #[error("MCP server `{server}` in the configuration: {reason}")]
    #[non_exhaustive]
    Entry {
        /// Name of the server.
        server: String,
        /// What is wrong, and how to mend it.
        reason: String,
    },
}

/// Servers from a configuration file.
///
/// Each entry has a `command` with `args`, `env` and `cwd`, or a `url` with `headers`. `disabled: true` leaves it out. Values may name
/// variables of the environment: `${NAME}`, `${NAME:-default}` and `${env:NAME}`. Under `policy` stand `allow`, `deny`,
/// `parallelCalls` and, in seconds, `connectTimeout`, `callTimeout` and `totalTimeout`.
///
/// One entry that cannot be used does not lose the others: it stands in [`errors`](Self::errors).
///
/// ```
/// use research_mcp::McpConfig;
///
/// let config: McpConfig = r#"{"mcpServers": {
///     "files": {"command": "npx", "args": ["-y", "some-server", "${HOME:-/tmp}"], "policy": {"deny": ["write_*"]}},
///     "events": {"url": "http://127.0.0.1:8000/mcp"},
///     "broken": {"args": ["no command"]}
/// }}"#.parse()?;
/// assert_eq!(config.servers.len(), 2);
/// assert!(config.errors[0].to_string().contains("`broken`"));
/// # Ok::<(), research_mcp::ConfigError>(())
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct McpConfig {
    /// The usable servers, in the order of the file.
    pub servers: Vec<ConfiguredServer>,
    /// Names of the servers that are switched off.
    pub disabled: Vec<String>,
    /// The entries that cannot be used.
    pub errors: Vec<ConfigError>,
    /// What was not understood and left out, in words.
    pub warnings: Vec<String>,
}

impl McpConfig {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] when the file cannot be read or holds no servers; not for a single bad entry.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        text.parse()
    }

    /// Reads the text of a file with the variables of an environment.
    ///
    /// # Errors
    ///
    /// As for [`from_file`](Self::from_file).
    pub fn with_variables(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let whole: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))?;
        let entries = ["mcpServers", "servers"].iter().find_map(|key| whole.get(key)).and_then(Value::as_object);
        let mut config = Self::default();
        for (name, entry) in entries.ok_or(ConfigError::NoServers)? {
            if entry.get("disabled").and_then(Value::as_bool) == Some(true) {
                config.disabled.push(name.clone());
                continue;
            }
            match entry::read(name, entry, variable, &mut config.warnings) {
                Ok(server) => config.servers.push(server),
                Err(reason) => config.errors.push(ConfigError::Entry { server: name.clone(), reason }),
            }
        }
        Ok(config)
    }

    /// A builder with all usable servers.
    #[must_use]
    pub fn into_builder(self) -> HubBuilder {
        self.servers.into_iter().fold(Hub::builder(), |builder, server| {
            let builder = match server.endpoint {
                Endpoint::Stdio(command) => builder.stdio(&server.name, command),
                #[cfg(feature = "http")]
                Endpoint::Http(address) => builder.http(&server.name, address),
            };
            builder.policy(server.name, server.policy)
        })
    }
}

impl std::str::FromStr for McpConfig {
    type Err = ConfigError;

    /// Reads the text of a file with the variables of this process.
    fn from_str(text: &str) -> Result<Self, ConfigError> {
        Self::with_variables(text, &|name| std::env::var(name).ok())
    }
}
