//! Servers from the configuration file that desktop clients use: `{"mcpServers": {"name": {…}}}`.

mod entry;
mod expand;
mod file;
mod server;

pub use self::file::{ConfigError, McpConfig};
pub use self::server::{ConfiguredServer, Endpoint};

#[cfg(test)]
mod tests;
