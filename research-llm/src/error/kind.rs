//! The categories of model errors.

use std::fmt;

/// The category of a [`ModelError`](crate::ModelError), for decisions and for event streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request, or request and answer together, exceed what the model can hold.
    TokenLimit,
    /// Too many requests or tokens in a span of time.
    RateLimit,
    /// The model could not be reached, or the connection broke.
    Connection,
    /// No answer in time.
    Timeout,
    /// The key is missing, wrong or not entitled.
    Authentication,
    /// The provider failed on its side.
    ServerError,
    /// The provider refuses the request as malformed.
    InvalidRequest,
    /// The answer is not of the provider's wire format.
    InvalidResponse,
    /// The answer is not of the requested shape.
    InvalidOutput,
    /// The model refused to answer, or its provider withheld the answer.
    Withheld,
    /// A budget does not allow the call.
    Budget,
    /// The caller gave up.
    Cancelled,
    /// No such model or provider in this build.
    UnknownModel,
    /// The model cannot do what the request asks.
    Unsupported,
    /// None of the above.
    Unknown,
}

impl ErrorKind {
    /// The name used in events and logs, such as `rate_limit`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TokenLimit => "token_limit",
            Self::RateLimit => "rate_limit",
            Self::Connection => "connection",
            Self::Timeout => "timeout",
            Self::Authentication => "authentication",
            Self::ServerError => "server_error",
            Self::InvalidRequest => "invalid_request",
            Self::InvalidResponse => "invalid_response",
            Self::Budget => "budget",
            Self::InvalidOutput => "invalid_output",
            Self::Withheld => "withheld",
            Self::Cancelled => "cancelled",
            Self::UnknownModel => "unknown_model",
            Self::Unsupported => "unsupported",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
