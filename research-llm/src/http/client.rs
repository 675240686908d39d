//! The client of one server: one request, one answer or one stream of events, within limits.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::stream::{self, BoxStream, StreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Method, Url};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};

use super::limits::HttpLimits;
use super::secrets::Secrets;
use super::{address, body, headers, retry_after};
use crate::error::{Failure, ModelError};
use crate::sse;

/// The events of an answer, or the error that ended it.
pub(crate) type EventSource = BoxStream<'static, Result<sse::Event, ModelError>>;

/// A whole answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// The JSON of the answer.
    pub(crate) body: Value,
    /// What its headers say that is worth keeping: the request's id and the state of the rate limits.
    pub(crate) headers: Map<String, Value>,
}

/// A client of one server. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Http(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) client: reqwest::Client,
    pub(super) base: Url,
    /// The address without what may be secret in it, for messages.
    pub(super) shown: String,
    pub(super) headers: HeaderMap,
    pub(super) secrets: Secrets,
    pub(super) limits: HttpLimits,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").field("url", &self.0.shown).field("limits", &self.0.limits).finish_non_exhaustive()
    }
}

/// A point in time, and how long after the start of the call it is.
#[derive(Clone, Copy)]
struct Limit {
    at: Instant,
    after: Duration,
}

impl Limit {
    /// So long after the start, or at the deadline if that is sooner.
    fn new(start: Instant, span: Duration, deadline: Option<Instant>) -> Self {
        // A span that no clock can reach is as good as a century.
        let at = start.checked_add(span).unwrap_or(start + Duration::from_secs(3_155_760_000));
        let at = deadline.map_or(at, |deadline| deadline.min(at));
        Self { at, after: at.saturating_duration_since(start) }
    }

    async fn hold<T>(self, work: impl Future<Output = T>) -> Result<T, ModelError> {
        let mut work = pin!(work);
        if let Ok(done) = timeout_at(self.at, work.as_mut()).await {
            return Ok(done);
        }
        // When the whole process was paused, the answer may lie in the socket already, and only the task that reads it has
        // not had its turn: what came in time is no timeout.
        tokio::task::yield_now().await;
        work.now_or_never().ok_or_else(|| ModelError::timeout(self.after))
    }
}

impl Http {
    /// Posts JSON and reads a whole answer of JSON. The path begins with `/` and is put after the base address.
    ///
    /// # Errors
    /// What the server says of its failure, [`ModelError::Timeout`], [`ModelError::Connection`], and
    /// [`ModelError::InvalidResponse`] for a redirect, a wrong content type, and an answer that is too large or no JSON.
    pub(crate) async fn post(&self, path: &str, body: &Value, deadline: Option<Instant>) -> Result<Reply, ModelError> {
        self.whole(Method::POST, path, Some(body), deadline).await
    }

    /// Gets a whole answer of JSON; otherwise like [`post`](Self::post).
    ///
    /// # Errors
    /// As those of [`post`](Self::post).
    pub(crate) async fn get(&self, path: &str, deadline: Option<Instant>) -> Result<Reply, ModelError> {
        self.whole(Method::GET, path, None, deadline).await
    }

    /// Posts JSON and reads an answer of server-sent events, together with what its headers say.
    ///
    /// # Errors
    /// As those of [`post`](Self::post), at once or as the last item of the stream. The stream ends where
    /// the connection ends: whether the answer was whole is for its format to say.
    pub(crate) async fn post_events(
        &self,
        path: &str,
        body: &Value,
        deadline: Option<Instant>,
    ) -> Result<(Map<String, Value>, EventSource), ModelError> {
        let start = Instant::now();
        let whole = Limit::new(start, self.0.limits.stream, deadline);
        let limit = Limit::new(start, self.0.limits.first_byte, Some(whole.at));
        let response = self.send(Method::POST, path, Some(body), "text/event-stream", limit).await?;
        if !headers::is_of_type(response.headers(), |kind| kind == "text/event-stream") {
            return Err(self.unexpected(response, limit, "events").await);
        }
        let headers = headers::metadata(response.headers(), &self.0.secrets);
        let parser = sse::Parser::new().max_event(self.0.limits.max_body.min(sse::MAX_EVENT));
        let state = Events { http: self.clone(), response, parser, limit, start, end: whole.at, read: 0 };
        let events = stream::unfold(Some(state), |state| async {
            let mut state = state?;
            match state.next().await? {
                Ok(event) => Some((Ok(event), Some(state))),
                Err(error) => Some((Err(error), None)),
            }
        });
        Ok((headers, events.boxed()))
    }

