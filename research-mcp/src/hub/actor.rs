//! One server of a hub: where it stands, its connection and its tools.

mod calls;
mod life;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use futures::FutureExt;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::approvals::{Approvals, changes};
use super::bus::Bus;
use crate::connection::{Connection, Connector, ServerListing};
use crate::error::{McpError, Operation};
use crate::event::HubEvent;
use crate::event::state::ServerState;
use crate::limits::Limits;
use crate::policy::ServerPolicy;
use crate::services::Services;

/// What a try to connect may take to end, beyond its limits for connecting and closing: a process is waited for, and its last words.
const ENDING: Duration = Duration::from_secs(10);

/// A server and its task.
pub(super) struct Actor {
    pub(super) name: String,
    policy: ServerPolicy,
    limits: Arc<Limits>,
    connector: Connector,
    now: watch::Sender<Now>,
    known: Mutex<Option<Known>>,
    /// Held while the server is asked for its tools, so that it is asked once.
    asking: tokio::sync::Mutex<()>,
    approvals: Arc<Mutex<Approvals>>,
    permits: Semaphore,
    bus: Bus,
    services: Services,
    task: Mutex<Option<Task>>,
    closed: AtomicBool,
}

/// Where the server stands, and its connection when it has one. They change together.
struct Now {
    state: ServerState,
    connection: Option<Arc<Connection>>,
}

impl Now {
    /// Whether there is something to wait for: the server is being connected, or is about to be given up or connected again.
    fn is_moving(&self) -> bool {
        self.state == ServerState::Connecting || self.connection.as_deref().is_some_and(is_over)
    }
}

/// The tools that were listed last.
#[derive(Clone)]
struct Known {
    listing: Arc<ServerListing>,
    /// The connection that listed them. A server may come back from a new start with other tools.
    on: Weak<Connection>,
}

struct Task {
    stop: CancellationToken,
    handle: JoinHandle<()>,
}

impl Actor {
    pub(super) fn new(
        name: String,
        connector: Connector,
        policy: ServerPolicy,
        limits: &Arc<Limits>,
        approvals: Arc<Mutex<Approvals>>,
        bus: Bus,
        services: Services,
    ) -> Self {
        Self {
            name,
            limits: policy.limits.clone().map_or_else(|| Arc::clone(limits), Arc::new),
            permits: Semaphore::new(policy.parallel_calls.clamp(1, Semaphore::MAX_PERMITS)),
            policy,
            connector,
            now: watch::Sender::new(Now { state: ServerState::Pending, connection: None }),
            known: Mutex::new(None),
            asking: tokio::sync::Mutex::new(()),
            approvals,
            bus,
            services,
            task: Mutex::new(None),
            closed: AtomicBool::new(false),
        }
    }

    pub(super) fn state(&self) -> ServerState {
        self.now.borrow().state.clone()
    }

    /// Waits until it is known whether the server is ready.
    pub(super) async fn settled(&self) -> ServerState {
        let mut now = self.now.subscribe();
        match now.wait_for(|now| now.state.is_settled()).await {
            Ok(now) => now.state.clone(),
            Err(_) => self.state(),
        }
    }

    /// Ends the task and the connection at once; kills a child process.
    pub(super) fn abort(&self) {
        if let Some(task) = lock(&self.task).take() {
            task.handle.abort();
        }
        self.now.send_modify(|now| now.connection = None);
    }

    /// Ends the task and the connection in order.
    pub(super) async fn close(&self) {
        let task = {
            let mut task = lock(&self.task);
            self.closed.store(true, Ordering::Release);
            task.take()
        };
        if !matches!(self.state(), ServerState::Failed { .. } | ServerState::NeedsAuth { .. }) {
            self.set(ServerState::Closed, None);
        }
        let Some(task) = task else { return };
        task.stop.cancel();
        if let Err(error) = task.handle.await {
            tracing::warn!(server = self.name, %error, "the task of a server ended badly");
        }
    }

    fn set(&self, state: ServerState, connection: Option<Arc<Connection>>) {
        let changed = self.now.send_if_modified(|now| {
            // What is closed stays closed.
            if now.state == ServerState::Closed {
                return false;
            }
            now.connection = connection;
            now.state = state.clone();
            true
        });
        if changed {
            self.bus.outdate();
            self.bus.tell(HubEvent::State { server: self.name.clone(), state });
        }
    }

    /// The open connection; waits for one that is being made.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, McpError> {
        let limit = self.limits.connect;
        // The try keeps the limit itself, and then ends what it has begun: only then it is known how the server stands.
        let patience = limit.saturating_add(self.limits.close.saturating_mul(2)).saturating_add(ENDING);
        let mut now = self.now.subscribe();
        let (state, open) = match timeout(patience, now.wait_for(|now| !now.is_moving())).await {
            Ok(Ok(now)) => (now.state.clone(), now.connection.clone()),
            Ok(Err(_)) => (self.state(), None),
            Err(_) => {
                return Err(McpError::Timeout {
                    server: self.name.clone(),
                    tool: None,
                    operation: Operation::Connect,
                    limit,
                    stderr: String::new(),
                });
            }
        };
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
        self.tools_on(&connection, anew).await
    }

    async fn tools_on(&self, connection: &Arc<Connection>, anew: bool) -> Result<Arc<ServerListing>, McpError> {
        let _asking = self.asking.lock().await;
        if let Some(listing) = self.known(connection).filter(|_| !anew) {
            return Ok(listing);
        }
        let mut listing = connection.list().await?;
        listing.tools.retain(|tool| self.policy.permits(&tool.name));
        lock(&self.approvals).see(&listing.tools);
        let listing = Arc::new(listing);
        let known = Known { listing: Arc::clone(&listing), on: Arc::downgrade(connection) };
        let before = lock(&self.known).replace(known);
        let changes = before.map(|before| changes(&before.listing.tools, &listing.tools)).unwrap_or_default();
        if !changes.is_empty() {
            self.bus.outdate();
            self.bus.tell(HubEvent::ToolsChanged { server: self.name.clone(), changes });
        }
        Ok(listing)
    }

    /// Whether it is known that the server has no tool of this name any more.
    pub(super) fn lacks(&self, tool: &str) -> bool {
        let open = self.now.borrow().connection.clone();
        let known = open.and_then(|open| self.known(&open));
        known.is_some_and(|listing| !listing.tools.iter().any(|known| known.name == tool))
    }

    /// The tools, if they were listed on this connection.
    fn known(&self, connection: &Arc<Connection>) -> Option<Arc<ServerListing>> {
        let known = lock(&self.known);
        let of_it = known.as_ref().filter(|known| std::ptr::eq(known.on.as_ptr(), Arc::as_ptr(connection)));
        of_it.map(|known| Arc::clone(&known.listing))
    }
}

/// Whether a connection has come to its end.
fn is_over(connection: &Connection) -> bool {
    connection.is_closed() || connection.ended().now_or_never().is_some()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that is done under these locks can panic half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
