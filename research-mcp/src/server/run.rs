//! Takes connections, checks who asks, and ends in order.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::admission::admitted;
use self::connections::{Connection, Connections, Noted};
use self::sessions::Sessions;
use super::tool_server::ToolServer;

mod admission;
mod connections;
mod sessions;

/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(10);

/// How long the body of a request may take, together with waiting for a place for a large one.
const BODY: Duration = Duration::from_secs(30);

/// Size in bytes from which a body is a large one.
const LARGE: u64 = 64 * 1024;

/// Number of large bodies that are kept at a time.
const LARGE_BODIES: usize = 16;

/// How long is waited before another connection is closed for one that is to be taken.
const CROWDED: Duration = Duration::from_millis(20);

/// How long connections may take to send what is left when the server ends.
const FLUSH: Duration = Duration::from_secs(1);

/// How long is waited after a connection could not be taken, as when the process has too many files open.
const PAUSE: Duration = Duration::from_millis(100);

type Reply = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<ToolServer, Sessions>;

/// What is checked before a request is answered, and what is allowed.
pub(super) struct Gate {
    pub(super) path: String,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) bearer: Option<SecretString>,
    pub(super) body_bytes: usize,
    pub(super) connections: usize,
    pub(super) sessions: usize,
    pub(super) grace: Duration,
    pub(super) retry: Duration,
}

/// The stages of the end.
#[derive(Clone, Default)]
pub(super) struct Stops {
    /// No more requests are taken.
    pub(super) stop: CancellationToken,
    /// Calls are cancelled and nothing is waited for.
    pub(super) ended: CancellationToken,
}

/// Answers under way.
#[derive(Clone, Default)]
struct Busy(Arc<watch::Sender<usize>>);

struct Answering(Busy);

impl Busy {
    fn answering(&self) -> Answering {
        self.0.send_modify(|count| *count += 1);
        Answering(self.clone())
    }

