//! One server of a hub: a task that connects it, watches it, starts it again, and closes it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::approvals::{Approvals, Standing, changes};
use super::bus::Bus;
use super::state::ServerState;
use crate::connection::{ConnectContext, Connection, Connector, Notice, Outbox, Said, ServerListing, inbox};
use crate::error::{McpError, Operation};
use crate::event::HubEvent;
use crate::limits::Limits;
use crate::options::CallOptions;
use crate::output::CallOutput;
use crate::policy::{ChangedTools, Respawn, RetryCalls, ServerPolicy};
use crate::tool::{Object, Tool};

/// Pause before the first new start of a server that died; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// Between two listings that a server asks for by saying that its tools have changed.
const LISTING_PAUSE: Duration = Duration::from_millis(250);

/// A server and its task.
pub(super) struct Actor {
    pub(super) name: String,
    policy: ServerPolicy,
    limits: Arc<Limits>,
    connector: Connector,
    state: watch::Sender<ServerState>,
    connection: Mutex<Option<Arc<Connection>>>,
    listing: tokio::sync::Mutex<Option<Arc<ServerListing>>>,
    approvals: Arc<Mutex<Approvals>>,
    permits: Semaphore,
    bus: Bus,
    task: Mutex<Option<Task>>,
}

struct Task {
    stop: CancellationToken,
    handle: JoinHandle<()>,
}

/// How a connection ended, or a try to make one.
enum Ended {
    /// We wanted it to.
    Stopped,
    /// It could not be made.
    NotMade(McpError),
    /// It broke.
    Broke(McpError),
}

impl Actor {
    pub(super) fn new(
        name: String,
        connector: Connector,
        policy: ServerPolicy,
        limits: &Arc<Limits>,
        approvals: Arc<Mutex<Approvals>>,
        bus: Bus,
    ) -> Self {
        Self {
            name,
            limits: policy.limits.clone().map_or_else(|| Arc::clone(limits), Arc::new),
            permits: Semaphore::new(policy.parallel_calls.clamp(1, Semaphore::MAX_PERMITS)),
            policy,
            connector,
            state: watch::Sender::new(ServerState::Pending),
            connection: Mutex::new(None),
            listing: tokio::sync::Mutex::new(None),
            approvals,
            bus,
            task: Mutex::new(None),
        }
    }

    pub(super) fn state(&self) -> ServerState {
        self.state.borrow().clone()
    }

    /// Starts the task, unless it runs.
    pub(super) fn start(self: &Arc<Self>) {
        let mut task = lock(&self.task);
        let runs = task.as_ref().is_some_and(|task| !task.handle.is_finished());
        if runs || *self.state.borrow() == ServerState::Closed {
            return;
        }
        self.set(ServerState::Connecting);
        let stop = CancellationToken::new();
        let handle = tokio::spawn(supervise(Arc::clone(self), stop.clone()));
        *task = Some(Task { stop, handle });
    }

    /// Waits until it is known whether the server is ready.
    pub(super) async fn settled(&self) -> ServerState {
        let mut state = self.state.subscribe();
        match state.wait_for(ServerState::is_settled).await {
            Ok(state) => state.clone(),
            Err(_) => self.state(),
        }
    }

    /// Ends the task and the connection at once; kills a child process.
    pub(super) fn abort(&self) {
        if let Some(task) = lock(&self.task).take() {
            task.handle.abort();
        }
        lock(&self.connection).take();
    }

    /// Ends the task and the connection in order.
    pub(super) async fn close(&self) {
        let task = lock(&self.task).take();
        if !matches!(self.state(), ServerState::Failed { .. } | ServerState::NeedsAuth { .. }) {
            self.set(ServerState::Closed);
        }
        let Some(task) = task else { return };
        task.stop.cancel();
        if let Err(error) = task.handle.await {
            tracing::warn!(server = self.name, %error, "the task of a server ended badly");
        }
    }

    fn set(&self, state: ServerState) {
        let changed = self.state.send_if_modified(|current| {
            // What is closed stays closed.
            let changes = *current != state && *current != ServerState::Closed;
            if changes {
                current.clone_from(&state);
            }
            changes
        });
        if changed {
            self.bus.outdate();
            self.bus.tell(HubEvent::State { server: self.name.clone(), state });
        }
    }

