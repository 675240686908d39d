//! Starts a connection: the transport, the handshake, and one more try with the old handshake.

use std::sync::Arc;

use rmcp::model::{ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{ClientInitializeError, RunningService, Service, serve_client_with_lifecycle, serve_server};
use rmcp::transport::IntoTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, RoleClient, RoleServer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout_at};

use super::child::ChildProcess;
use super::guard::LineGuard;
use super::link::{Connection, ServerTask};
use super::stdio::StdioServer;
use crate::error::{McpError, Operation};
use crate::limits::Limits;
use crate::source::BoxFuture;

/// How a connection begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lifecycle {
    /// Asks by `server/discover` (MCP 2026-07-28) and falls back to `initialize` when the server does not know it. A server that
    /// neither answers nor hangs up costs 10 s; set [`Initialize`](Self::Initialize) for it.
    #[default]
    Auto,
    /// The handshake of MCP 2025-11-25 and before.
    Initialize,
    /// `server/discover` and nothing else.
    Discover,
}

impl Lifecycle {
    fn mode(self) -> ClientLifecycleMode {
        let preferred_versions = vec![ProtocolVersion::LATEST];
        match self {
            Self::Auto => ClientLifecycleMode::Auto {
                preferred_versions,
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Self::Initialize => ClientLifecycleMode::Initialize,
            Self::Discover => ClientLifecycleMode::Discover { preferred_versions },
        }
    }
}

/// Our side of a connection. It offers the server nothing: no sampling, no roots, no questions to the user.
pub(crate) struct Client;

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
        )
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

type Running = Result<RunningService<RoleClient, Client>, ClientInitializeError>;
type Starter = Box<dyn FnOnce(ClientLifecycleMode, usize) -> (BoxFuture<'static, Running>, Option<ServerTask>) + Send>;

/// How a server is reached. What is not a command can be used once.
pub(crate) enum Connector {
    /// A child process.
    Stdio(StdioServer),
    /// A service of ours, or a transport.
    Once(Starter),
}

impl Connector {
    /// A service that runs in this process, at the other end of a pipe.
    pub(crate) fn in_process<S: Service<RoleServer>>(service: S) -> Self {
        Self::Once(Box::new(move |mode, line_limit| {
            let (ours, theirs) = tokio::io::duplex(64 * 1024);
            let task = tokio::spawn(async move {
                match serve_server(service, theirs).await {
                    Ok(running) => drop(running.waiting().await),
                    Err(error) => {
                        tracing::debug!(%error, "an in-process server ended before the handshake")
                    }
                }
            });
            let (read, write) = tokio::io::split(ours);
            (serve(read, write, mode, line_limit), Some(ServerTask::new(task)))
        }))
    }

    /// Any transport of the SDK.
    pub(crate) fn transport<T, E, A>(transport: T) -> Self
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
        A: 'static,
    {
        Self::Once(Box::new(move |mode, _| (Box::pin(serve_client_with_lifecycle(Client, transport, mode)), None)))
    }

    /// Connects within the time limit.
    pub(crate) async fn connect(
        self,
        server: &str,
        lifecycle: Lifecycle,
        limits: &Arc<Limits>,
    ) -> Result<Connection, McpError> {
        let attempt = Attempt { server, limits, deadline: Instant::now() + limits.connect };
        match self {
            Self::Once(starter) => {
                let (start, task) = starter(lifecycle.mode(), attempt.line_limit());
                attempt.finish(start, None, task).await.map_err(|failure| failure.error)
            }
            Self::Stdio(command) => match attempt.spawn(&command, lifecycle).await {
                // Some servers of before 2026 hang up on any first message but `initialize`.
                Err(Failure { hung_up: true, .. }) if lifecycle == Lifecycle::Auto => {
                    attempt.spawn(&command, Lifecycle::Initialize).await.map_err(|failure| failure.error)
                }
                outcome => outcome.map_err(|failure| failure.error),
            },
        }
    }
}

fn serve<R, W>(read: R, write: W, mode: ClientLifecycleMode, line_limit: usize) -> BoxFuture<'static, Running>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    // The guard bounds the lines; the SDK's own limit would drop them in silence.
    let transport =
        AsyncRwTransport::new_client(LineGuard::new(read, line_limit), write).with_max_line_length(usize::MAX);
    Box::pin(serve_client_with_lifecycle(Client, transport, mode))
}

struct Attempt<'a> {
    server: &'a str,
    limits: &'a Arc<Limits>,
    deadline: Instant,
}

struct Failure {
    error: McpError,
    hung_up: bool,
}

impl Attempt<'_> {
    /// A result travels twice, as structured content and as text in which every quote is escaped; a list of tools is no result.
    fn line_limit(&self) -> usize {
        self.limits.result_bytes.saturating_mul(4).max(4 << 20)
    }

    async fn spawn(&self, command: &StdioServer, lifecycle: Lifecycle) -> Result<Connection, Failure> {
        let (child, stdout, stdin) = ChildProcess::spawn(command).map_err(|source| Failure {
            error: McpError::Spawn { server: self.server.to_owned(), command: command.command.clone(), source },
            hung_up: false,
        })?;
        self.finish(serve(stdout, stdin, lifecycle.mode(), self.line_limit()), Some(child), None).await
    }

    async fn finish(
        &self,
        start: BoxFuture<'static, Running>,
        child: Option<ChildProcess>,
        task: Option<ServerTask>,
    ) -> Result<Connection, Failure> {
        let server = self.server.to_owned();
        let failed = match timeout_at(self.deadline, start).await {
            Ok(Ok(running)) => {
                return Ok(Connection::new(server, running, child, task, Arc::clone(self.limits)));
            }
            Ok(Err(error)) => Some(error),
            Err(_) => None,
        };
        let (status, stderr) = match &child {
            Some(child) => child.end().await,
            None => (None, String::new()),
        };
        if let Some(child) = child {
            child.close(self.limits.close).await;
        }
        let Some(source) = failed else {
            let limit = self.limits.connect;
            let error = McpError::Timeout { server, tool: None, operation: Operation::Connect, limit, stderr };
            return Err(Failure { error, hung_up: false });
        };
        let reason = match status {
            Some(status) => {
                format!("the server ended with {status} before the handshake was complete")
            }
            None => source.to_string(),
        };
        let hung_up =
            matches!(source, ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. });
        Err(Failure { error: McpError::Handshake { server, reason, stderr, source: Some(Box::new(source)) }, hung_up })
    }
}
