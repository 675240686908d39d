//! A server at an address, and the client that speaks to it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransport, StreamableHttpClientTransportConfig};
use secrecy::{ExposeSecret, SecretString};

use super::address::shown;
use super::challenge::Challenge;
use super::client::HttpClient;
#[cfg(feature = "oauth")]
use super::sign_in;
use super::tls::choose_tls;
use crate::error::McpError;

/// How often a broken stream of events is opened again.
const RECONNECTS: usize = 3;

/// A server at an address, spoken to over streamable HTTP.
///
/// Redirects are not followed, because the headers would go along. Proxies of the environment are not used; give a
/// [`client`](Self::client) of your own for one.
///
/// ```
/// use research_mcp::HttpServer;
///
/// let server = HttpServer::new("https://mcp.example/mcp").bearer("secret").header("x-team", "birds");
/// assert!(!format!("{server:?}").contains("secret"));
/// ```
#[derive(Clone)]
pub struct HttpServer {
    url: String,
    bearer: Option<SecretString>,
    headers: Vec<(String, SecretString)>,
    client: Option<reqwest::Client>,
    #[cfg(feature = "oauth")]
    sign_in: Option<sign_in::SignIn>,
}

impl fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpServer")
            .field("url", &shown(&self.url))
            .field("bearer", &self.bearer.is_some())
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

impl HttpServer {
    /// The server at this address, such as `http://127.0.0.1:8000/mcp`.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            bearer: None,
            headers: Vec::new(),
            client: None,
            #[cfg(feature = "oauth")]
            sign_in: None,
        }
    }

    /// Sends a token in the `Authorization` header.
    #[must_use]
    pub fn bearer(mut self, token: impl Into<SecretString>) -> Self {
        self.bearer = Some(token.into());
        self
    }

    /// Sends a header with every request.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Uses this HTTP client, with its proxies and certificates. It should not follow redirects.
    #[must_use]
    pub fn client(mut self, client: reqwest::Client) -> Self {
        self.client = Some(client);
        self
    }

    /// Signs in with OAuth when the server asks for it. A [`bearer`](Self::bearer) token is then not sent.
    #[cfg(feature = "oauth")]
    #[must_use]
    pub fn oauth(mut self, settings: crate::oauth::OAuth) -> Self {
        self.sign_in = Some(sign_in::SignIn::new(settings));
        self
    }

    /// Whether a connection may wait for a person who signs in.
    pub(crate) fn signs_in(&self) -> bool {
        #[cfg(feature = "oauth")]
        return self.sign_in.is_some();
        #[cfg(not(feature = "oauth"))]
        false
    }

    /// The address, without user, password and query.
    pub(crate) fn shown(&self) -> String {
        shown(&self.url)
    }

    /// The client for all tries to connect. To make one that speaks TLS takes time.
    pub(crate) fn make_client(&self, server: &str, connect: Duration) -> Result<reqwest::Client, McpError> {
        if let Some(client) = &self.client {
            return Ok(client.clone());
        }
        let plain = reqwest::Url::parse(&self.url).is_ok_and(|url| url.scheme() == "http");
        default_client(connect, !plain || self.signs_in()).map_err(|error| McpError::Configuration {
            server: server.to_owned(),
            reason: format!("the HTTP client cannot be made: {}", error.without_url()),
        })
    }

    /// A transport to the server; what is larger than `limit` in bytes becomes an error of the call that asked for it.
    pub(crate) fn transport(
        &self,
        server: &str,
        client: reqwest::Client,
        limit: usize,
        challenge: &Challenge,
    ) -> Result<StreamableHttpClientTransport<HttpClient>, McpError> {
        let refused = |reason: String| McpError::Configuration { server: server.to_owned(), reason };
        let url = reqwest::Url::parse(&self.url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| refused(format!("`{}` is no http or https address", self.shown())))?;
        let mut headers = HashMap::new();
        for (name, value) in &self.headers {
            let header = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| refused(format!("`{name}` is no name of a header")))?;
            let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_| {
                refused(format!("the value of the header `{name}` holds a character that is not allowed"))
            })?;
            value.set_sensitive(true);
            headers.insert(header, value);
        }
        let mut backoff = ExponentialBackoff::default();
        backoff.max_times = Some(RECONNECTS);
        backoff.base_duration = Duration::from_millis(200);
        backoff.max_delay = Some(Duration::from_secs(2));
        let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
            .custom_headers(headers)
            .max_concurrent_requests(usize::MAX >> 4)
            .reinit_on_expired_session(true);
        config.retry_config = Arc::new(backoff);
        config.max_sse_event_size = limit;
        if let Some(token) = &self.bearer {
            config = config.auth_header(token.expose_secret());
        }
        let client = HttpClient::new(client, limit, challenge.clone());
        #[cfg(feature = "oauth")]
        let client = client.signing_in(self.sign_in.clone(), url);
        Ok(StreamableHttpClientTransport::with_client(client, config))
    }
}

/// A client that knows the certificates of the system if it is to speak TLS. To read them takes time, and a machine may have none.
fn default_client(connect: Duration, tls: bool) -> reqwest::Result<reqwest::Client> {
    choose_tls();
    let builder = reqwest::Client::builder();
    let builder = if tls { builder } else { builder.tls_certs_only([]) };
    builder
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(connect)
        .no_proxy()
        .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
        .build()
}
