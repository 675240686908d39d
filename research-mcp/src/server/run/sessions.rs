//! The sessions of clients of MCP 2025-11-25 and before, of which there is a greatest number.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

type Inner = LocalSessionManager;
type Failure = <Inner as SessionManager>::Error;

/// The sessions, and when each was used last.
pub(super) struct Sessions {
    inner: Inner,
    most: usize,
    used: Arc<Mutex<HashMap<SessionId, Use>>>,
}

#[derive(Clone, Copy)]
struct Use {
    /// Streams that are open.
    streams: usize,
    last: Instant,
}

impl Sessions {
    /// So many at most. A client waits for `retry` before it takes up a stream that broke.
    pub(super) fn new(most: usize, retry: Duration) -> Self {
        let mut inner = Inner::default();
        inner.session_config.sse_retry = Some(retry);
        Self { inner, most, used: Arc::default() }
    }

    /// Closes all of them.
    pub(super) async fn close(&self) {
        let open: Vec<SessionId> = self.inner.sessions.read().await.keys().cloned().collect();
        for session in open {
            self.end(&session).await;
        }
    }

    async fn end(&self, session: &SessionId) {
        if let Err(error) = self.close_session(session).await {
            tracing::debug!(%error, "a session did not close");
        }
    }

    /// Takes in a session, and returns the one that has to go for it: of those without an open stream the one that was used least
    /// recently.
    fn took(&self, session: &SessionId) -> Option<SessionId> {
        let mut used = self.lock();
        let gone = if used.len() < self.most {
            None
        } else {
            used.iter().min_by_key(|(_, session)| (session.streams > 0, session.last)).map(|(id, _)| Arc::clone(id))
        };
        if let Some(gone) = &gone {
            used.remove(gone);
        }
        used.insert(Arc::clone(session), Use { streams: 0, last: Instant::now() });
        gone
    }

    fn touch(&self, session: &SessionId) {
        if let Some(session) = self.lock().get_mut(session) {
            session.last = Instant::now();
        }
    }

    /// Notes that a stream of a session is open, until what is returned is dropped.
    fn streaming(&self, session: &SessionId) -> Streaming {
        if let Some(session) = self.lock().get_mut(session) {
            session.streams += 1;
            session.last = Instant::now();
        }
        Streaming { used: Arc::clone(&self.used), session: Arc::clone(session) }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Use>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionManager for Sessions {
    type Error = Failure;
    type Transport = <Inner as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Failure> {
        let (session, transport) = self.inner.create_session().await?;
        if let Some(gone) = self.took(&session) {
            tracing::debug!("a session is closed because there are {} others", self.most);
            self.end(&gone).await;
        }
        Ok((session, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Failure> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Failure> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Failure> {
        self.lock().remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        let streaming = self.streaming(id);
        Ok(Watched { stream: self.inner.create_stream(id, message).await?, _streaming: streaming })
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        let streaming = self.streaming(id);
        Ok(Watched { stream: self.inner.create_standalone_stream(id).await?, _streaming: streaming })
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        let streaming = self.streaming(id);
        Ok(Watched { stream: self.inner.resume(id, last_event_id).await?, _streaming: streaming })
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Failure> {
        self.touch(id);
        self.inner.accept_message(id, message).await
    }
}

/// An open stream of a session.
struct Streaming {
    used: Arc<Mutex<HashMap<SessionId, Use>>>,
    session: SessionId,
}

impl Drop for Streaming {
    fn drop(&mut self) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = used.get_mut(&self.session) {
            session.streams = session.streams.saturating_sub(1);
            session.last = Instant::now();
        }
    }
}

/// The events of an open stream.
struct Watched<S> {
    stream: S,
    _streaming: Streaming,
}

impl<S: Stream<Item = ServerSseMessage> + Unpin> Stream for Watched<S> {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.stream).poll_next(cx)
    }
}
