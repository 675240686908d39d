//! Starts a connection: the transport, the handshake, and one more try with the old handshake.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientInitializeError, RunningService, Service, serve_client_with_lifecycle, serve_server};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{IntoTransport, Transport};
use rmcp::{ClientLifecycleMode, RoleClient, RoleServer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout_at};

use super::child::ChildProcess;
use super::client::{Calls, Client, Inbox};
use super::guard::LineGuard;
#[cfg(feature = "http")]
use super::http::{Challenge, HttpServer};
use super::link::{Connection, Parts, ServerTask};
use super::stdio::StdioServer;
use super::watched::{End, Watched};
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

type Running = Result<RunningService<RoleClient, Client>, ClientInitializeError>;

/// A handshake that is under way, and what tells the end of its transport.
pub(crate) struct Started {
    running: BoxFuture<'static, Running>,
    end: End,
    task: Option<ServerTask>,
}

pub(crate) type Starter = Box<dyn FnOnce(Client, ClientLifecycleMode, usize) -> Started + Send>;

/// How a server is reached. What is neither a command nor an address can be used once.
pub(crate) enum Connector {
    /// A child process.
    Stdio(StdioServer),
    /// An address.
    #[cfg(feature = "http")]
    Http(HttpServer),
    /// A service of ours, or a transport.
    Once(Mutex<Option<Starter>>),
}

/// What a connection is made with.
pub(crate) struct ConnectContext {
    /// Name of the server in the hub.
    pub(crate) server: String,
    /// How the connection begins.
    pub(crate) lifecycle: Lifecycle,
    /// Its limits.
    pub(crate) limits: Arc<Limits>,
    /// Where it puts what the server says unasked.
    pub(crate) inbox: Inbox,
}

impl Connector {
    /// A service that runs in this process, at the other end of a pipe.
    pub(crate) fn in_process<S: Service<RoleServer>>(service: S) -> Self {
        Self::once(move |client, mode, line_limit| {
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
            Started { task: Some(ServerTask::new(task)), ..serve(client, read, write, mode, line_limit) }
        })
    }

    /// Any transport of the SDK.
    pub(crate) fn transport<T, E, A>(transport: T) -> Self
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
        A: 'static,
    {
        Self::once(move |client, mode, _| begin(client, transport.into_transport(), mode))
    }

    fn once(starter: impl FnOnce(Client, ClientLifecycleMode, usize) -> Started + Send + 'static) -> Self {
        Self::Once(Mutex::new(Some(Box::new(starter))))
    }

    /// Whether a connection can be made again after it has ended.
    pub(crate) fn is_reusable(&self) -> bool {
        !matches!(self, Self::Once(_))
    }

    /// Connects within the time limit, which holds for all tries together.
    pub(crate) async fn connect(&self, context: &ConnectContext) -> Result<Connection, McpError> {
        let attempt = Attempt { context, deadline: Instant::now() + context.limits.connect };
        match self {
            Self::Once(starter) => {
                let Some(starter) = starter.lock().unwrap_or_else(PoisonError::into_inner).take() else {
                    return Err(McpError::Configuration {
                        server: context.server.clone(),
                        reason: "its transport can be used once; build another hub".to_owned(),
                    });
                };
                let calls = Calls::default();
                let client = Client::new(context.inbox.clone(), calls.clone());
                let started = starter(client, context.lifecycle.mode(), attempt.line_limit());
                attempt.finish(started, None, calls).await.map_err(|failure| failure.error)
            }
            #[cfg(feature = "http")]
            Self::Http(server) => attempt.dial(server).await,
            Self::Stdio(command) => match attempt.spawn(command, context.lifecycle).await {
                // Some servers of before 2026 hang up on any first message but `initialize`.
                Err(Failure { hung_up: true, .. }) if context.lifecycle == Lifecycle::Auto => {
                    attempt.spawn(command, Lifecycle::Initialize).await.map_err(|failure| failure.error)
                }
                outcome => outcome.map_err(|failure| failure.error),
            },
        }
    }
}

fn serve<R, W>(client: Client, read: R, write: W, mode: ClientLifecycleMode, line_limit: usize) -> Started
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    // The guard bounds the lines; the SDK's own limit would drop them in silence.
    let transport =
        AsyncRwTransport::new_client(LineGuard::new(read, line_limit), write).with_max_line_length(usize::MAX);
    begin(client, transport, mode)
}

fn begin<T>(client: Client, transport: T, mode: ClientLifecycleMode) -> Started
where
    T: Transport<RoleClient> + 'static,
{
    let (watched, end) = Watched::new(transport);
    Started { running: Box::pin(serve_client_with_lifecycle(client, watched, mode)), end, task: None }
}

struct Attempt<'a> {
    context: &'a ConnectContext,
    deadline: Instant,
}

struct Failure {
    error: McpError,
    hung_up: bool,
}

impl Attempt<'_> {
    /// A result travels twice, as structured content and as text in which every quote is escaped; a list of tools is no result.
    fn line_limit(&self) -> usize {
        self.context.limits.result_bytes.saturating_mul(4).max(4 << 20)
    }

    async fn spawn(&self, command: &StdioServer, lifecycle: Lifecycle) -> Result<Connection, Failure> {
        let (child, stdout, stdin) = ChildProcess::spawn(command).map_err(|source| Failure {
            error: McpError::Spawn { server: self.context.server.clone(), command: command.command.clone(), source },
            hung_up: false,
        })?;
        let calls = Calls::default();
        let client = Client::new(self.context.inbox.clone(), calls.clone());
        self.finish(serve(client, stdout, stdin, lifecycle.mode(), self.line_limit()), Some(child), calls).await
    }

    #[cfg(feature = "http")]
    async fn dial(&self, server: &HttpServer) -> Result<Connection, McpError> {
        let (limits, challenge) = (&self.context.limits, Challenge::default());
        let transport = server.transport(&self.context.server, limits.connect, self.line_limit(), &challenge)?;
        let calls = Calls::default();
        let client = Client::new(self.context.inbox.clone(), calls.clone());
        let started = begin(client, transport, self.context.lifecycle.mode());
        let outcome = self.finish(started, None, calls).await;
        match (outcome, challenge.take()) {
            (Ok(connection), _) => Ok(connection.challenged_by(challenge)),
            (Err(_), Some(reason)) => Err(McpError::NeedsAuth { server: self.context.server.clone(), reason }),
            (Err(failure), None) => Err(failure.error),
        }
    }

    async fn finish(&self, started: Started, child: Option<ChildProcess>, calls: Calls) -> Result<Connection, Failure> {
        let server = self.context.server.clone();
        let limits = &self.context.limits;
        let Started { running, end, task } = started;
        let failed = match timeout_at(self.deadline, running).await {
            Ok(Ok(running)) => {
                let limits = Arc::clone(limits);
                return Ok(Connection::new(Parts {
                    server,
                    running,
                    end,
                    child,
                    task,
                    limits,
                    calls,
                    inbox: self.context.inbox.clone(),
                }));
            }
            Ok(Err(error)) => Some(error),
            Err(_) => None,
        };
        let (status, stderr) = match &child {
            Some(child) => child.end().await,
            None => (None, String::new()),
        };
        if let Some(child) = child {
            child.close(limits.close).await;
        }
        let Some(source) = failed else {
            let limit = limits.connect;
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
