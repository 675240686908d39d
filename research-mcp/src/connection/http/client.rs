//! The HTTP of the SDK's transport, with limits on what a server may send.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use http::header::{ACCEPT, CONTENT_TYPE, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::{RequestBuilder, Response};
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use serde_json::json;
use sse_stream::{Sse, SseStream};

use super::address::shown;
use super::challenge::{Challenge, refusal};
use super::reopen::{Reopened, at_least};
#[cfg(feature = "oauth")]
use super::sign_in::SignIn;
use crate::connection::guard::{Messages, TOO_LONG, readable};
use crate::connection::mend::mended;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";

/// How many tokens one request is sent with before the server's refusal stands.
#[cfg(feature = "oauth")]
const TOKENS: usize = 4;

/// Bytes of an error page that are read.
const PAGE: usize = 64 * 1024;

type Failure = StreamableHttpError<HttpError>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// What went wrong with a request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    /// The network, or a limit of the client.
    #[error("{}", network(.0))]
    Network(reqwest::Error),
    /// The message could not be written as JSON.
    #[error("the message is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The server points elsewhere.
    #[error("the server redirects to {0}; give that address if you trust it")]
    Redirected(String),
}

impl From<reqwest::Error> for HttpError {
    /// Without the address, which may hold a secret.
    fn from(error: reqwest::Error) -> Self {
        Self::Network(error.without_url())
    }
}

/// What happened, and the innermost cause, which says more than those between.
fn network(error: &reqwest::Error) -> String {
    let what = match () {
        () if error.is_connect() => "the server cannot be reached",
        () if error.is_timeout() => "the server takes too long",
        () => "the connection to the server broke",
    };
    let mut source = std::error::Error::source(error);
    let mut last = None;
    while let Some(inner) = source {
        last = Some(inner);
        source = inner.source();
    }
    last.map_or_else(|| what.to_owned(), |inner| format!("{what}: {inner}"))
}

/// An HTTP client that reads no more than it is allowed.
#[derive(Clone)]
pub(crate) struct HttpClient {
    client: reqwest::Client,
    limit: usize,
    challenge: Challenge,
    reopened: Reopened,
    #[cfg(feature = "oauth")]
    sign_in: Option<(SignIn, reqwest::Url)>,
}

impl HttpClient {
    pub(super) fn new(client: reqwest::Client, limit: usize, challenge: Challenge) -> Self {
        Self {
            client,
            limit,
            challenge,
            reopened: Reopened::default(),
            #[cfg(feature = "oauth")]
            sign_in: None,
        }
    }

    /// The same client, which signs in to the server at this address when it is asked to.
    #[cfg(feature = "oauth")]
    pub(super) fn signing_in(self, sign_in: Option<SignIn>, url: reqwest::Url) -> Self {
        Self { sign_in: sign_in.map(|sign_in| (sign_in, url)), ..self }
    }

