//! Starts a connection: the transport, the handshake, and one more try with the old handshake.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

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
use super::lent::Lent;
use super::link::{Connection, Parts, Rules, ServerTask};
use super::stdio::StdioServer;
use super::watched::{End, Watched};
use super::words;
use crate::era::Lifecycle;
use crate::error::{McpError, Operation};
use crate::future::BoxFuture;
use crate::limits::Limits;
use crate::services::Services;

/// How long an answer to `server/discover` is waited for, and no longer than a third of the time for connecting. The SDK would give
/// up after 10 s, and then stumble over the answer.
const PROBE: Duration = Duration::from_secs(9);

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

/// What a starter needs to know.
pub(crate) struct Start {
    client: Client,
    mode: ClientLifecycleMode,
    /// How long an answer to the probe is waited for.
    patience: Duration,
    /// Length of a line in bytes.
    line_limit: usize,
}

pub(crate) type Starter = Box<dyn FnOnce(Start) -> Started + Send>;

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
    /// What the host gives it.
    pub(crate) services: Services,
    /// What happens to results that are not as they should be.
    pub(crate) rules: Rules,
}

impl Connector {
    /// A service that runs in this process, at the other end of a pipe.
    pub(crate) fn in_process<S: Service<RoleServer>>(service: S) -> Self {
        Self::once(move |start| {
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
            Started { task: Some(ServerTask::new(task)), ..serve(start, read, write) }
        })
    }

    /// Any transport of the SDK.
    pub(crate) fn transport<T, E, A>(transport: T) -> Self
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
        A: 'static,
    {
        Self::once(move |start| begin(start, transport.into_transport()))
    }

    fn once(starter: impl FnOnce(Start) -> Started + Send + 'static) -> Self {
        Self::Once(Mutex::new(Some(Box::new(starter))))
    }

    /// Whether a connection can be made again after it has ended.
    pub(crate) fn is_reusable(&self) -> bool {
        !matches!(self, Self::Once(_))
    }

    /// Connects within the time limit, which holds for all tries together, and remembers what the server spoke.
    pub(crate) async fn connect(&self, context: &ConnectContext) -> Result<Connection, McpError> {
        let attempt = Attempt { context, deadline: Instant::now() + context.limits.connect };
        let (server, eras) = (&context.server, &context.services.eras);
        let is_known =
            context.lifecycle == Lifecycle::Auto && self.is_reusable() && eras.begins_with_initialize(server);
        let first = if is_known { Lifecycle::Initialize } else { context.lifecycle };
        let mut outcome = self.attempt(&attempt, first).await;
        if is_known && outcome.is_err() {
            // It may have changed since.
            eras.forget(server);
            if !matches!(outcome, Err(McpError::Timeout { .. } | McpError::Spawn { .. } | McpError::NeedsAuth { .. })) {
                outcome = self.attempt(&attempt, context.lifecycle).await;
            }
        }
        if let Ok(connection) = &outcome {
            eras.spoke(server, connection.introduction().1);
        }
        outcome
    }

    async fn attempt(&self, attempt: &Attempt<'_>, lifecycle: Lifecycle) -> Result<Connection, McpError> {
        let deadline = attempt.deadline;
        let outcome = match self {
            Self::Once(starter) => {
                let Some(starter) = starter.lock().unwrap_or_else(PoisonError::into_inner).take() else {
                    return Err(McpError::Configuration {
                        server: attempt.context.server.clone(),
                        reason: "its transport can be used once; build another hub".to_owned(),
                    });
                };
                let (start, calls) = attempt.start(lifecycle);
                attempt.finish(starter(start), None, calls, deadline).await
            }
            #[cfg(feature = "http")]
            Self::Http(server) => {
                // Before the clock of the probe runs.
                let client = server.make_client(&attempt.context.server, attempt.context.limits.connect)?;
                // A request that is never answered keeps those behind it waiting.
                let auto = lifecycle == Lifecycle::Auto && !server.signs_in();
                let first = if auto { deadline.min(Instant::now() + attempt.patience()) } else { deadline };
                match attempt.dial(server, client.clone(), lifecycle, first).await {
                    Err(Failure { error: McpError::Timeout { .. }, .. }) if auto => {
                        attempt.dial(server, client, Lifecycle::Initialize, deadline).await
                    }
                    outcome => outcome,
                }
            }
            Self::Stdio(command) => match attempt.spawn(command, lifecycle).await {
                // Some servers of before 2026 hang up on any first message but `initialize`.
                Err(Failure { hung_up: true, .. }) if lifecycle == Lifecycle::Auto => {
                    attempt.spawn(command, Lifecycle::Initialize).await
                }
                outcome => outcome,
            },
        };
        outcome.map_err(|failure| failure.error)
    }
}

