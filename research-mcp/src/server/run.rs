//! Takes connections, checks who asks, and ends in order.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::tool_server::ToolServer;

/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(10);

/// How long connections may take to send what is left when the server ends.
const FLUSH: Duration = Duration::from_secs(1);

/// How long is waited after a connection could not be taken, as when the process has too many files open.
const PAUSE: Duration = Duration::from_millis(100);

type Reply = Response<BoxBody<Bytes, Infallible>>;
type Service = StreamableHttpService<ToolServer, LocalSessionManager>;

/// What is checked before a request is answered, and what is allowed.
pub(super) struct Gate {
    pub(super) path: String,
    pub(super) hosts: Vec<String>,
    pub(super) origins: Vec<String>,
    pub(super) bearer: Option<SecretString>,
    pub(super) body_bytes: usize,
    pub(super) connections: usize,
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
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.sse_retry = Some(gate.retry);
    let sessions = Arc::new(sessions);
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
    let (permits, grace) = (Arc::new(Semaphore::new(gate.connections)), gate.grace);
    let (gate, busy) = (Arc::new(gate), Busy::default());
    let mut connections = JoinSet::new();
    let next = async || {
        // The semaphore is never closed.
        let permit = Arc::clone(&permits).acquire_owned().await;
        (permit, listener.accept().await)
    };
    while let Some((permit, accepted)) = stops.stop.run_until_cancelled(next()).await {
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, _)) => {
                let serving = connection(stream, service.clone(), Arc::clone(&gate), busy.clone(), stops.stop.clone());
                connections.spawn(async move {
                    serving.await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be taken");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(grace, busy.over()).await.is_err() {
        tracing::warn!("calls are cancelled because the server ends");
    }
    cancelled.cancel();
    let open: Vec<_> = sessions.sessions.read().await.keys().cloned().collect();
    for session in open {
        if let Err(error) = sessions.close_session(&session).await {
            tracing::debug!(%error, "a session did not close");
        }
    }
    let flushed = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(FLUSH, flushed).await.is_err() {
        tracing::debug!("connections are cut because the server ends");
    }
}

async fn connection(stream: TcpStream, service: Service, gate: Arc<Gate>, busy: Busy, stop: CancellationToken) {
    let answer = service_fn(move |request| {
        let (service, gate, busy) = (service.clone(), Arc::clone(&gate), busy.clone());
        async move { Ok::<_, Infallible>(answer(request, &service, &gate, &busy).await) }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), answer);
    let mut serving = std::pin::pin!(serving);
    let outcome = match stop.run_until_cancelled(serving.as_mut()).await {
        Some(outcome) => outcome,
        None => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection ended");
    }
}

async fn answer(request: Request<Incoming>, service: &Service, gate: &Gate, busy: &Busy) -> Reply {
    if request.uri().path() != gate.path {
        return plain(StatusCode::NOT_FOUND, format!("there is nothing here; MCP is at {}", gate.path));
    }
    if !gate.knows(request.headers().get(header::AUTHORIZATION)) {
        let mut reply = plain(StatusCode::UNAUTHORIZED, "a bearer token is needed".to_owned());
        reply.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return reply;
    }
    if request.method() != Method::POST {
        return service.handle(request).await;
    }
    let answering = busy.answering();
    let (parts, body) = service.handle(request).await.into_parts();
    // It counts as under way until its last part is sent.
    let body = body.map_frame(move |frame| {
        let _ = &answering;
        frame
    });
    Response::from_parts(parts, body.boxed())
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