    /// The open connection; waits for one that is being made.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, McpError> {
        let state = match self.state() {
            ServerState::Connecting => {
                let limit = self.limits.connect;
                timeout(limit, self.settled()).await.map_err(|_| McpError::Timeout {
                    server: self.name.clone(),
                    tool: None,
                    operation: Operation::Connect,
                    limit,
                    stderr: String::new(),
                })?
            }
            state => state,
        };
        let open = lock(&self.connection).clone();
        open.ok_or_else(|| match state {
            ServerState::NeedsAuth { reason } => McpError::NeedsAuth { server: self.name.clone(), reason },
            state => McpError::Closed {
                server: self.name.clone(),
                tool: None,
                reason: state.trouble(),
                stderr: String::new(),
            },
        })
    }

    /// The tools, without those that the policy hides. Asks the server unless they are known.
    pub(super) async fn tools(&self, anew: bool) -> Result<Arc<ServerListing>, McpError> {
        let connection = self.connection().await?;
        let mut known = self.listing.lock().await;
        if let Some(listing) = known.as_ref().filter(|_| !anew) {
            return Ok(Arc::clone(listing));
        }
        let mut listing = connection.list().await?;
        listing.tools.retain(|tool| self.policy.permits(&tool.name));
        lock(&self.approvals).see(&listing.tools);
        if let Some(before) = known.as_ref() {
            let changes = changes(&before.tools, &listing.tools);
            if !changes.is_empty() {
                self.bus.outdate();
                self.bus.tell(HubEvent::ToolsChanged { server: self.name.clone(), changes });
            }
        }
        let listing = Arc::new(listing);
        *known = Some(Arc::clone(&listing));
        Ok(listing)
    }

    /// Calls a tool by the server's own name for it.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Object,
        options: &CallOptions,
    ) -> Result<CallOutput, McpError> {
        self.check(tool).await?;
        let connection = self.connection().await?;
        // The semaphore is never closed.
        let _permit = self.permits.acquire().await.ok();
        let again = (self.policy.retry == RetryCalls::Safe).then(|| arguments.clone());
        let outcome = connection.call(tool, arguments, options).await;
        match (outcome, again) {
            (Err(error), Some(arguments)) if error.is_closed() && self.is_safe(tool).await => {
                tracing::info!(server = self.name, tool, "a call whose connection broke is made again");
                self.replaced(&connection).await;
                self.connection().await?.call(tool, arguments, options).await
            }
            (outcome, _) => outcome,
        }
    }

    /// Whether the policy and the approvals let the tool be called.
    async fn check(&self, tool: &str) -> Result<(), McpError> {
        let refused = |reason: &str| {
            Err(McpError::Refused { server: self.name.clone(), tool: tool.to_owned(), reason: reason.to_owned() })
        };
        if !self.policy.permits(tool) {
            return refused("the policy of the server does not allow it; add it to `allow` or take it out of `deny`");
        }
        let strict = lock(&self.approvals).strict;
        let listed = match self.known(tool).await {
            None if strict => self.tools(false).await?.tools.iter().find(|known| known.name == tool).cloned(),
            known => known,
        };
        let standing = listed.as_ref().map(|listed| lock(&self.approvals).standing(listed));
        match standing {
            Some(Standing::Changed) if self.policy.changed_tools == ChangedTools::Refuse => {
                Err(McpError::ToolChanged { server: self.name.clone(), tool: tool.to_owned() })
            }
            Some(Standing::Unknown) | None if strict => refused("it was not approved yet; approve it first"),
            _ => Ok(()),
        }
    }

    async fn known(&self, tool: &str) -> Option<Tool> {
        let listing = self.listing.lock().await.clone()?;
        listing.tools.iter().find(|known| known.name == tool).cloned()
    }

    async fn is_safe(&self, tool: &str) -> bool {
        let hints = self.known(tool).await.map(|tool| tool.hints).unwrap_or_default();
        hints.read_only == Some(true) || hints.idempotent == Some(true)
    }

    /// Waits until a broken connection has been given up or replaced.
    async fn replaced(&self, broken: &Arc<Connection>) {
        let mut state = self.state.subscribe();
        while lock(&self.connection).as_ref().is_some_and(|open| Arc::ptr_eq(open, broken)) {
            if state.changed().await.is_err() {
                return;
            }
        }
    }

    fn hear(&self, notice: Notice) {
        let server = self.name.clone();
        self.bus.tell(match notice {
            Notice::ResourcesChanged => HubEvent::ResourcesChanged { server },
            Notice::PromptsChanged => HubEvent::PromptsChanged { server },
            Notice::ResourceUpdated(uri) => HubEvent::ResourceUpdated { server, uri },
            Notice::Progress { tool, call, progress, total, message } => {
                HubEvent::Progress { server, tool, call, progress, total, message }
            }
            Notice::Log { level, logger, data } => HubEvent::Log { server, level, logger, data },
        });
    }

    /// Connects, and watches the connection to its end.
    async fn live(&self, stop: &CancellationToken) -> Ended {
        let (inbox, outbox) = inbox();
        let context = ConnectContext {
            server: self.name.clone(),
            lifecycle: self.policy.lifecycle,
            limits: Arc::clone(&self.limits),
            inbox,
        };
        let connected = tokio::select! {
            biased;
            () = stop.cancelled() => return Ended::Stopped,
            connected = self.connector.connect(&context) => connected,
        };
        let connection = match connected {
            Ok(connection) => Arc::new(connection),
            Err(error) => return Ended::NotMade(error),
        };
        let (implementation, protocol) = connection.introduction();
        tracing::debug!(server = self.name, implementation, protocol, "connected");
        *self.listing.lock().await = None;
        *lock(&self.connection) = Some(Arc::clone(&connection));
        self.set(ServerState::Ready { implementation, protocol });
        let ended = self.watch(&connection, outbox, stop).await;
        connection.close().await;
        ended
    }

    async fn watch(&self, connection: &Connection, mut outbox: Outbox, stop: &CancellationToken) -> Ended {
        let mut listed = Instant::now();
        let mut asking = std::pin::pin!(connection.watch_lists());
        let mut asked = false;
        loop {
            let dropped = outbox.take_dropped();
            if dropped > 0 {
                self.bus.tell(HubEvent::Dropped { count: dropped });
            }
            let said = tokio::select! {
                biased;
                () = stop.cancelled() => return Ended::Stopped,
                () = connection.ended() => return Ended::Broke(connection.end_of(None).await),
                () = &mut asking, if !asked => {
                    asked = true;
                    continue;
                }
                said = outbox.next() => said,
            };
            match said {
                Said::Notice(notice) => self.hear(notice),
                // Before anybody has listed the tools, nothing is out of date.
                Said::ToolsChanged if self.listing.lock().await.is_none() => {}
                Said::ToolsChanged => {
                    let pause = LISTING_PAUSE.saturating_sub(listed.elapsed());
                    tokio::select! {
                        biased;
                        () = stop.cancelled() => return Ended::Stopped,
                        () = self.list_again(pause) => {}
                    }
                    listed = Instant::now();
                }
            }
        }
    }

    async fn list_again(&self, pause: Duration) {
        sleep(pause).await;
        if let Err(error) = self.tools(true).await {
            tracing::warn!(server = self.name, %error, "changed tools were not listed");
        }
    }

    /// Takes in how a connection ended. `again` says that another start follows: calls then wait for it.
    fn gone(&self, error: McpError, again: bool) {
        tracing::warn!(server = self.name, %error, again, "no connection");
        let state = match error {
            McpError::NeedsAuth { reason, .. } => ServerState::NeedsAuth { reason },
            error => ServerState::Failed { reason: error.to_string() },
        };
        lock(&self.connection).take();
        if again {
            self.bus.tell(HubEvent::State { server: self.name.clone(), state });
            self.set(ServerState::Connecting);
        } else {
            self.set(state);
        }
    }
}

