//! Why a page was not fetched, and what to do about it.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::read::ReadError;

/// The reason why an address is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RefusedReason {
    /// The address cannot be parsed, or has no host.
    Malformed,
    /// The scheme is not `https`.
    Scheme,
    /// The address contains a user name or password.
    Credentials,
    /// The port is not that of the scheme.
    Port,
    /// The host is in a private network, by its name or one of its addresses.
    PrivateHost,
    /// A redirect leads from `https` to `http`.
    Downgrade,
    /// The host is named as a number in a form other than `1.2.3.4`.
    OddHost,
}

impl RefusedReason {
    /// Returns the reason as one word, for events and tables.
    pub fn code(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Scheme => "scheme",
            Self::Credentials => "credentials",
            Self::Port => "port",
            Self::PrivateHost => "private_host",
            Self::Downgrade => "downgrade",
            Self::OddHost => "odd_host",
        }
    }
}

impl fmt::Display for RefusedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "the address is not a valid URL",
            Self::Scheme => {
                "only https addresses are opened; allow the host as HOST:PORT to open \
                             it over http"
            }
            Self::Credentials => "an address with a user name or password is not opened",
            Self::Port => "only port 443 is opened; allow the host as HOST:PORT to open another",
            Self::PrivateHost => {
                "the host is in a private network; allow it as HOST:PORT if that \
                                  is meant"
            }
            Self::Downgrade => "a redirect from https to http is not followed",
            Self::OddHost => "a host that is written as a number is not opened",
        })
    }
}

/// The reason why a page was not fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "error")]
#[non_exhaustive]
pub enum FetchError {
    /// The address is not opened.
    #[error("{reason}")]
    Refused {
        /// The reason.
        reason: RefusedReason,
    },
    /// The host name has no address.
    #[error("the host has no address: {problem}")]
    Unresolved {
        /// What the resolver says.
        problem: String,
    },
    /// The connection failed.
    #[error("the server cannot be reached, or broke off: {problem}")]
    Connection {
        /// What failed.
        problem: String,
    },
    /// The page took too long.
    #[error("the page took longer than {} ms", limit.as_millis())]
    TooSlow {
        /// The limit.
        limit: Duration,
    },
    /// The page is too large, as it comes or decompressed.
    #[error("the page is larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// Too many redirects.
    #[error("the address redirects more than {limit} times")]
    Redirects {
        /// The limit.
        limit: usize,
    },
    /// The server answered with an error.
    #[error("the server answered with status {status}{}", remedy_of(*status))]
    Status {
        /// The status of HTTP.
        status: u16,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    /// The content type is not one that is read.
    #[error("pages of type `{media_type}` are not read")]
    ContentType {
        /// The type as the server states it, at most 80 characters.
        media_type: String,
    },
    /// The content is compressed in a way that is not read.
    #[error("content in the encoding `{encoding}` is not read")]
    ContentEncoding {
        /// The encoding as the server states it, at most 80 characters.
        encoding: String,
    },
    /// The robots file of the site forbids the address.
    #[error("the robots file of the site forbids it")]
    Robots,
    /// The robots file of the site cannot be read, so that nothing of the site is fetched.
    #[error("the robots file of the site cannot be read: {problem}")]
    RobotsUnread {
        /// Why.
        problem: String,
    },
    /// The page has no readable text.
    #[error(transparent)]
    Read {
        /// Why.
        #[from]
        reason: ReadError,
    },
    /// The client cannot be set up.
    #[error("the HTTP client cannot be set up: {problem}")]
    Setup {
        /// What is wrong.
        problem: String,
    },
}

fn remedy_of(status: u16) -> &'static str {
    match status {
        401 | 403 => ": it does not let programs read the page",
        404 | 410 => ": there is no such page",
        429 => ": too many requests; wait before the next one",
        500.. => ": it may work later",
        _ => "",
    }
}

impl FetchError {
    /// Returns whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Connection { .. } | Self::TooSlow { .. } | Self::Unresolved { .. } => true,
            Self::Status { status, .. } => *status == 429 || *status >= 500,
            _ => false,
        }
    }

    pub(crate) fn refused(reason: RefusedReason) -> Self {
        Self::Refused { reason }
    }
}
