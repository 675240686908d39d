//! Classifies failures: by typed causes first, then by statuses, then by ordered rules on their
//! text.

use std::error::Error as StdError;
use std::io;

use research_llm::{ErrorKind as ModelErrorKind, Failure, ModelError};
use research_mcp::{McpError, McpErrorKind};

use crate::error::category::ErrorCategory;
use crate::error::category::ErrorCategory::{
    Authentication, Connection, McpToolError, RateLimit, ServerError, SubAgentError, Timeout,
    TokenLimit, Unknown,
};
use crate::error::model::Error;

/// A category and the patterns that indicate it; `*` matches any text.
type Rule = (ErrorCategory, &'static [&'static str]);

/// Patterns that decide whatever else the text contains, tried first: the request itself was wrong,
/// so other failures that the text names are only quoted.
const FIRST: &[Rule] = &[
    (
        McpToolError,
        &[
            "-32601",
            "-32602",
            "-32700",
            "input validation error",
            "output validation error",
            "invalid arguments for tool",
            "invalid tool arguments",
            "invalid request parameters",
            "executing tool*validation error",
            "provided parameters were invalid",
            "failed to deserialize parameters",
            "unknown tool",
            "tool not found",
            "no mcp tool is named",
            "method not found",
            "no such field",
            "unknown field",
            "no such column",
            "unknown column",
            "column*does not exist",
            "no such table",
            "relation*does not exist",
            "table*does not exist",
        ],
    ),
    (
        SubAgentError,
        &[
            "sub-agent",
            "subagent",
            "could not parse llm output",
            "failed to parse*from completion",
            "output_parsing_failure",
            "outputparserexception",
            "invalid json output",
            "validation error for ",
            "validation errors for ",
            "is no valid*after*attempts",
            "did not return a structured",
            "graph_recursion_limit",
            "recursion limit of",
            "without hitting a stop condition",
        ],
    ),
    // A session that the server has forgotten is a lost connection: a new one helps.
    (
        Connection,
        &[
            "session terminated",
            "session not found",
            "session expired",
            "no valid session id",
            "-32000*closed",
        ],
    ),
];

/// Patterns that say where something failed but not why, tried last.
const LAST: &[Rule] = &[(
    McpToolError,
    &[
        "mcp error",
        "error executing tool",
        "mcp tool",
        "tool call failed",
        "tool execution failed",
    ],
)];

impl ErrorCategory {
    /// Returns the category of an HTTP status. A status that says nothing about the cause, such as
    /// 404, is [`Unknown`](Self::Unknown).
    pub fn from_status(status: u16) -> Self {
        of_kind(Failure::new("").status(status).kind())
    }

    /// Returns the category of an I/O error: by its kind, or by its text if it has no specific
    /// kind.
    pub fn from_io(error: &io::Error) -> Self {
        of_kind(ModelError::from_io(io::Error::new(error.kind(), error.to_string())).kind())
    }

    /// Returns the category of a message, by ordered rules: wrong arguments and unusable answers,
    /// then statuses that the text names as such, then messages of services and networks, then
    /// messages of tools.
    ///
    /// A number in an address, or one that only looks like a status, is ignored. A rate limit that
    /// a single request exceeds by itself is a token limit.
    pub fn from_text(text: &str) -> Self {
        let words = text.to_lowercase();
        if let Some(category) = first(FIRST, &words) {
            return category;
        }
        match of_kind(Failure::new(text).kind()) {
            Unknown | SubAgentError => first(LAST, &words).unwrap_or(Unknown),
            category => category,
        }
    }
}

fn first(rules: &[Rule], words: &str) -> Option<ErrorCategory> {
    rules
        .iter()
        .find(|(_, patterns)| patterns.iter().any(|pattern| holds(words, pattern)))
        .map(|(kind, _)| *kind)
}

/// Returns `true` if the text contains the parts of the pattern, one after the other.
fn holds(text: &str, pattern: &str) -> bool {
    let mut rest = text;
    pattern.split('*').all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

fn of_kind(kind: ModelErrorKind) -> ErrorCategory {
    match kind {
        ModelErrorKind::TokenLimit => TokenLimit,
        ModelErrorKind::RateLimit => RateLimit,
        ModelErrorKind::Connection => Connection,
        ModelErrorKind::Timeout => Timeout,
        ModelErrorKind::Authentication => Authentication,
        ModelErrorKind::ServerError => ServerError,
        // An answer that stays malformed after all attempts is a failure of the sub-agent that
        // asked.
        ModelErrorKind::InvalidOutput => SubAgentError,
        _ => Unknown,
    }
}

pub(crate) fn of_model(error: &ModelError) -> ErrorCategory {
    of_kind(error.kind())
}

/// Returns the category of a tool call's error: by its type, or by its text if the type says only
/// that a tool failed.
pub fn of_tool(error: &McpError) -> ErrorCategory {
    match error.kind() {
        McpErrorKind::Connect | McpErrorKind::Closed | McpErrorKind::NoServer => Connection,
        McpErrorKind::Timeout => Timeout,
        McpErrorKind::NeedsAuth => Authentication,
        McpErrorKind::TooLarge => TokenLimit,
        McpErrorKind::NotJson if is_cut(error) => Connection,
        // The type says only that a tool failed. Many tools pass on the message of a service, which
        // says why.
        McpErrorKind::Tool | McpErrorKind::Protocol => {
            match message_of(error).map(ErrorCategory::from_text) {
                Some(category) if category.is_retryable() || category == Authentication => category,
                _ => McpToolError,
            }
        }
        _ => McpToolError,
    }
}

/// Returns `true` if a result is JSON that ends in the middle: the rest was lost on the way.
pub fn is_cut(error: &McpError) -> bool {
    let McpError::NotJson {
        source, excerpt, ..
    } = error
    else {
        return false;
    };
    source.is_eof() && excerpt.trim_start().starts_with(['{', '['])
}

fn message_of(error: &McpError) -> Option<&str> {
    match error {
        McpError::Tool { message, .. } => Some(message),
        McpError::Protocol { reason, .. } => Some(reason),
        _ => None,
    }
}

/// Returns the category of the first known cause in the chain, or otherwise of the text.
pub(crate) fn of_foreign(error: &(dyn StdError + Send + Sync + 'static)) -> ErrorCategory {
    let mut cause: Option<&(dyn StdError + 'static)> = Some(error);

    while let Some(error) = cause {
        let known = if let Some(error) = error.downcast_ref::<Error>() {
            error.category()
        } else if let Some(error) = error.downcast_ref::<ModelError>() {
            of_model(error)
        } else if let Some(error) = error.downcast_ref::<McpError>() {
            of_tool(error)
        } else if let Some(error) = error.downcast_ref::<io::Error>() {
            ErrorCategory::from_io(error)
        } else {
            Unknown
        };
        if known != Unknown {
            return known;
        }
        cause = error.source();
    }

    ErrorCategory::from_text(&error.to_string())
}

#[cfg(test)]
mod tests;