    async fn send(
        &self,
        mut request: RequestBuilder,
        session: Option<&str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Response, Failure> {
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        #[cfg(feature = "oauth")]
        if let Some((sign_in, url)) = &self.sign_in {
            return self.send_signed(request, sign_in, url).await;
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.map_err(failed)?;
        self.allowed(response)
    }

    /// Sends a request with the token of a sign-in, and gets another token when the server wants one.
    #[cfg(feature = "oauth")]
    async fn send_signed(
        &self,
        request: RequestBuilder,
        sign_in: &SignIn,
        url: &reqwest::Url,
    ) -> Result<Response, Failure> {
        let mut token = sign_in.token(url).await?;
        let mut widened = false;
        for _ in 0..TOKENS {
            let Some(mut again) = request.try_clone() else { break };
            if let Some(token) = &token {
                again = again.bearer_auth(token);
            }
            let response = again.send().await.map_err(failed)?;
            let said = text(response.headers(), WWW_AUTHENTICATE).unwrap_or_default();
            let another = match response.status() {
                StatusCode::UNAUTHORIZED => sign_in.renew(url, token.as_deref(), &said).await,
                StatusCode::FORBIDDEN if said.contains("insufficient_scope") => {
                    sign_in.widen(url, token.as_deref(), &said).await
                }
                _ => {
                    if widened {
                        sign_in.allowed();
                    }
                    return self.allowed(response);
                }
            };
            widened = response.status() == StatusCode::FORBIDDEN;
            match another {
                Ok(another) => token = Some(another),
                Err(error) => {
                    let status = response.status();
                    let said = format!("{said}; signing in failed: {error}");
                    if status == StatusCode::FORBIDDEN {
                        return Err(Failure::InsufficientScope(InsufficientScopeError::new(said, None)));
                    }
                    self.challenge.set(refusal(status.as_u16(), &said));
                    return Err(Failure::AuthRequired(AuthRequiredError::new(said)));
                }
            }
        }
        if let Some(token) = token {
            return self.allowed(request.bearer_auth(token).send().await.map_err(failed)?);
        }
        self.allowed(request.send().await.map_err(failed)?)
    }

    /// The answer, unless the server points elsewhere or does not accept the credentials.
    fn allowed(&self, response: Response) -> Result<Response, Failure> {
        let status = response.status();
        if status.is_redirection() {
            let location = response.headers().get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("nowhere");
            return Err(Failure::Client(HttpError::Redirected(shown(location))));
        }
        let said = || text(response.headers(), WWW_AUTHENTICATE);
        match status {
            // The server does not know who speaks. That holds for all requests.
            StatusCode::UNAUTHORIZED => {
                let said = said().unwrap_or_default();
                self.challenge.set(refusal(status.as_u16(), &said));
                Err(Failure::AuthRequired(AuthRequiredError::new(said)))
            }
            // It knows, and does not allow this request.
            StatusCode::FORBIDDEN => {
                Err(Failure::InsufficientScope(InsufficientScopeError::new(said().unwrap_or_default(), None)))
            }
            _ => Ok(response),
        }
    }

    /// The events of an answer to this request, or of a stream without one.
    fn events(&self, response: Response, id: Option<RequestId>) -> BoxStream<'static, Result<Sse, SseError>> {
        let events = SseStream::from_bytes_stream(guarded(response.bytes_stream(), self.limit));
        events.map(move |event| event.map(|event| mild(event, id.as_ref()))).boxed()
    }

    /// The answer to a request whose body is JSON, or an error in its place.
    async fn json(&self, response: Response, id: Option<RequestId>) -> Result<StreamableHttpPostResponse, Failure> {
        let session = session_of(&response);
        let answer = |message| Ok(StreamableHttpPostResponse::Json(message, session));
        let (body, whole) = read(response, self.limit).await?;
        let body = mended(&body).unwrap_or(body);
        let error = match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(message) if whole => return answer(message),
            _ if !whole => ErrorData::new(ErrorCode(TOO_LONG), "result too large", Some(json!({"bytes": body.len()}))),
            Ok(_) => ErrorData::internal_error("the answer was cut off", None),
            Err(error) => ErrorData::parse_error(format!("the answer is no JSON-RPC message: {error}"), None),
        };
        match id {
            Some(id) => answer(ServerJsonRpcMessage::error(error, Some(id))),
            // Nobody waits for an answer to this.
            None => Ok(StreamableHttpPostResponse::Accepted),
        }
    }