    /// The client itself, for a crate that makes calls of its own.
    #[cfg(feature = "genai")]
    pub(crate) fn client(&self) -> &reqwest::Client {
        &self.0.client
    }

    /// A text from outside without any key in it.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.0.secrets.scrub(text)
    }

    /// The address of the server, without what may be secret in it.
    pub(crate) fn address(&self) -> &str {
        &self.0.shown
    }

    #[cfg(test)]
    pub(crate) fn sends_key(&self) -> bool {
        self.0.headers.contains_key(reqwest::header::AUTHORIZATION)
    }

    async fn whole(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        deadline: Option<Instant>,
    ) -> Result<Reply, ModelError> {
        let limit = Limit::new(Instant::now(), self.0.limits.whole, deadline);
        let response = self.send(method, path, body, "application/json", limit).await?;
        if !headers::is_of_type(response.headers(), |kind| kind.ends_with("/json") || kind.ends_with("+json")) {
            return Err(self.unexpected(response, limit, "JSON").await);
        }
        let headers = headers::metadata(response.headers(), &self.0.secrets);
        let bytes = limit.hold(body::read(response, self.0.limits.max_body)).await?;
        let bytes = bytes.map_err(|trouble| self.broken(trouble, limit))?;
        match serde_json::from_slice(&bytes) {
            Ok(body) => Ok(Reply { body, headers }),
            Err(error) if error.is_eof() => {
                let message = format!("the answer of {} broke off after {} bytes", self.0.shown, bytes.len());
                Err(ModelError::connection(message, Some(Arc::new(error))))
            }
            Err(error) => Err(ModelError::invalid_response("what is no JSON", Some(Arc::new(error)))),
        }
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        accept: &'static str,
        limit: Limit,
    ) -> Result<reqwest::Response, ModelError> {
        let inner = &*self.0;
        let mut url = inner.base.clone();
        url.set_path(&format!("{}{path}", inner.base.path().trim_end_matches('/')));
        // The standing headers come last, so that a caller of the builder has the last word.
        let mut request = inner.client.request(method, url).header(ACCEPT, accept);
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let sent = limit.hold(request.headers(inner.headers.clone()).send()).await?;
        let response = sent.map_err(|error| self.broken(body::Trouble::Transport(error), limit))?;
        let status = response.status().as_u16();
        tracing::debug!(server = %inner.shown, path, status, "the model's server answered");
        match status {
            200..300 => Ok(response),
            300..400 => Err(self.redirected(&response)),
            _ => Err(self.refused(status, response, limit).await),
        }
    }

    #[cold]
    async fn refused(&self, status: u16, response: reqwest::Response, limit: Limit) -> ModelError {
        let retry_after = retry_after::retry_after(status, response.headers());
        let body = body::excerpt(response, limit.at).await;
        Failure::from_body(status, &self.scrub(&body), retry_after)
    }

    #[cold]
    fn redirected(&self, response: &reqwest::Response) -> ModelError {
        let place = response.headers().get(LOCATION).and_then(|place| place.to_str().ok());
        let place = place.and_then(|place| response.url().join(place).ok()).map(|url| address::shown(&url));
        let status = response.status().as_u16();
        let message = format!("status {status}, a redirect to {}", place.as_deref().unwrap_or("nowhere"));
        ModelError::invalid_response(self.scrub(&message), None)
    }

    #[cold]
    async fn unexpected(&self, response: reqwest::Response, limit: Limit, wanted: &str) -> ModelError {
        let status = response.status().as_u16();
        let kind = headers::content_type(response.headers()).unwrap_or_default();
        let body = body::excerpt(response, limit.at).await;
        // Some gateways send the status of a failure with the body alone.
        if let Some(error) = body_error(&self.scrub(&body)) {
            return error;
        }
        let start: String = body.chars().take(120).collect();
        let message = format!("status {status} and content type `{kind}` instead of {wanted}: {start}");
        ModelError::invalid_response(self.scrub(&message), None)
    }

    #[cold]
    fn broken(&self, trouble: body::Trouble, limit: Limit) -> ModelError {
        match trouble {
            body::Trouble::TooLarge(limit) => {
                ModelError::invalid_response(format!("an answer of more than {limit} bytes"), None)
            }
            body::Trouble::Transport(error) if error.is_connect() && error.is_timeout() => {
                ModelError::timeout(self.0.limits.connect.min(limit.after))
            }
            body::Trouble::Transport(error) if error.is_timeout() => ModelError::timeout(limit.after),
            body::Trouble::Transport(error) => {
                let what = if error.is_connect() { "cannot reach" } else { "lost the connection to" };
                let message = format!("{what} {}", self.0.shown);
                ModelError::connection(message, Some(Arc::new(error.without_url())))
            }
        }
    }
}

