//! Why a source gave nothing, and what to do about it.

use std::time::Duration;

use research_agents_runtime::error::Error;
use serde::{Deserialize, Serialize};

use crate::read::ReadError;

/// The reason why a source gave nothing. It is recorded, and a replay sees it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "error")]
#[non_exhaustive]
pub enum SourceError {
    /// SearXNG does not answer as JSON.
    #[error(
        "the SearXNG server does not answer as JSON: add `json` to `search.formats` in its \
         settings.yml"
    )]
    JsonDisabled,
    /// Too many queries.
    #[error(
        "{service} limits the number of queries{}{}",
        wait_of(.retry_after.as_ref()),
        pass_of(.service)
    )]
    RateLimited {
        /// Name of the service.
        service: String,
        /// How long the service asks to wait.
        retry_after: Option<Duration>,
    },
    /// The key is missing or is not accepted.
    #[error("{service} does not accept the key{}", key_of(.variable.as_deref()))]
    Unauthorized {
        /// Name of the service.
        service: String,
        /// Environment variable that usually contains the key.
        variable: Option<String>,
    },
    /// The service answered with an error.
    #[error("{service} answered with status {status}")]
    Status {
        /// Name of the service.
        service: String,
        /// The status of HTTP.
        status: u16,
    },
    /// The answer is empty or is not JSON.
    #[error(
        "{service} answered with something other than JSON ({found}); check that the address is \
         that of its search API"
    )]
    NotJson {
        /// Name of the service.
        service: String,
        /// What it answered instead.
        found: String,
    },
    /// The answer has no list of results.
    #[error(
        "the answer of {service} has no list of results{}; it may speak another version of its API",
        place_of(.place)
    )]
    NoResults {
        /// Name of the service.
        service: String,
        /// Where the list should be; empty if that is unknown.
        place: String,
    },
    /// The service cannot be reached, or the page was not fetched.
    #[error("{problem}")]
    Unreached {
        /// What failed.
        problem: String,
        /// Whether the same call may succeed later.
        is_transient: bool,
    },
    /// The document has no readable text.
    #[error(transparent)]
    Read {
        /// Why.
        #[from]
        reason: ReadError,
    },
    /// The service found nothing because no engine behind it answered.
    #[error(
        "no engine behind {service} answered ({}); try again later, or check `engines` and \
         `outgoing` in its settings.yml", .engines.join(", ")
    )]
    NoEngines {
        /// Name of the service.
        service: String,
        /// The first five engines, each with its reason.
        engines: Vec<String>,
    },
    /// The source has no document of the id.
    #[error("{service} has no document `{id}`")]
    NoDocument {
        /// Name of the source.
        service: String,
        /// The id, at most 120 characters.
        id: String,
    },
    /// The server has no tools to search with.
    #[error(
        "the server `{service}` has no tools `search` and `fetch`; name the tools to use instead \
         (it has: {})", tools.join(", ")
    )]
    NoTools {
        /// Name of the server.
        service: String,
        /// Names of its tools.
        tools: Vec<String>,
    },
}

fn wait_of(wait: Option<&Duration>) -> String {
    wait.map_or_else(
        || "; wait before the next one".to_owned(),
        |wait| format!("; it asks to wait {} s", wait.as_secs()),
    )
}

/// Returns what the owner of a server can do. The limiter of SearXNG refuses every program.
fn pass_of(service: &str) -> &'static str {
    if service == "searxng" {
        "; on a server of your own, name this client in `botdetection.ip_lists.pass_ip` of its \
         limiter.toml"
    } else {
        ""
    }
}

fn key_of(variable: Option<&str>) -> String {
    variable.map_or_else(String::new, |variable| format!("; check `{variable}`"))
}

fn place_of(place: &str) -> String {
    if place.is_empty() {
        String::new()
    } else {
        format!(" at `{place}`")
    }
}

impl SourceError {
    /// Returns whether the same call may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::NoEngines { .. } => true,
            Self::Unreached { is_transient, .. } => *is_transient,
            Self::Status { status, .. } => *status >= 500,
            _ => false,
        }
    }
}

#[cfg(feature = "fetch")]
impl From<crate::fetch::FetchError> for SourceError {
    fn from(error: crate::fetch::FetchError) -> Self {
        match error {
            crate::fetch::FetchError::Read { reason } => Self::Read { reason },
            error => Self::Unreached {
                is_transient: error.is_transient(),
                problem: error.to_string(),
            },
        }
    }
}

/// The error of a call to a source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The source gave nothing.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The run does not allow the call: its policy, its budget, or because gathering must stop.
    #[error(transparent)]
    Run(#[from] Error),
}
