//! The nine categories that users see, and what follows from each.

use serde::{Deserialize, Serialize};

/// The nine categories of errors. Users see the category and a message; what may be tried again follows from it.
///
/// ```
/// use research_agents::ErrorCategory;
///
/// assert_eq!(ErrorCategory::from_status(429), ErrorCategory::RateLimit);
/// assert_eq!(ErrorCategory::from_text("HTTP 503 Service Unavailable"), ErrorCategory::ServerError);
/// // A number is no status because it has three digits.
/// assert_eq!(ErrorCategory::from_text("the answer has 1500 tokens"), ErrorCategory::Unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCategory {
    /// A prompt, or prompt and answer together, exceed what the model can hold; or a result exceeds what may be taken.
    TokenLimit,
    /// Too many requests in a span of time.
    RateLimit,
    /// A server could not be reached, or the connection broke.
    Connection,
    /// No answer in time.
    Timeout,
    /// A key is missing or wrong.
    Authentication,
    /// A provider failed on its side.
    ServerError,
    /// A tool refused a call or returned something unusable.
    McpToolError,
    /// A sub-agent refused its arguments or failed.
    SubAgentError,
    /// None of the above.
    Unknown,
}

impl ErrorCategory {
    /// All nine.
    pub const ALL: [Self; 9] = [
        Self::TokenLimit,
        Self::RateLimit,
        Self::Connection,
        Self::Timeout,
        Self::Authentication,
        Self::ServerError,
        Self::McpToolError,
        Self::SubAgentError,
        Self::Unknown,
    ];

    /// The name in events, such as `rate_limit`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TokenLimit => "token_limit",
            Self::RateLimit => "rate_limit",
            Self::Connection => "connection",
            Self::Timeout => "timeout",
            Self::Authentication => "authentication",
            Self::ServerError => "server_error",
            Self::McpToolError => "mcp_tool_error",
            Self::SubAgentError => "sub_agent_error",
            Self::Unknown => "unknown",
        }
    }

    /// Whether the same may succeed when it is tried again. A token limit needs [less to hold](Self::needs_less) as well.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::TokenLimit | Self::RateLimit | Self::Connection | Self::Timeout | Self::ServerError)
    }

    /// Whether trying again is pointless unless less is asked for.
    pub fn needs_less(self) -> bool {
        self == Self::TokenLimit
    }

    /// One sentence for a person.
    pub fn user_message(self) -> &'static str {
        match self {
            Self::TokenLimit => "The material is too long to be taken at once.",
            Self::RateLimit => "A service asks to slow down.",
            Self::Connection => "A server could not be reached, or the connection broke.",
            Self::Timeout => "A server did not answer in time.",
            Self::Authentication => "A service does not accept the key or the account.",
            Self::ServerError => "A service has a problem on its side.",
            Self::McpToolError => "A data tool refused a call or returned something that cannot be used.",
            Self::SubAgentError => "A part of the research could not be carried out.",
            Self::Unknown => "Something failed for an unknown reason.",
        }
    }
}
