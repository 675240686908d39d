//! Makes a client: address, key, headers, proxy and limits.

use std::fmt;
use std::sync::Arc;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Proxy, Url, redirect};
use secrecy::{ExposeSecret, SecretString};

use super::address::{self, shown};
use super::client::{Http, Inner};
use super::limits::HttpLimits;
use super::secrets::Secrets;
use super::tls;
use crate::error::ModelError;
use crate::redact::MIN_SECRET;

/// How a server wants the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyScheme {
    /// `authorization: Bearer KEY`
    Bearer,
    /// A header of this name that holds the key alone.
    Header(&'static str),
}

/// Beginnings and parts of the names of headers whose values are secrets.
const SECRET_NAMES: &[&str] = &["auth", "key", "token", "secret", "cookie", "password"];

/// The settings of a client. `Debug` shows no secret.
#[derive(Clone)]
pub(crate) struct HttpBuilder {
    base_url: String,
    key: Option<(SecretString, KeyScheme)>,
    headers: Vec<(String, SecretString)>,
    proxy: Option<SecretString>,
    system_proxy: bool,
    client: Option<reqwest::Client>,
    limits: HttpLimits,
}

impl fmt::Debug for HttpBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        let url = Url::parse(&self.base_url).map(|url| shown(&url)).unwrap_or_default();
        f.debug_struct("HttpBuilder")
            .field("url", &url)
            .field("has_key", &self.key.is_some())
            .field("headers", &headers)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl HttpBuilder {
    /// A client of the server at this address, without a key.
    pub(crate) fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            key: None,
            headers: Vec::new(),
            proxy: None,
            system_proxy: false,
            client: None,
            limits: HttpLimits::default(),
        }
    }

    /// Sets the address.
    pub(crate) fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = url.into();
        self
    }

    /// Sets the key and how it is sent.
    pub(crate) fn key(mut self, key: SecretString, scheme: KeyScheme) -> Self {
        self.key = Some((key, scheme));
        self
    }

    /// Sets a header that goes with every call.
    pub(crate) fn header(mut self, name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sends every call through a proxy.
    pub(crate) fn proxy(mut self, url: impl Into<SecretString>) -> Self {
        self.proxy = Some(url.into());
        self
    }

    /// Heeds `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`.
    pub(crate) fn system_proxy(mut self) -> Self {
        self.system_proxy = true;
        self
    }

    /// Uses this client; its own settings of proxies, redirects, encryption and connecting hold.
    pub(crate) fn client(mut self, client: reqwest::Client) -> Self {
        self.client = Some(client);
        self
    }

    /// Sets the limits.
    pub(crate) fn limits(mut self, limits: HttpLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The client.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] for an address, a header, a key or a proxy that cannot be one, and
    /// [`ModelError::Other`] if the machine has no root certificates and the address needs them.
    pub(crate) fn build(self) -> Result<Http, ModelError> {
        let base = Url::parse(&self.base_url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let base = base.filter(Url::has_host).ok_or_else(|| {
            ModelError::invalid_request(
                "the address of the model's server does not begin with http:// or https://",
                None,
            )
        })?;
        let mut secrets = Secrets::default();
        self.check_key(&base)?;
        let headers = self.standing_headers(&mut secrets)?;
        for secret in [base.password(), self.proxy.as_ref().map(ExposeSecret::expose_secret)].into_iter().flatten() {
            secrets.add(secret);
        }
        let client = match self.client {
            Some(client) => client,
            None => client(&base, self.proxy.as_ref(), self.system_proxy, self.limits)?,
        };
        let shown = shown(&base);
        Ok(Http(Arc::new(Inner { client, base, shown, headers, secrets, limits: self.limits })))
    }

    /// Refuses a key that could not be told from ordinary words, and so not be kept out of what is recorded. A server on this
    /// machine may take any word for a key.
    fn check_key(&self, base: &Url) -> Result<(), ModelError> {
        let is_short = |key: &SecretString| key.expose_secret().trim().len() < MIN_SECRET;
        if address::is_local(base) || !self.key.as_ref().is_some_and(|(key, _)| is_short(key)) {
            return Ok(());
        }
        let message = format!("the key has fewer than {MIN_SECRET} characters; give the whole key");
        Err(ModelError::authentication(message))
    }

    fn standing_headers(&self, secrets: &mut Secrets) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        if let Some((key, scheme)) = &self.key {
            let key = key.expose_secret().trim();
            secrets.add(key);
            let (name, value) = match scheme {
                KeyScheme::Bearer => (AUTHORIZATION, format!("Bearer {key}")),
                KeyScheme::Header(name) => (HeaderName::from_static(name), key.to_owned()),
            };
            let mut value = HeaderValue::from_str(&value)
                .map_err(|_| ModelError::authentication("the key holds characters that no header may hold"))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        for (name, value) in &self.headers {
            let text = value.expose_secret();
            let (Ok(name), Ok(mut value)) = (HeaderName::try_from(name), HeaderValue::from_str(text)) else {
                return Err(ModelError::invalid_request(format!("the header `{name}` cannot be sent"), None));
            };
            if SECRET_NAMES.iter().any(|part| name.as_str().contains(part)) {
                value.set_sensitive(true);
                secrets.add(text);
                // A server may echo the key without the scheme before it.
                secrets.add(text.rsplit(' ').next().unwrap_or_default());
            }
            headers.insert(name, value);
        }
        Ok(headers)
    }
}

fn client(
    base: &Url,
    proxy: Option<&SecretString>,
    system_proxy: bool,
    limits: HttpLimits,
) -> Result<reqwest::Client, ModelError> {
    let no_client = |error| ModelError::other("cannot make an HTTP client", Some(Arc::new(error)));
    let tls = match tls::config(base.scheme() == "https" || proxy.is_some() || system_proxy) {
        // A server without encryption behind a proxy without encryption needs no root certificates.
        Err(_) if base.scheme() == "http" => tls::config(false),
        config => config,
    };
    let tls = tls.map_err(|error| {
        ModelError::other("this machine has no root certificates to know the model's server by", Some(Arc::new(error)))
    })?;
    let mut client = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(redirect::Policy::none())
        .connect_timeout(limits.connect)
        .user_agent(concat!("research-llm/", env!("CARGO_PKG_VERSION")));
    if !system_proxy {
        client = client.no_proxy();
    }
    if let Some(proxy) = proxy {
        let proxy = Proxy::all(proxy.expose_secret())
            .map_err(|_| ModelError::invalid_request("the address of the proxy cannot be read", None))?;
        client = client.proxy(proxy);
    }
    client.build().map_err(no_client)
}
