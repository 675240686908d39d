//! The HTTP clients, and the one function that every request passes.

use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};
use reqwest::{Client, Method, RequestBuilder, redirect};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::time::{Instant, timeout_at};

use crate::fetch::error::FetchError;
use crate::fetch::guard::{Guard, Target};
use crate::fetch::limits::FetchLimits;
use crate::fetch::resolve::{CheckedResolver, HttpResolver, Resolve};
use crate::fetch::unpack::{Unpacker, cut};

/// A response whose body was read and unpacked.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Two clients: one for the public network, whose connections are checked, and one for the hosts
/// that the user allowed.
#[derive(Clone)]
pub(crate) struct Transport {
    public: Client,
    allowed: Client,
}

impl Transport {
    pub(crate) fn new(
        guard: &Guard,
        resolver: Arc<dyn Resolve>,
        agent: &str,
        limits: &FetchLimits,
    ) -> Result<Self, FetchError> {
        let client = |guard: Option<Guard>| {
            let resolver = CheckedResolver {
                inner: Arc::clone(&resolver),
                guard,
            };
            Client::builder()
                .tls_backend_preconfigured(tls()?)
                .redirect(redirect::Policy::none())
                .connect_timeout(limits.connect)
                .user_agent(agent)
                .no_proxy()
                .referer(false)
                .dns_resolver(Arc::new(HttpResolver(Arc::new(resolver))))
                .build()
                .map_err(|error| setup(&error))
        };

        Ok(Self {
            public: client(Some(guard.clone()))?,
            allowed: client(None)?,
        })
    }

    /// Sends a `GET` request to an address that the guard has judged, and reads the body of the
    /// answer up to a size.
    pub(crate) async fn get(
        &self,
        target: &Target,
        accept: &str,
        size: usize,
        until: Instant,
        limit: Duration,
    ) -> Result<Response, FetchError> {
        self.send(target, Method::GET, size, until, limit, |request| {
            request.header(reqwest::header::ACCEPT, accept)
        })
        .await
    }

    /// Sends a request to an address that the guard has judged, and reads the body of the answer up
    /// to a size.
    pub(crate) async fn send(
        &self,
        target: &Target,
        method: Method,
        size: usize,
        until: Instant,
        limit: Duration,
        prepare: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, FetchError> {
        let client = if target.is_allowed {
            &self.allowed
        } else {
            &self.public
        };
        let request = client
            .request(method, target.url.clone())
            .header(ACCEPT_ENCODING, "gzip");
        let request = prepare(request);

        let sent = within(until, limit, request.send()).await?;
        let mut response = sent.map_err(|error| failed(&error, limit))?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let length = headers
            .get(CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        if length.is_some_and(|length| length > size) {
            return Err(FetchError::TooLarge { limit: size });
        }

        let encoding = headers.get(CONTENT_ENCODING).map(|encoding| {
            String::from_utf8_lossy(encoding.as_bytes())
                .trim()
                .to_ascii_lowercase()
        });
        let mut unpacker = match encoding.as_deref() {
            None | Some("" | "identity") => Unpacker::plain(size),
            Some("gzip" | "x-gzip") => Unpacker::gzip(size),
            Some(other) => {
                return Err(FetchError::ContentEncoding {
                    encoding: cut(other),
                });
            }
        };

        let mut received = 0;
        while let Some(chunk) = within(until, limit, response.chunk())
            .await?
            .map_err(|error| failed(&error, limit))?
        {
            received += chunk.len();
            if received > size {
                return Err(FetchError::TooLarge { limit: size });
            }
            unpacker.push(&chunk)?;
        }
        Ok(Response {
            status,
            headers,
            body: unpacker.finish()?,
        })
    }
}

async fn within<T>(
    until: Instant,
    limit: Duration,
    work: impl Future<Output = T>,
) -> Result<T, FetchError> {
    timeout_at(until, work)
        .await
        .map_err(|_| FetchError::TooSlow { limit })
}

/// Returns why a request failed. The reason of the resolver is in the chain of errors.
fn failed(error: &reqwest::Error, limit: Duration) -> FetchError {
    let mut next: Option<&(dyn Error + 'static)> = Some(error);
    let mut last = error.to_string();
    while let Some(cause) = next {
        if let Some(known) = cause.downcast_ref::<FetchError>() {
            return known.clone();
        }
        last = cause.to_string();
        next = cause.source();
    }
    if error.is_timeout() {
        return FetchError::TooSlow { limit };
    }
    FetchError::Connection {
        problem: cut(&last),
    }
}

fn tls() -> Result<ClientConfig, FetchError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| setup(&error))?
        .with_platform_verifier()
        .map_err(|error| setup(&error))?
        .with_no_client_auth();
    Ok(config)
}

fn setup(error: &dyn Error) -> FetchError {
    FetchError::Setup {
        problem: error.to_string(),
    }
}
