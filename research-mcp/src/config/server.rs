//! One server of a configuration, as it was read.

use crate::connection::StdioServer;
use crate::policy::ServerPolicy;

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
