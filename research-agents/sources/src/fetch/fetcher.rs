//! The fetcher.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep_until};

use crate::fetch::error::{FetchError, RefusedReason};
use crate::fetch::guard::{AllowedHost, Guard, Target};
use crate::fetch::limits::FetchLimits;
use crate::fetch::pace::Pace;
use crate::fetch::resolve::{Resolve, SystemResolver};
use crate::fetch::robots::{self, Robots, Rules};
use crate::fetch::transport::{Response, Transport};
use crate::fetch::unpack::cut;
use crate::read::{Format, ReadDocument, read_as};

/// Name by which robots files know the fetcher.
const AGENT: &str = "research-agents";
/// Types that are asked for.
const ACCEPT: &str = "text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9,\
                      application/pdf;q=0.8,*/*;q=0.1";

/// A page that was fetched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Page {
    /// Address that the page came from, after redirects.
    pub url: String,
    /// Number of redirects that were followed.
    pub redirects: usize,
    /// Content type as the server states it.
    pub media_type: String,
    /// Text of the page.
    pub document: ReadDocument,
}

/// Fetches pages. Clones share the pace and the robots files.
#[derive(Clone)]
pub struct Fetcher {
    guard: Guard,
    transport: Transport,
    limits: Arc<FetchLimits>,
    obeys_robots: bool,
    robots: Robots,
    pace: Pace,
}

/// Builds a [`Fetcher`].
pub struct FetcherBuilder {
    allowed: Vec<AllowedHost>,
    resolver: Arc<dyn Resolve>,
    limits: FetchLimits,
    obeys_robots: bool,
    agent: String,
}

impl FetcherBuilder {
    /// Allows a host that would be refused. Repeated calls add hosts.
    #[must_use]
    pub fn allow_host(mut self, host: AllowedHost) -> Self {
        self.allowed.push(host);
        self
    }

