//! Search services of the web, by the table of their shapes.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, HeaderValue};
use reqwest::{Method, RequestBuilder};
use research_agents_runtime::job::Job;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};
use tokio::time::Instant;
use url::Url;

use crate::fetch::fetcher::retry_after;
use crate::fetch::guard::{Guard, Target};
use crate::fetch::resolve::SystemResolver;
use crate::fetch::transport::Transport;
use crate::fetch::{FetchError, FetchLimits, Fetcher};
use crate::search::answer::{Answer, read};
use crate::search::error::{CallError, SourceError};
use crate::search::gate::{Call, gated};
use crate::search::model::{Fetched, Hit, Query, SearchResults};
use crate::search::pages::Pages;
use crate::search::provider::{SearchProvider, SourceKind, hits_of, summary_of};
use crate::search::shapes::{KeyPlace, SearchShape};

/// Searches the web through a service, and fetches the pages that it found.
///
/// The address of the service is the user's own and is not checked against private networks; the
/// pages that it finds are untrusted, and only a [`Fetcher`] opens them.
#[derive(Clone)]
pub struct WebSearch {
    shape: &'static SearchShape,
    address: Url,
    key: Option<SecretString>,
    pages: Pages,
    transport: Transport,
    limits: Arc<FetchLimits>,
    search: String,
}

/// Builds a [`WebSearch`].
pub struct WebSearchBuilder {
    shape: &'static SearchShape,
    address: String,
    key: Option<SecretString>,
    limits: FetchLimits,
}

impl WebSearchBuilder {
    /// Sets the address of the service, such as `http://localhost:8888` of a SearXNG server.
    #[must_use]
    pub fn address(mut self, address: impl Into<String>) -> Self {
        self.address = address.into();
        self
    }

    /// Sets the key.
    #[must_use]
    pub fn key(mut self, key: impl Into<SecretString>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the limits of a query.
    #[must_use]
    pub fn limits(mut self, limits: FetchLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Builds the source with the fetcher that opens the pages.
    ///
    /// # Errors
    ///
    /// [`FetchError::Setup`] when the address or the key is missing or not valid.
    pub fn build(self, fetcher: Fetcher) -> Result<WebSearch, FetchError> {
        let setup = |problem: &str| FetchError::Setup {
            problem: format!("{}: {problem}", self.shape.name),
        };
        let address = Url::parse(&self.address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .ok_or_else(|| setup("give the address of the server, as in http://localhost:8888"))?;
        if self.key.is_none() && self.shape.key != KeyPlace::None {
            return Err(setup(&format!("it needs a key ({})", self.shape.variable)));
        }

        let agent = concat!("research-agents/", env!("CARGO_PKG_VERSION"));
        let guard = Guard::default();
        let transport = Transport::new(&guard, Arc::new(SystemResolver), agent, &self.limits)?;
        Ok(WebSearch {
            search: format!("search_{}", self.shape.name),
            pages: Pages::new(self.shape.name, fetcher),
            shape: self.shape,
            address,
            key: self.key,
            transport,
            limits: Arc::new(self.limits),
        })
    }
}

impl WebSearch {
    /// Returns a builder for a service.
    pub fn builder(shape: &'static SearchShape) -> WebSearchBuilder {
        WebSearchBuilder {
            shape,
            address: shape.address.to_owned(),
            key: None,
            limits: FetchLimits::default().size(4 << 20),
        }
    }

    /// Asks the service, outside of a run.
    ///
    /// # Errors
    ///
    /// When it gives no answer.
    pub async fn ask(&self, query: &str, limit: usize) -> Result<SearchResults, SourceError> {
        let shape = self.shape;
        let mut url = self.address.clone();
        url.set_path(&format!(
            "{}{}",
            url.path().trim_end_matches('/'),
            shape.path
        ));
        let count = limit.min(20).to_string();
        let mut parameters = vec![(shape.query, query)];
        parameters.extend_from_slice(shape.fixed);
        if !shape.count.is_empty() {
            parameters.push((shape.count, &count));
        }

        let body = if shape.is_post {
            Some(body_of(&parameters, shape.count))
        } else {
            url.query_pairs_mut().extend_pairs(&parameters);
            None
        };
        let target = Target {
            url,
            is_allowed: true,
        };
        let method = if shape.is_post {
            Method::POST
        } else {
            Method::GET
        };
        let until = Instant::now() + self.limits.time;
        let response = self
            .transport
            .send(
                &target,
                method,
                self.limits.size,
                until,
                self.limits.time,
                |request| self.with_key(request, body),
            )
            .await?;
        let answer = Answer {
            status: response.status,
            retry_after: retry_after(&response.headers),
            body: &response.body,
        };
        read(shape, &answer, limit)
    }

    fn with_key(&self, request: RequestBuilder, body: Option<Value>) -> RequestBuilder {
        let mut request = request.header(ACCEPT, "application/json");
        if let Some(body) = body {
            request = request
                .header(reqwest::header::CONTENT_TYPE, "application/json")
                .body(body.to_string());
        }
        if let (KeyPlace::Header(name, before), Some(key)) = (self.shape.key, &self.key)
            && let Ok(mut value) =
                HeaderValue::from_str(&format!("{before}{}", key.expose_secret()))
        {
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        request
    }
}

/// Returns the parameters as JSON. The number of results is a number.
fn body_of(parameters: &[(&str, &str)], count: &str) -> Value {
    let mut body = Map::new();
    for (name, value) in parameters {
        let value = match value.parse::<u64>() {
            Ok(number) if *name == count => number.into(),
            _ => (*value).into(),
        };
        body.insert((*name).to_owned(), value);
    }
    Value::Object(body)
}

#[async_trait]
impl SearchProvider for WebSearch {
    fn name(&self) -> &str {
        self.shape.name
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Web
    }

    async fn search(&self, job: &Job, query: &Query) -> Result<SearchResults, CallError> {
        let limit = hits_of(query, self.kind());
        let arguments = json!({"query": query.text, "limit": limit});
        let call = Call {
            name: &self.search,
            arguments: arguments.as_object().cloned().unwrap_or_default(),
            address: None,
        };
        gated(job, call, summary_of, || self.ask(&query.text, limit)).await
    }

    async fn fetch(&self, job: &Job, hit: &Hit) -> Result<Fetched, CallError> {
        self.pages.fetch(job, hit).await
    }
}

impl fmt::Debug for WebSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSearch")
            .field("service", &self.shape.name)
            .field("address", &self.address.host_str())
            .finish_non_exhaustive()
    }
}