/// The new starts of a server of late.
#[derive(Default)]
struct Starts(VecDeque<Instant>);

impl Starts {
    /// The pause before another start, or nothing if there were too many.
    fn another(&mut self, respawn: Respawn) -> Option<Duration> {
        let Respawn::OnFailure { max, within } = respawn else { return None };
        while self.0.front().is_some_and(|start| start.elapsed() > within) {
            self.0.pop_front();
        }
        let before = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        (before < max).then(|| {
            self.0.push_back(Instant::now());
            FIRST_PAUSE * 2_u32.saturating_pow(before.min(8))
        })
    }
}

/// Keeps a server alive as long as its policy and its hub want.
async fn supervise(actor: Arc<Actor>, stop: CancellationToken) {
    let mut starts = Starts::default();
    loop {
        let (error, broke) = match actor.live(&stop).await {
            Ended::Stopped => {
                lock(&actor.connection).take();
                return;
            }
            Ended::NotMade(error) => (error, !starts.0.is_empty()),
            Ended::Broke(error) => (error, true),
        };
        let can_start = broke && actor.connector.is_reusable() && !stop.is_cancelled();
        let pause = if can_start { starts.another(actor.policy.respawn) } else { None };
        actor.gone(error, pause.is_some());
        let Some(pause) = pause else { return };
        tokio::select! {
            () = stop.cancelled() => return,
            () = sleep(pause) => {}
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that is done under these locks can panic half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