    /// What a refusal means for the request that is refused.
    async fn refused(&self, response: Response, id: Option<RequestId>) -> Result<StreamableHttpPostResponse, Failure> {
        let (status, headers) = (response.status(), response.headers().clone());
        let (body, _) = read(response, PAGE).await.unwrap_or_default();
        let said = match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(ServerJsonRpcMessage::Error(said)) => Some(said.error),
            _ => None,
        };
        let passing = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
        match (said, id) {
            (Some(error), Some(id)) => {
                Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, Some(id)), None))
            }
            (None, Some(id)) if !passing => {
                let error = ErrorData::invalid_request(format!("HTTP {status}"), None);
                Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::error(error, Some(id)), None))
            }
            _ => Err(HttpStatusError::new(status.as_u16(), text(&headers, RETRY_AFTER)).into()),
        }
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let id = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let body = serde_json::to_vec(&message).map_err(|error| Failure::Client(error.into()))?;
        let request = self.client.post(uri.as_ref()).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        let request = request.header(CONTENT_TYPE, JSON).body(body);
        let response = self.send(request, session.as_deref(), token, headers).await?;
        let status = response.status();
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(Failure::SessionExpired);
        }
        if !status.is_success() {
            return self.refused(response, id).await;
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT)
            || (id.is_none() && response.content_length() == Some(0))
        {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        match content_type(response.headers()) {
            Some(kind) if kind.starts_with(EVENTS) => {
                let session = session_of(&response);
                Ok(StreamableHttpPostResponse::Sse(self.events(response, id), session))
            }
            Some(kind) if kind.starts_with(JSON) => self.json(response, id).await,
            _ if id.is_none() => Ok(StreamableHttpPostResponse::Accepted),
            other => Err(Failure::UnexpectedContentType(other)),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        let response = self.send(self.client.delete(uri.as_ref()), Some(&session), token, headers).await?;
        match response.status() {
            status if status.is_success() => Ok(()),
            // Servers need not offer this, and a session that is gone is deleted.
            StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_FOUND => Ok(()),
            status => Err(HttpStatusError::new(status.as_u16(), None).into()),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        if !self.reopened.next().await {
            tracing::warn!("a stream of events is not opened again, for it ended too often without an event");
            return Err(Failure::ServerDoesNotSupportSse);
        }
        let mut request = self.client.get(uri.as_ref()).header(ACCEPT, EVENTS);
        if let Some(last) = last_event {
            request = request.header(LAST_EVENT, last);
        }
        let response = self.send(request, session.as_deref(), token, headers).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(Failure::ServerDoesNotSupportSse),
            StatusCode::NOT_FOUND if session.is_some() => Err(Failure::SessionExpired),
            status if !status.is_success() => {
                Err(HttpStatusError::new(status.as_u16(), text(response.headers(), RETRY_AFTER)).into())
            }
            _ => match content_type(response.headers()) {
                Some(kind) if kind.starts_with(EVENTS) => Ok(self.reopened.watched(self.events(response, None))),
                other => Err(Failure::UnexpectedContentType(other)),
            },
        }
    }
}

fn failed(error: reqwest::Error) -> Failure {
    Failure::Client(error.into())
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

fn content_type(headers: &HeaderMap) -> Option<String> {
    text(headers, CONTENT_TYPE).map(|kind| kind.to_ascii_lowercase())
}

fn session_of(response: &Response) -> Option<String> {
    response.headers().get(SESSION).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// The body up to a limit, and whether that is all of it.
async fn read(mut response: Response, limit: usize) -> Result<(Vec<u8>, bool), Failure> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&chunk);
        if body.len() > limit {
            return Ok((body, false));
        }
    }
    Ok((body, true))
}

/// An event in a form that the SDK can read, which does not ask to come back too soon.
fn mild(mut event: Sse, id: Option<&RequestId>) -> Sse {
    let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
    if let Some(data) = event.data.take() {
        let mended = mended(data.as_bytes()).and_then(|mended| String::from_utf8(mended).ok());
        let data = mended.unwrap_or(data);
        event.data = Some(if is_message { readable(data, id) } else { data });
    }
    event.retry = event.retry.map(at_least);
    event
}

/// A body of events in which one above the limit is replaced by an error for the call that it answers.
fn guarded<S, E>(body: S, limit: usize) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static
where
    S: Stream<Item = Result<Bytes, E>> + Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    let state = (Box::pin(body), Messages::events(limit), false);
    futures::stream::unfold(state, |(mut body, mut lines, done)| async move {
        if done {
            return None;
        }
        match body.next().await {
            Some(Ok(bytes)) => {
                let mut ready = Vec::new();
                lines.feed(&bytes, &mut ready);
                Some((Ok(ready.into()), (body, lines, false)))
            }
            Some(Err(error)) => Some((Err(io::Error::other(error)), (body, lines, true))),
            None => {
                let rest = lines.rest();
                Some((Ok(rest.into()), (body, lines, true)))
            }
        }
    })
}
