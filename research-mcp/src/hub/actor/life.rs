//! The task of a server: it connects, watches the connection, starts the server again, and closes it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::OptionFuture;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{Actor, Task, lock};
use crate::connection::{ConnectContext, Connection, Notice, Outbox, Rules, inbox};
use crate::error::McpError;
use crate::event::HubEvent;
use crate::event::state::ServerState;
use crate::policy::Respawn;

/// Pause before the first new start of a server that died; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// Between two listings that a server asks for by saying that its tools have changed.
const LISTING_PAUSE: Duration = Duration::from_millis(250);

/// How a connection ended, or a try to make one.
enum Ended {
    /// We wanted it to.
    Stopped,
    /// It could not be made.
    NotMade(McpError),
    /// It broke, and is still to be closed.
    Broke(McpError, Arc<Connection>),
}

/// Keeps a server alive as long as its policy and its hub want.
async fn supervise(actor: Arc<Actor>, before: Option<JoinHandle<()>>, stop: CancellationToken) {
    if let Some(Err(error)) = OptionFuture::from(before).await {
        tracing::warn!(server = actor.name, %error, "the task of a server ended badly");
    }
    let mut starts = Starts::default();
    loop {
        let (error, broken) = match actor.live(&stop).await {
            Ended::Stopped => return,
            Ended::NotMade(error) => (error, None),
            Ended::Broke(error, connection) => (error, Some(connection)),
        };
        // What was never connected is not worth another try.
        let lived = broken.is_some() || starts.any();
        let wants_user = matches!(error, McpError::NeedsAuth { .. });
        let can_start = lived && !wants_user && actor.connector.is_reusable() && !stop.is_cancelled();
        let pause = if can_start { starts.another(actor.policy.respawn) } else { None };
        actor.gone(error, pause.is_some());
        if let Some(connection) = broken {
            connection.close().await;
        }
        let Some(pause) = pause else { return };
        tokio::select! {
            () = stop.cancelled() => return,
            () = sleep(pause) => {}
        }
    }
}

impl Actor {
    /// Starts the task, unless the server is connected or being connected, or was closed.
    pub(crate) fn start(self: &Arc<Self>) {
        let mut task = lock(&self.task);
        let stands = matches!(self.state(), ServerState::Connecting | ServerState::Ready { .. });
        if stands || self.closed.load(Ordering::Acquire) {
            return;
        }
        self.set(ServerState::Connecting, None);
        // The task before may still be closing what it had.
        let before = task.take().map(|task| task.handle);
        let stop = CancellationToken::new();
        let handle = tokio::spawn(supervise(Arc::clone(self), before, stop.clone()));
        *task = Some(Task { stop, handle });
    }

    /// Connects, and watches the connection to its end.
    async fn live(&self, stop: &CancellationToken) -> Ended {
        let (inbox, outbox) = inbox();
        let context = ConnectContext {
            server: self.name.clone(),
            lifecycle: self.policy.lifecycle,
            limits: Arc::clone(&self.limits),
            inbox,
            services: self.services.clone(),
            rules: Rules { invalid_results: self.policy.invalid_results, overflow: self.policy.overflow },
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
        self.set(ServerState::Ready { implementation, protocol }, Some(Arc::clone(&connection)));
        match self.watch(&connection, outbox, stop).await {
            Some(error) => Ended::Broke(error, connection),
            None => {
                connection.close().await;
                Ended::Stopped
            }
        }
    }

    /// Reports what the server says until its connection breaks or is no longer wanted; returns why it broke.
    async fn watch(&self, connection: &Connection, mut outbox: Outbox, stop: &CancellationToken) -> Option<McpError> {
        let broke = self.watch_until_end(connection, &mut outbox, stop).await;

        // What the server said before the end is reported, and how much of it is missing.
        self.report_dropped(&outbox);
        while let Some(notice) = outbox.waiting() {
            self.hear(notice);
        }
        broke
    }

    async fn watch_until_end(
        &self,
        connection: &Connection,
        outbox: &mut Outbox,
        stop: &CancellationToken,
    ) -> Option<McpError> {
        let mut listed = Instant::now();
        let mut asking = std::pin::pin!(connection.watch_lists());
        let mut asked = false;
        // Notices are reported while the tools are listed again.
        let tools_changed = outbox.tools_changed();
        let mut listing = std::pin::pin!(OptionFuture::default());
        let mut is_listing = false;

        loop {
            self.report_dropped(outbox);
            tokio::select! {
                biased;
                () = stop.cancelled() => return None,
                () = connection.ended() => tokio::select! {
                    biased;
                    () = stop.cancelled() => return None,
                    error = connection.end_of(None) => return Some(error),
                },
                () = &mut asking, if !asked => asked = true,
                Some(()) = &mut listing, if is_listing => {
                    listed = Instant::now();
                    is_listing = false;
                }
                () = tools_changed.notified(), if !is_listing => {
                    // Before the tools were listed for the first time, no list is out of date.
                    if lock(&self.known).is_some() {
                        let pause = LISTING_PAUSE.saturating_sub(listed.elapsed());
                        listing.set(OptionFuture::from(Some(self.list_again(pause))));
                        is_listing = true;
                    }
                }
                notice = outbox.notice() => self.hear(notice),
            }
        }
    }

    fn report_dropped(&self, outbox: &Outbox) {
        let count = outbox.take_dropped();
        if count > 0 {
            self.bus.tell(HubEvent::Dropped { count });
        }
    }

    fn hear(&self, notice: Notice) {
        let server = self.name.clone();
        self.bus.tell(match notice {
            Notice::ResourcesChanged => HubEvent::ResourcesChanged { server },
            Notice::PromptsChanged => HubEvent::PromptsChanged { server },
            Notice::ResourceUpdated(uri) => HubEvent::ResourceUpdated { server, uri },
            Notice::Progress { tool, call, label, progress, total, message } => {
                HubEvent::Progress { server, tool, call, label, progress, total, message }
            }
            Notice::Quarantined { list, name, reason } => HubEvent::Quarantined { server, list, name, reason },
            Notice::Log { level, logger, data } => HubEvent::Log { server, level, logger, data },
        });
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
            error => ServerState::Failed { kind: error.kind(), reason: error.to_string() },
        };
        if again {
            self.bus.tell(HubEvent::State { server: self.name.clone(), state });
            self.set(ServerState::Connecting, None);
        } else {
            self.set(state, None);
        }
    }
}

/// The new starts of a server of late.
#[derive(Default)]
struct Starts(VecDeque<Instant>);

impl Starts {
    fn any(&self) -> bool {
        !self.0.is_empty()
    }

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
