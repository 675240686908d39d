//! The categories of errors, and what follows from each.

use serde::{Deserialize, Serialize};

/// The category of an error. Users see it with a message; it decides whether a call may be retried.
///
/// ```
/// use research_agents_runtime::error::ErrorCategory;
///
/// assert_eq!(ErrorCategory::from_status(429), ErrorCategory::RateLimit);
///
/// let unavailable = ErrorCategory::from_text("HTTP 503 Service Unavailable");
/// assert_eq!(unavailable, ErrorCategory::ServerError);
///
/// // Digits inside a larger number are not a status.
/// assert_eq!(ErrorCategory::from_text("the answer has 1500 tokens"), ErrorCategory::Unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCategory {
    /// A prompt, or a prompt and its answer together, exceed what the model can hold; or a result
    /// exceeds its limit.
    TokenLimit,
    /// Too many requests were sent in a span of time.
    RateLimit,
    /// A server could not be reached, or the connection broke.
    Connection,
    /// No answer came in time.
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
    /// All categories.
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

    /// Returns the name in events, such as `rate_limit`.
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

    /// Returns `true` if a retry may succeed. After a token limit it must also [ask for
    /// less](Self::needs_less).
    pub fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::TokenLimit
                | Self::RateLimit
                | Self::Connection
                | Self::Timeout
                | Self::ServerError
        )
    }

    /// Returns `true` if a retry is pointless unless it asks for less.
    pub fn needs_less(self) -> bool {
        self == Self::TokenLimit
    }

    /// Returns one sentence for users.
    pub fn user_message(self) -> &'static str {
        match self {
            Self::TokenLimit => "The material is too long to be taken at once.",
            Self::RateLimit => "A service asks to slow down.",
            Self::Connection => "A server could not be reached, or the connection broke.",
            Self::Timeout => "A server did not answer in time.",
            Self::Authentication => "A service does not accept the key or the account.",
            Self::ServerError => "A service has a problem on its side.",
            Self::McpToolError => {
                "A data tool refused a call or returned something that cannot be used."
            }
            Self::SubAgentError => "A part of the research could not be carried out.",
            Self::Unknown => "Something failed for an unknown reason.",
        }
    }
}