fn serve<R, W>(start: Start, read: R, write: W) -> Started
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    // The guard bounds the lines and answers for those that cannot be read; the SDK would drop them in silence.
    let guard = LineGuard::new(read, start.line_limit).checked();
    begin(start, AsyncRwTransport::new_client(guard, write).with_max_line_length(usize::MAX))
}

fn begin<T>(start: Start, transport: T) -> Started
where
    T: Transport<RoleClient> + 'static,
{
    let Start { client, mode, patience, .. } = start;
    // Only then is there another way.
    let patience = matches!(mode, ClientLifecycleMode::Auto { .. }).then_some(patience);
    let (watched, end) = Watched::new(transport, patience);
    let running = async move {
        let (lent, home) = Lent::new(watched);
        let outcome = serve_client_with_lifecycle(client.clone(), lent, mode).await;
        match (outcome, home.returned()) {
            // It had already begun as it was asked to first, and refuses to begin otherwise.
            (Err(error), Some(watched)) => {
                tracing::debug!(%error, "a server that knows `server/discover` was slow to say so");
                serve_client_with_lifecycle(client, watched, Lifecycle::Discover.mode()).await
            }
            (outcome, _) => outcome,
        }
    };
    Started { running: Box::pin(running), end, task: None }
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

    fn patience(&self) -> Duration {
        PROBE.min(self.context.limits.connect / 3)
    }

    fn start(&self, lifecycle: Lifecycle) -> (Start, Calls) {
        let ConnectContext { server, inbox, services, .. } = self.context;
        let calls = Calls::default();
        let client = Client::new(server, inbox.clone(), calls.clone(), services.asks.clone());
        let (mode, patience, line_limit) = (lifecycle.mode(), self.patience(), self.line_limit());
        (Start { client, mode, patience, line_limit }, calls)
    }

    async fn spawn(&self, command: &StdioServer, lifecycle: Lifecycle) -> Result<Connection, Failure> {
        let (child, stdout, stdin) = ChildProcess::spawn(command).map_err(|source| Failure {
            error: McpError::Spawn { server: self.context.server.clone(), command: command.command.clone(), source },
            hung_up: false,
        })?;
        let (start, calls) = self.start(lifecycle);
        self.finish(serve(start, stdout, stdin), Some(child), calls, self.deadline).await
    }

    #[cfg(feature = "http")]
    async fn dial(
        &self,
        server: &HttpServer,
        client: reqwest::Client,
        lifecycle: Lifecycle,
        deadline: Instant,
    ) -> Result<Connection, Failure> {
        let failed = |error| Failure { error, hung_up: false };
        let challenge = Challenge::default();
        let transport =
            server.transport(&self.context.server, client, self.line_limit(), &challenge).map_err(failed)?;
        let (start, calls) = self.start(lifecycle);
        let outcome = self.finish(begin(start, transport), None, calls, deadline).await;
        match (outcome, challenge.said()) {
            (Ok(connection), _) => Ok(connection.challenged_by(challenge)),
            (Err(_), Some(reason)) => Err(failed(McpError::NeedsAuth { server: self.context.server.clone(), reason })),
            (Err(failure), None) => Err(failure),
        }
    }

    async fn finish(
        &self,
        started: Started,
        child: Option<ChildProcess>,
        calls: Calls,
        deadline: Instant,
    ) -> Result<Connection, Failure> {
        let server = self.context.server.clone();
        let limits = &self.context.limits;
        let Started { running, end, task } = started;
        let failed = match timeout_at(deadline, running).await {
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
                    services: self.context.services.clone(),
                    rules: self.context.rules,
                }));
            }
            Ok(Err(error)) => Some(error),
            Err(_) => None,
        };
        let hung_up = matches!(
            failed,
            Some(ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. })
        );
        let (status, stderr) = match &child {
            Some(child) if hung_up => child.end().await,
            Some(child) => child.so_far().await,
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
            None => words::handshake(&source),
        };
        if let Some(reason) = words::beneath(&source).and_then(words::sign_in) {
            return Err(Failure { error: McpError::NeedsAuth { server, reason }, hung_up: false });
        }
        Err(Failure { error: McpError::Handshake { server, reason, stderr, source: Some(Box::new(source)) }, hung_up })
    }
}
