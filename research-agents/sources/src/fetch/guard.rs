//! Which addresses may be opened.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use research_agents_runtime::limits::policy::{is_public, is_public_host};
use url::{Host, Url};

use crate::fetch::error::{FetchError, RefusedReason};

/// Parent names without pages, beyond those of private hosts: examples, hidden services, and the
/// default of resolvers.
const WITHOUT_PAGES: &[&str] = &["example", "onion", "localdomain"];

/// A host and port that may be opened although they would be refused: over `http`, on another port,
/// or in a private network.
///
/// ```
/// use research_agents_sources::fetch::AllowedHost;
///
/// let host: AllowedHost = "localhost:8080".parse()?;
/// assert_eq!((host.host(), host.port()), ("localhost", 8080));
/// assert!("localhost".parse::<AllowedHost>().is_err());
/// # Ok::<(), research_agents_sources::fetch::AllowedHostError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AllowedHost {
    host: String,
    port: u16,
}

/// The error of a host that is not written as `HOST:PORT`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a host with a port; write it as `localhost:8080` or `[::1]:8080`")]
pub struct AllowedHostError {
    text: String,
}

impl AllowedHost {
    /// Returns the host: a name in lower case, or an IP address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl FromStr for AllowedHost {
    type Err = AllowedHostError;

    fn from_str(text: &str) -> Result<Self, AllowedHostError> {
        let wrong = || AllowedHostError {
            text: text.chars().take(120).collect(),
        };
        let (_, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let port: u16 = port.parse().map_err(|_| wrong())?;
        let url = Url::parse(&format!("https://{text}/")).map_err(|_| wrong())?;
        let is_plain = url.path() == "/"
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        let host = url.host().filter(|_| is_plain).ok_or_else(wrong)?;
        Ok(Self {
            host: plain(&host),
            port,
        })
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// An address that may be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) url: Url,
    /// Whether the user allowed host and port, so that its addresses are not checked.
    pub(crate) is_allowed: bool,
}

/// Judges addresses.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    allowed: Vec<AllowedHost>,
}

impl Guard {
    /// Creates a guard that allows the public network over `https`, and these hosts.
    pub fn new(allowed: impl IntoIterator<Item = AllowedHost>) -> Self {
        Self {
            allowed: allowed.into_iter().collect(),
        }
    }

    /// Judges an address by its form and by its host, if the host is an IP address. Host names must
    /// be judged again by the addresses that they resolve to.
    ///
    /// # Errors
    ///
    /// The reason why it is not opened.
    pub fn check(&self, address: &str) -> Result<Url, FetchError> {
        self.target(address).map(|target| target.url)
    }

    /// Judges the addresses that a host name resolved to: all must be public.
    ///
    /// # Errors
    ///
    /// When one of them is not.
    pub fn check_resolved(&self, addresses: &[IpAddr]) -> Result<(), FetchError> {
        if addresses.iter().all(|address| is_public(*address)) {
            Ok(())
        } else {
            Err(FetchError::refused(RefusedReason::PrivateHost))
        }
    }

    pub(crate) fn target(&self, address: &str) -> Result<Target, FetchError> {
        let refuse = |reason| Err(FetchError::refused(reason));
        let is_clean = !address.chars().any(|c| c.is_control() || c.is_whitespace());
        let Some(url) = Url::parse(address).ok().filter(|_| is_clean) else {
            return refuse(RefusedReason::Malformed);
        };
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return refuse(match url.scheme() {
                "http" | "https" => RefusedReason::Malformed,
                _ => RefusedReason::Scheme,
            });
        };
        if !url.username().is_empty() || url.password().is_some() || has_userinfo(address) {
            return refuse(RefusedReason::Credentials);
        }
        if !matches!(url.scheme(), "http" | "https") {
            return refuse(RefusedReason::Scheme);
        }

        let name = plain(&host);
        if self
            .allowed
            .iter()
            .any(|allowed| allowed.host == name && allowed.port == port)
        {
            return Ok(Target {
                url,
                is_allowed: true,
            });
        }
        if url.scheme() != "https" {
            return refuse(RefusedReason::Scheme);
        }
        if port != 443 {
            return refuse(RefusedReason::Port);
        }

        let is_open = is_public_host(&host) && has_pages(&host);
        if !is_open {
            return refuse(RefusedReason::PrivateHost);
        }
        // `0x7f.1`, `017700000001` and `2130706433` are addresses that a reader does not recognise.
        if let Host::Ipv4(written) = &host
            && !is_written_in(address, &written.to_string())
        {
            return refuse(RefusedReason::OddHost);
        }
        Ok(Target {
            url,
            is_allowed: false,
        })
    }
}

/// Returns whether an address contains a host as it is written.
fn is_written_in(address: &str, host: &str) -> bool {
    let rest = address.split_once("//").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#', '\\', ':']).unwrap_or(rest.len());
    rest[..end].trim_end_matches('.') == host
}

/// Returns whether an address has an `@` before its path, even with nothing before it.
fn has_userinfo(address: &str) -> bool {
    let rest = address.split_once("//").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    rest[..end].contains('@')
}

fn plain(host: &Host<&str>) -> String {
    match host {
        Host::Domain(name) => name.trim_end_matches('.').to_ascii_lowercase(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    }
}

/// Returns whether there can be pages under the name of a host.
fn has_pages(host: &Host<&str>) -> bool {
    let name = plain(host);
    !WITHOUT_PAGES.iter().any(|parent| {
        name.strip_suffix(parent)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}
