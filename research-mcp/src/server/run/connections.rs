//! The connections that are open, which of them can be closed for others, and how many may carry a stream of events.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The connections that are open.
#[derive(Clone)]
pub(super) struct Connections {
    open: Arc<Mutex<Open>>,
    streams: Arc<Semaphore>,
}

#[derive(Default)]
struct Open {
    newest: u64,
    known: HashMap<u64, Known>,
}

struct Known {
    /// Since when the client is waited for: for a request, for the rest of one, or for taking an answer.
    waits: Option<Instant>,
    cut: CancellationToken,
}

impl Connections {
    /// No connection yet. So many streams of events may be open at a time.
    pub(super) fn new(streams: usize) -> Self {
        Self { open: Arc::default(), streams: Arc::new(Semaphore::new(streams)) }
    }

    /// Takes in a connection.
    pub(super) fn opened(&self) -> Connection {
        let cut = CancellationToken::new();
        let mut open = self.lock();
        open.newest += 1;
        let number = open.newest;
        open.known.insert(number, Known { waits: Some(Instant::now()), cut: cut.clone() });
        Connection { connections: self.clone(), number, cut }
    }

    /// Closes the connection whose client has been waited for longest. `false` if all are answered right now.
    pub(super) fn close_one(&self) -> bool {
        let mut open = self.lock();
        let waiting = open.known.values_mut().filter(|known| known.waits.is_some() && !known.cut.is_cancelled());
        match waiting.min_by_key(|known| known.waits) {
            Some(known) => {
                known.cut.cancel();
                true
            }
            None => false,
        }
    }

    /// Returns a place for a stream of events, if there is one.
    pub(super) fn stream(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.streams).try_acquire_owned().ok()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that is open; forgotten when it is dropped.
pub(super) struct Connection {
    connections: Connections,
    number: u64,
    /// Fires when the connection is closed for another one.
    pub(super) cut: CancellationToken,
}

impl Connection {
    /// Notes that the client is waited for from now on.
    pub(super) fn waits(&self) {
        if let Some(known) = self.connections.lock().known.get_mut(&self.number) {
            known.waits.get_or_insert_with(Instant::now);
        }
    }

    /// Notes that the client waits for us.
    pub(super) fn works(&self) {
        if let Some(known) = self.connections.lock().known.get_mut(&self.number) {
            known.waits = None;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.lock().known.remove(&self.number);
    }
}

/// A stream of bytes that notes when its client does not take what is written.
pub(super) struct Noted {
    stream: TcpStream,
    connection: Arc<Connection>,
    is_stuck: bool,
}

impl Noted {
    pub(super) fn new(stream: TcpStream, connection: Arc<Connection>) -> Self {
        Self { stream, connection, is_stuck: false }
    }

    fn noted<T>(&mut self, outcome: Poll<T>) -> Poll<T> {
        match (outcome.is_pending(), self.is_stuck) {
            (true, false) => self.connection.waits(),
            (false, true) => self.connection.works(),
            _ => {}
        }
        self.is_stuck = outcome.is_pending();
        outcome
    }
}

impl AsyncRead for Noted {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Noted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.noted(outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.noted(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
