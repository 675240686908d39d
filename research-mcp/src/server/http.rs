//! Serves over streamable HTTP: where to listen, and who may ask.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::failure::ServeError;
use super::run::{self, Gate, Stops};
use super::tool_server::ToolServer;

/// Where a server listens, and what it takes.
///
/// It answers requests whose `Host` is a loopback name or one that was [allowed](Self::allow_host), and whose `Origin`, when a browser
/// sends one, is its own or was [allowed](Self::allow_origin); others get 403.
#[derive(Clone, Debug)]
pub struct HttpListen {
    address: SocketAddr,
    path: String,
    hosts: Vec<String>,
    origins: Vec<String>,
    bearer: Option<SecretString>,
    is_remote: bool,
    body_bytes: usize,
    connections: usize,
    sessions: usize,
    grace: Duration,
    retry: Duration,
}

impl HttpListen {
    /// Listens on 127.0.0.1, on this port; 0 takes a free one.
    #[must_use]
    pub fn loopback(port: u16) -> Self {
        Self::on(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))
    }

    /// Listens on this address. One that is not loopback needs [`allow_remote`](Self::allow_remote) and [`bearer`](Self::bearer).
    #[must_use]
    pub fn on(address: SocketAddr) -> Self {
        Self {
            address,
            path: "/mcp".to_owned(),
            hosts: ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec(),
            origins: Vec::new(),
            bearer: None,
            is_remote: false,
            body_bytes: 4 << 20,
            connections: 256,
            sessions: 1_000,
            grace: Duration::from_secs(5),
            retry: Duration::from_secs(3),
        }
    }

    /// Sets the path; `/mcp` by default.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        let path = path.into();
        self.path = if path.starts_with('/') { path } else { format!("/{path}") };
        self
    }

    /// Answers requests for this host too, on any port unless one is given: `mcp.example` or `mcp.example:8443`.
    #[must_use]
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Answers pages of this origin too, such as `http://localhost:6274`; with `:*` in place of a port, of any port.
    #[must_use]
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Answers only requests with this token in `Authorization: Bearer …`; others get 401.
    #[must_use]
    pub fn bearer(mut self, token: impl Into<SecretString>) -> Self {
        self.bearer = Some(token.into());
        self
    }

    /// Allows an address that other machines can reach. It takes effect together with a [token](Self::bearer) only. The connection is
    /// not encrypted; put something in front of it that does so.
    #[must_use]
    pub fn allow_remote(mut self) -> Self {
        self.is_remote = true;
        self
    }

    /// Sets the size in bytes above which the body of a request is refused with 413. Default 4 MiB.
    #[must_use]
    pub fn body_bytes(mut self, limit: usize) -> Self {
        self.body_bytes = limit;
        self
    }

    /// Sets how many connections are open at a time. For a further one that goes whose client has been waited for longest; if all
    /// are being answered, it waits. Half of them may carry streams of events that have no end. Default 256.
    #[must_use]
    pub fn connections(mut self, limit: usize) -> Self {
        self.connections = limit.max(1);
        self
    }

    /// Sets how many sessions there are at a time. For a further one that goes which was used least recently, of those without an
    /// open stream if there are any; its client begins another. Default 1,000.
    #[must_use]
    pub fn sessions(mut self, limit: usize) -> Self {
        self.sessions = limit.max(1);
        self
    }

    /// Sets how long calls in flight may go on when the server shuts down. Default 5 s.
    #[must_use]
    pub fn grace(mut self, limit: Duration) -> Self {
        self.grace = limit;
        self
    }

    /// Sets how long a client waits before it takes up a stream of events that broke. Default 3 s.
    #[must_use]
    pub fn retry(mut self, wait: Duration) -> Self {
        self.retry = wait;
        self
    }
}

impl ToolServer {
    /// Serves over streamable HTTP, from now until the returned handle is [shut down](RunningServer::shutdown) or dropped. Clients of
    /// MCP 2025-11-25 and before get a session each, which ends after five minutes without a request; later ones need none.
    ///
    /// # Errors
    ///
    /// [`ServeError::Exposed`] when other machines could reach it and that was not allowed, [`ServeError::Bind`] when the address
    /// cannot be had.
    pub async fn serve_http(self, listen: HttpListen) -> Result<RunningServer, ServeError> {
        let asked = listen.address;
        let may_be_reached = listen.is_remote && listen.bearer.is_some();
        if !asked.ip().is_loopback() && !may_be_reached {
            return Err(ServeError::Exposed { address: asked });
        }
        let bound = async {
            let listener = TcpListener::bind(asked).await?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = bound.await.map_err(|source| ServeError::Bind { address: asked, source })?;
        let HttpListen {
            path, mut hosts, mut origins, bearer, body_bytes, connections, sessions, grace, retry, ..
        } = listen;
        if !address.ip().is_unspecified() {
            hosts.push(address.ip().to_string());
        }
        origins.extend(["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{}", address.port())));
        let url = format!("http://{address}{path}");
        let stops = Stops::default();
        let stop = stops.stop.clone();
        let gate = Gate { path, hosts, origins, bearer, body_bytes, connections, sessions, grace, retry };
        let task = tokio::spawn(run::serve(self, listener, gate, stops.clone()));
        Ok(RunningServer { address, url, stop, task: Some(task), _ended: stops.ended.drop_guard() })
    }
}

/// A server that serves over HTTP. Dropped, it ends at once; see [`shutdown`](Self::shutdown) for the orderly way.
#[derive(Debug)]
pub struct RunningServer {
    address: SocketAddr,
    url: String,
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
    _ended: DropGuard,
}

impl RunningServer {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address for clients, such as `http://127.0.0.1:40123/mcp`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What ends it as [`shutdown`](Self::shutdown) does: to be fired by others, or when a signal comes.
    #[must_use]
    pub fn stopper(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Takes no more requests, lets calls in flight end within the [grace](HttpListen::grace), then cancels them. Resolves when nothing
    /// of it is left.
    pub async fn shutdown(self) {
        self.stop.cancel();
        self.ended().await;
    }

    /// Resolves when it has ended, because its [stopper](Self::stopper) fired.
    pub async fn ended(mut self) {
        if let Some(task) = self.task.take()
            && let Err(error) = task.await
        {
            tracing::warn!(%error, "the task of an HTTP server did not end well");
        }
    }
}