/// The failure that a body of JSON tells of in its field `error`, though its status told of none.
fn body_error(body: &str) -> Option<ModelError> {
    let value: Value = serde_json::from_str(body).ok()?;
    let error = value.get("error").filter(|error| !error.is_null())?;
    let status = error.get("code").or_else(|| error.get("status")).and_then(Value::as_u64);
    let status = status.and_then(|status| u16::try_from(status).ok()).filter(|status| (400..600).contains(status));
    Some(Failure::from_json(status, &value, None))
}

/// A stream of events that is being read.
struct Events {
    http: Http,
    response: reqwest::Response,
    parser: sse::Parser,
    /// When the next byte must have come.
    limit: Limit,
    start: Instant,
    /// When the last byte must have come.
    end: Instant,
    read: usize,
}

impl Events {
    async fn next(&mut self) -> Option<Result<sse::Event, ModelError>> {
        let limits = self.http.0.limits;
        loop {
            if let Some(event) = self.parser.next_event() {
                return Some(event);
            }
            let chunk = match self.limit.hold(self.response.chunk()).await {
                Ok(Ok(chunk)) => chunk?,
                Ok(Err(error)) => return Some(Err(self.http.broken(body::Trouble::Transport(error), self.limit))),
                Err(error) => return Some(Err(error)),
            };
            self.read = self.read.saturating_add(chunk.len());
            if self.read > limits.max_body {
                return Some(Err(self.http.broken(body::Trouble::TooLarge(limits.max_body), self.limit)));
            }
            self.limit = self.next_limit(limits.idle);
            self.parser.push(&chunk);
        }
    }

    /// The limit of the next byte. Where the whole stream ends first, its time is the one that an error tells.
    fn next_limit(&self, idle: Duration) -> Limit {
        let now = Instant::now();
        match now.checked_add(idle) {
            Some(at) if at < self.end => Limit { at, after: idle },
            _ => Limit { at: self.end, after: self.end.saturating_duration_since(self.start) },
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn what_has_come_when_the_limit_is_seen_is_no_timeout() {
        let passed = Limit::new(Instant::now() - Duration::from_secs(1), Duration::ZERO, None);
        let (reader, answer) = oneshot::channel();
        // Runs on this thread too, and so not before the limit has been looked at.
        tokio::spawn(async { reader.send("read") });
        assert_eq!(passed.hold(answer).await.unwrap(), Ok("read"));
        let error = passed.hold(std::future::pending::<()>()).await.unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Timeout);
    }
}