    async fn over(&self) {
        // The sender is here, so that this cannot fail.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

pub(super) async fn serve(server: ToolServer, listener: TcpListener, gate: Gate, stops: Stops) {
    let ended = stops.ended.clone();
    // Whatever is left is dropped with the connections.
    ended.run_until_cancelled(accept(server, listener, gate, stops)).await;
}

async fn accept(server: ToolServer, listener: TcpListener, gate: Gate, stops: Stops) {
    let cancelled = stops.ended.child_token();
    let sessions = Arc::new(Sessions::new(gate.sessions, gate.retry));
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(gate.hosts.clone())
        .with_allowed_origins(gate.origins.clone())
        .enforce_origin_validation()
        .with_max_request_body_bytes(gate.body_bytes)
        .with_sse_retry(Some(gate.retry))
        .with_cancellation_token(cancelled.clone());
    let (closing, ending) = (stops.stop.clone(), cancelled.clone());
    let factory = move || Ok(server.another(closing.clone(), ending.clone()));
    let service = StreamableHttpService::new(factory, Arc::clone(&sessions), config);

    let (grace, most) = (gate.grace, gate.connections);
    let open = Connections::new((most / 2).max(1));
    let large = Arc::new(Semaphore::new(LARGE_BODIES));
    let desk = Arc::new(Desk { service, gate, busy: Busy::default(), open: open.clone(), large });
    let mut connections = JoinSet::new();
    while let Some(accepted) = stops.stop.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, _)) => {
                let space = make_space(&mut connections, &open, most);
                if stops.stop.run_until_cancelled(space).await.is_none() {
                    break;
                }
                connections.spawn(connection(stream, open.opened(), Arc::clone(&desk), stops.stop.clone()));
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    drop(listener);
    if tokio::time::timeout(grace, desk.busy.over()).await.is_err() {
        tracing::warn!("calls are cancelled because the server ends");
    }
    cancelled.cancel();
    sessions.close().await;
    let flushed = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(FLUSH, flushed).await.is_err() {
        tracing::debug!("connections are cut because the server ends");
    }
}

/// Waits until there are fewer connections than this. For that those go whose clients are waited for longest.
async fn make_space(connections: &mut JoinSet<()>, open: &Connections, most: usize) {
    while connections.try_join_next().is_some() {}
    while connections.len() >= most {
        open.close_one();
        // Without one that can be closed, one may come to its end, or to wait for its client.
        let ended = tokio::time::timeout(CROWDED, connections.join_next()).await;
        drop(ended);
        while connections.try_join_next().is_some() {}
    }
}

/// What requests are answered with.
struct Desk {
    service: Service,
    gate: Gate,
    busy: Busy,
    open: Connections,
    /// Places for large bodies.
    large: Arc<Semaphore>,
}

async fn connection(stream: TcpStream, connection: Connection, desk: Arc<Desk>, stop: CancellationToken) {
    let (cut, connection) = (connection.cut.clone(), Arc::new(connection));
    let stream = Noted::new(stream, Arc::clone(&connection));
    let answer = service_fn(move |request| {
        let (desk, connection) = (Arc::clone(&desk), Arc::clone(&connection));
        async move { Ok::<_, Infallible>(desk.answer(request, connection).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), answer);

    let mut serving = std::pin::pin!(serving);
    let orderly = async {
        match stop.run_until_cancelled(serving.as_mut()).await {
            Some(outcome) => outcome,
            None => {
                serving.as_mut().graceful_shutdown();
                serving.await
            }
        }
    };
    match cut.run_until_cancelled(orderly).await {
        Some(Err(error)) => tracing::debug!(%error, "a connection ended"),
        Some(Ok(())) => {}
        None => tracing::debug!("a connection is closed for another one"),
    }
}

impl Desk {
    async fn answer(&self, request: Request<Incoming>, connection: Arc<Connection>) -> Reply {
        connection.works();
        let (parts, body) = request.into_parts();
        if parts.uri.path() != self.gate.path {
            return waited(
                plain(StatusCode::NOT_FOUND, format!("there is nothing here; MCP is at {}", self.gate.path)),
                connection,
            );
        }
        if let Err((status, reason)) = admitted(&parts) {
            return waited(plain(status, reason.to_owned()), connection);
        }
        if !self.gate.knows(parts.headers.get(header::AUTHORIZATION)) {
            let mut reply = plain(StatusCode::UNAUTHORIZED, "a bearer token is needed".to_owned());
            reply.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return waited(reply, connection);
        }

        // Streams without an end have a part of the connections, so that there are always others.
        let is_call = parts.method == Method::POST;
        let listens = parts.headers.get("mcp-method").is_some_and(|method| method == LISTEN);
        let place = if parts.method == Method::GET || listens { self.open.stream().map(Some) } else { Some(None) };
        let Some(place) = place else {
            let mut reply = plain(StatusCode::SERVICE_UNAVAILABLE, "too many streams of events are open".to_owned());
            reply.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("10"));
            return waited(reply, connection);
        };

        connection.waits();
        let (body, large) = match self.body(body).await {
            Ok(whole) => whole,
            Err(refused) => return waited(*refused, connection),
        };
        connection.works();
        let answering = is_call.then(|| self.busy.answering());
        let reply = self.service.handle(Request::from_parts(parts, Full::new(body))).await;
        drop(large);

        // It counts as under way until its last part is sent, and the next request is waited for from then on.
        let (parts, body) = reply.into_parts();
        let under_way = (answering, place, Waiting(connection));
        let body = body.map_frame(move |frame| {
            let _ = &under_way;
            frame
        });
        Response::from_parts(parts, body.boxed())
    }

    /// Returns the whole body of a request, and the place that it has if it is a large one.
    async fn body(&self, body: Incoming) -> Result<(Bytes, Option<OwnedSemaphorePermit>), Box<Reply>> {
        let limit = self.gate.body_bytes;
        let refused = |status, reason: &str| Err(Box::new(plain(status, reason.to_owned())));
        let size = body.size_hint();
        if size.lower() > limit as u64 {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
        }

        let is_large = size.upper().is_none_or(|most| most > LARGE);
        let reading = async {
            let place = if is_large { Arc::clone(&self.large).acquire_owned().await.ok() } else { None };
            (Limited::new(body, limit).collect().await, place)
        };
        match tokio::time::timeout(BODY, reading).await {
            Ok((Ok(whole), place)) => Ok((whole.to_bytes(), place)),
            Ok((Err(error), _)) if error.is::<LengthLimitError>() => {
                refused(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large")
            }
            Ok((Err(error), _)) => refused(StatusCode::BAD_REQUEST, &format!("the body cannot be read: {error}")),
            Err(_) => refused(StatusCode::REQUEST_TIMEOUT, "the body took too long"),
        }
    }
}

/// The method of a request that is answered with a stream without an end.
const LISTEN: &str = "subscriptions/listen";

/// Notes, when it is dropped, that the next request is waited for.
struct Waiting(Arc<Connection>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waits();
    }
}

/// A reply after which the next request is waited for.
fn waited(reply: Reply, connection: Arc<Connection>) -> Reply {
    connection.waits();
    reply
}

impl Gate {
    /// Compared by their hashes, so that the time does not tell how much of a token is right.
    fn knows(&self, authorization: Option<&HeaderValue>) -> bool {
        let Some(token) = &self.bearer else { return true };
        let given = authorization.and_then(|value| value.to_str().ok()).and_then(|value| value.split_once(' '));
        given.is_some_and(|(scheme, given)| {
            scheme.eq_ignore_ascii_case("bearer")
                && Sha256::digest(given.trim()) == Sha256::digest(token.expose_secret())
        })
    }
}

fn plain(status: StatusCode, text: String) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from(text)).boxed());
    *reply.status_mut() = status;
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    reply
}