    /// Sets the limits of a page.
    #[must_use]
    pub fn limits(mut self, limits: FetchLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the resolver of host names. Defaults to that of the operating system.
    #[must_use]
    pub fn resolver(mut self, resolver: Arc<dyn Resolve>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Sets whether robots files are obeyed. Defaults to `true`. Set it to `false` only for sites
    /// of the user.
    #[must_use]
    pub fn obey_robots(mut self, obeys: bool) -> Self {
        self.obeys_robots = obeys;
        self
    }

    /// Sets the user agent that servers see. Robots files know the fetcher as `research-agents`.
    #[must_use]
    pub fn user_agent(mut self, agent: impl Into<String>) -> Self {
        self.agent = agent.into();
        self
    }

    /// Builds the fetcher.
    ///
    /// # Errors
    ///
    /// [`FetchError::Setup`] when the machine has no root certificates.
    pub fn build(self) -> Result<Fetcher, FetchError> {
        let guard = Guard::new(self.allowed);
        let transport = Transport::new(&guard, self.resolver, &self.agent, &self.limits)?;
        Ok(Fetcher {
            guard,
            transport,
            limits: Arc::new(self.limits),
            obeys_robots: self.obeys_robots,
            robots: Robots::default(),
            pace: Pace::default(),
        })
    }
}

impl Fetcher {
    /// Returns a builder with the defaults.
    pub fn builder() -> FetcherBuilder {
        FetcherBuilder {
            allowed: Vec::new(),
            resolver: Arc::new(SystemResolver),
            limits: FetchLimits::default(),
            obeys_robots: true,
            agent: format!("{AGENT}/{}", env!("CARGO_PKG_VERSION")),
        }
    }

    /// Returns the guard that judges addresses.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Returns whether the user allowed the host and port of an address.
    pub fn allows(&self, url: &str) -> bool {
        self.guard.target(url).is_ok_and(|target| target.is_allowed)
    }

    /// Fetches a page and reads its text.
    ///
    /// # Errors
    ///
    /// The reason why the page was not read.
    pub async fn fetch(&self, url: &str) -> Result<Page, FetchError> {
        let (target, response, redirects) = self.follow(url).await?;
        let media_type = media_type(&response.headers);
        let format = format_of(&media_type, &target, &response.body)?;
        let charset = charset(&media_type);

        let limits = self.limits.read.clone();
        let read = move || read_as(response.body, Some(format), charset.as_deref(), &limits);
        let document =
            tokio::task::spawn_blocking(read)
                .await
                .map_err(|error| FetchError::Connection {
                    problem: error.to_string(),
                })??;
        Ok(Page {
            url: target.url.to_string(),
            redirects,
            media_type: cut(&media_type),
            document,
        })
    }

    /// Requests an address and follows its redirects, each checked like the first.
    async fn follow(&self, url: &str) -> Result<(Target, Response, usize), FetchError> {
        let limit = self.limits.time;
        let until = Instant::now() + limit;
        let mut target = self.guard.target(url)?;
        let mut redirects = 0;
        loop {
            self.obey(&target, until).await?;
            let response = self
                .request(&target, ACCEPT, self.limits.size, until)
                .await?;
            let location = response
                .headers
                .get(LOCATION)
                .filter(|_| matches!(response.status, 301 | 302 | 303 | 307 | 308));
            let Some(location) = location else {
                return self.accepted(target, response, redirects);
            };

            redirects += 1;
            if redirects > self.limits.redirects {
                return Err(FetchError::Redirects {
                    limit: self.limits.redirects,
                });
            }
            let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
            target = self.redirected(&target, &location)?;
        }
    }

    fn redirected(&self, from: &Target, location: &str) -> Result<Target, FetchError> {
        // An address with an `@` or a number as its host must be judged as it is written.
        let next = match from.url.join(location) {
            Ok(_) if location.contains("://") => location.to_owned(),
            Ok(joined) => joined.to_string(),
            Err(_) => return Err(FetchError::refused(RefusedReason::Malformed)),
        };
        let next = self.guard.target(&next)?;
        if from.url.scheme() == "https" && next.url.scheme() != "https" {
            return Err(FetchError::refused(RefusedReason::Downgrade));
        }
        Ok(next)
    }

    fn accepted(
        &self,
        target: Target,
        response: Response,
        redirects: usize,
    ) -> Result<(Target, Response, usize), FetchError> {
        if (200..300).contains(&response.status) {
            return Ok((target, response, redirects));
        }
        let retry_after = retry_after(&response.headers);
        if let (Some(wait), Some(host)) = (retry_after, target.url.host_str()) {
            self.pace.hold(host, wait);
        }
        Err(FetchError::Status {
            status: response.status,
            retry_after,
        })
    }

    /// Sends one request in the pace of its host.
    async fn request(
        &self,
        target: &Target,
        accept: &str,
        size: usize,
        until: Instant,
    ) -> Result<Response, FetchError> {
        let limit = self.limits.time;
        let host = target.url.host_str().unwrap_or_default();
        let start = self.pace.reserve(host, self.limits.pace);
        if start >= until {
            return Err(FetchError::TooSlow { limit });
        }
        sleep_until(start).await;
        self.transport.get(target, accept, size, until, limit).await
    }

    /// Checks the robots file of a site, which is read once.
    async fn obey(&self, target: &Target, until: Instant) -> Result<(), FetchError> {
        if !self.obeys_robots {
            return Ok(());
        }

        let rules = match self.robots.known(&target.url) {
            Some(rules) => rules,
            None => {
                let rules = self.read_robots(target, until).await?;
                self.robots.remember(&target.url, rules.clone());
                rules
            }
        };

        match &rules {
            Rules::Unread(problem) => Err(FetchError::RobotsUnread {
                problem: problem.clone(),
            }),
            rules if rules.allow(AGENT, &target.url) => Ok(()),
            _ => Err(FetchError::Robots),
        }
    }

    async fn read_robots(&self, target: &Target, until: Instant) -> Result<Rules, FetchError> {
        let Some(address) = robots::file_of(&target.url) else {
            return Ok(Rules::Everything);
        };

        let mut file = self.guard.target(&address)?;
        for _ in 0..=self.limits.redirects {
            let answer = self
                .request(&file, "text/plain,*/*;q=0.1", robots::MOST, until)
                .await;
            let response = match answer {
                Ok(response) => response,
                // A file that is too large to read, or of another kind, forbids nothing.
                Err(FetchError::TooLarge { .. } | FetchError::ContentEncoding { .. }) => {
                    return Ok(Rules::Everything);
                }
                Err(error) => return Err(error),
            };

            let location = response.headers.get(LOCATION);
            let Some(location) = location.filter(|_| (300..400).contains(&response.status)) else {
                return Ok(Rules::from_file(response.status, &response.body));
            };
            let location = String::from_utf8_lossy(location.as_bytes()).into_owned();
            file = self.redirected(&file, &location)?;
        }
        Ok(Rules::Everything)
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher")
            .field("guard", &self.guard)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE);
    value.map_or_else(String::new, |value| {
        String::from_utf8_lossy(value.as_bytes()).into_owned()
    })
}

/// Returns the format of a page: by its type, else by its name. The bytes must agree.
fn format_of(media_type: &str, target: &Target, body: &[u8]) -> Result<Format, FetchError> {
    let named = Format::from_name(target.url.path());
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let stated = match essence {
        "" | "application/octet-stream" | "binary/octet-stream" => named,
        // Servers send many kinds of text as plain text.
        "text/plain" => named
            .filter(|named| named.is_textual())
            .or(Some(Format::Text)),
        stated => Format::from_media_type(stated),
    };

    let seen = Format::from_bytes(body);
    match (stated, seen) {
        (Some(stated), Some(seen)) if stated.is_textual() == seen.is_textual() => Ok(stated),
        (Some(stated), _) if body.is_empty() => Ok(stated),
        (None, Some(seen)) if essence.is_empty() => Ok(seen),
        _ => Err(FetchError::ContentType {
            media_type: cut(media_type),
        }),
    }
}

fn charset(media_type: &str) -> Option<String> {
    let parameters = media_type.split(';').skip(1);
    parameters.into_iter().find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"');
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
    })
}

/// Returns how long a server asks to wait: a number of seconds, or a date.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    date.duration_since(SystemTime::now()).ok()
}
