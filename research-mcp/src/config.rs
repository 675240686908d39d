//! Servers from the configuration file that desktop clients use: `{"mcpServers": {"name": {…}}}`.

mod entry;
mod expand;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::connection::StdioServer;
use crate::hub::{Hub, HubBuilder};
use crate::policy::ServerPolicy;

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

/// How a server of a configuration is reached.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Endpoint {
    /// A child process.
    Stdio(StdioServer),
    /// An address.
    #[cfg(feature = "http")]
    Http(crate::connection::HttpServer),
}

/// A server of a configuration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConfiguredServer {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub endpoint: Endpoint,
    /// What it may do.
    pub policy: ServerPolicy,
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

/// The kind of a JSON value, for messages.
struct Kind<'a>(&'a Value);

impl fmt::Display for Kind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        })
    }
}

type Fields = Map<String, Value>;

#[cfg(test)]
mod tests;
