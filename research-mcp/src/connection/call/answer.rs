//! Waits for the answer to a request, within limits of our own, and cancels the request when nobody waits any more.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{CancelledNotification, CancelledNotificationParam, ClientRequest, RequestId, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::connection::link::Connection;

/// How long an answer is waited for.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// From the request or the newest progress.
    pub(super) quiet: Duration,
    /// However much progress there is.
    pub(super) total: Duration,
    /// When `total` is over.
    pub(super) hard: Instant,
}

impl Patience {
    /// Begins now.
    pub(super) fn new(quiet: Duration, total: Duration) -> Self {
        Self { quiet, total, hard: Instant::now() + total }
    }
}

/// A request without an answer.
pub(super) struct Unanswered {
    pub(super) error: ServiceError,
    /// Its id, unless the connection was closed already.
    pub(super) id: Option<RequestId>,
}

impl From<ServiceError> for Unanswered {
    fn from(error: ServiceError) -> Self {
        Self { error, id: None }
    }
}

impl Connection {
    /// Sends a request and waits. The limits do not depend on whether the server reads what it is sent.
    pub(super) async fn answer(
        &self,
        request: ClientRequest,
        tool: &str,
        patience: Patience,
        label: Option<&str>,
    ) -> Result<ServerResult, Unanswered> {
        let hard = patience.hard;
        let mut quiet = Instant::now() + patience.quiet;
        let over = |limit| ServiceError::Timeout { timeout: limit };
        let known = self.calls.begin(tool, label);
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::default());
        let handle =
            timeout_at(quiet.min(hard), sent).await.map_err(|_| over(patience.quiet.min(patience.total)))??;
        known.sent(handle.progress_token.clone());
        let id = handle.id.clone();
        let mut guard = CancelOnDrop { peer: self.peer.clone(), id: Some(id.clone()) };
        let mut answer = std::pin::pin!(handle.await_response());
        loop {
            tokio::select! {
                biased;
                answer = &mut answer => {
                    guard.id = None;
                    return answer.map_err(|error| Unanswered { error, id: Some(id) });
                }
                () = known.progressed() => quiet = Instant::now() + patience.quiet,
                () = sleep_until(quiet.min(hard)) => {
                    if quiet < hard && self.calls.is_asking() {
                        quiet = Instant::now() + patience.quiet;
                        continue;
                    }
                    guard.cancel().await;
                    return Err(over(if hard <= quiet { patience.total } else { patience.quiet }).into());
                }
            }
        }
    }
}

/// Tells the server that nobody waits for the answer any more, unless one came.
struct CancelOnDrop {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

/// A caller whose time is over waits so long for the server to take notice.
const SOON: Duration = Duration::from_millis(500);

/// Nobody waits for this.
const LATE: Duration = Duration::from_secs(5);

impl CancelOnDrop {
    /// Tells the server now. The connection may be gone or stuck, and then there is nothing to cancel.
    async fn cancel(&mut self) {
        if let Some(id) = self.id.take() {
            cancel(self.peer.clone(), id, SOON).await;
        }
    }
}

/// Tells the server within a limit.
async fn cancel(peer: Peer<RoleClient>, id: RequestId, limit: Duration) {
    let reason = "the caller no longer waits for the result".to_owned();
    let params = CancelledNotificationParam::new(Some(id), Some(reason));
    let sent = peer.send_notification(CancelledNotification::new(params).into());
    let _ = tokio::time::timeout(limit, sent).await;
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current()) else {
            return;
        };
        // A runtime that is ending drops the task at once: with a guard in it, that would spawn another, without an end.
        runtime.spawn(cancel(self.peer.clone(), id, LATE));
    }
}
