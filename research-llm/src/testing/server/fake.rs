//! The handle of a fake server.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::{fmt, io};

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use super::answer::Answer;
use super::connection;
use super::received::Received;
use super::shared::Shared;

/// A real HTTP/1.1 server on a free port of loopback.
///
/// It gives its prepared answers in order, then what [`otherwise`](Self::otherwise) computes, then a 501. It records every
/// request, and whether the client closed the connection before it had the whole answer. Dropping it closes everything.
///
/// ```
/// use research_llm::testing::{Answer, FakeServer};
/// use serde_json::json;
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let server = FakeServer::start().await?;
/// server.then(Answer::json(200, &json!({"name": "Graz"})).cut(9));
///
/// let mut client = tokio::net::TcpStream::connect(server.address()).await?;
/// client.write_all(b"GET /city HTTP/1.1\r\nhost: localhost\r\n\r\n").await?;
/// let mut answer = String::new();
/// client.read_to_string(&mut answer).await?;
/// assert!(answer.contains("content-length: 15"));
/// assert!(answer.ends_with("\r\n\r\n{\"name\":\""));
/// assert_eq!(server.received()[0].path, "/city");
/// # std::io::Result::Ok(()) })?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct FakeServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: AbortHandle,
}

impl FakeServer {
    /// Starts a server without answers. It runs on the current [tokio] runtime.
    ///
    /// # Errors
    /// When no port of loopback can be had.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared { state: Mutex::default(), changed: watch::Sender::new(()) });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared))).abort_handle();
        Ok(Self { address, shared, accepting })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address as `http://127.0.0.1:PORT`, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Adds an answer for the next request that has none yet.
    pub fn then(&self, answer: Answer) {
        self.shared.lock().answers.push_back(answer);
    }

    /// Computes the answers to requests for which none is prepared.
    pub fn otherwise(&self, answer: impl Fn(&Received) -> Answer + Send + Sync + 'static) {
        self.shared.lock().otherwise = Some(Arc::new(answer));
    }

    /// Every request so far, oldest first.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.shared.lock().received.clone()
    }

    /// Waits until so many requests have come in.
    pub async fn until_received(&self, count: usize) {
        self.until(|received| received.len() >= count).await;
    }

    /// Waits until the client of a request, counted from 0, has closed the connection before it had the whole answer.
    pub async fn until_left(&self, request: usize) {
        self.until(|received| received.get(request).is_some_and(|request| request.left)).await;
    }

    async fn until(&self, done: impl Fn(&[Received]) -> bool) {
        let mut changes = self.shared.changed.subscribe();
        // The sender lives as long as this handle, so a change can always come.
        while !done(&self.shared.lock().received) && changes.changed().await.is_ok() {}
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl fmt::Debug for FakeServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeServer").field("address", &self.address).finish_non_exhaustive()
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    // Dropped with this task, and then closes every connection.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection::serve(stream, Arc::clone(&shared)));
                }
                // A connection that was gone before it was accepted, or too many at once: the next one may work.
                Err(_) => tokio::task::yield_now().await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
