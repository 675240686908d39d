//! Errors of tools as data, so that a replayed error is the recorded one.

use std::error::Error;
use std::io;
use std::time::Duration;

use research_mcp::{InputRequired, McpError, Operation};
use serde::{Deserialize, Serialize};

/// An [`McpError`] that can be written down. Of a cause its text is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolFault(Fault);

/// The variants of the error, with their fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "error", rename_all = "snake_case")]
enum Fault {
    Configuration {
        server: String,
        reason: String,
    },
    Timeout {
        server: String,
        tool: Option<String>,
        operation: Operation,
        limit: Duration,
        stderr: String,
    },
    Closed {
        server: String,
        tool: Option<String>,
        reason: String,
        stderr: String,
    },
    Protocol {
        server: String,
        tool: Option<String>,
        operation: Operation,
        code: Option<i32>,
        reason: String,
    },
    Tool {
        server: String,
        tool: String,
        message: String,
    },
    TooLarge {
        server: String,
        tool: String,
        bytes: usize,
        limit: usize,
    },
    ResourceTooLarge {
        server: String,
        uri: String,
        bytes: usize,
        limit: usize,
    },
    UnknownTool {
        name: String,
        known: Vec<String>,
    },
    NeedsAuth {
        server: String,
        reason: String,
    },
    Refused {
        server: String,
        tool: String,
        reason: String,
    },
    ToolChanged {
        server: String,
        tool: String,
    },
    InvalidResult {
        server: String,
        tool: String,
        reason: String,
    },
    InputRequired {
        server: String,
        tool: String,
        required: Box<InputRequired>,
    },
    NoServer {
        reasons: Vec<String>,
    },
    Spawn {
        server: String,
        command: String,
        cause: String,
    },
    Handshake {
        server: String,
        reason: String,
        stderr: String,
        cause: Option<String>,
    },
    NotJson {
        server: String,
        tool: String,
        excerpt: String,
        cause: String,
    },
    /// A variant that is newer than this library: its words are kept.
    Other {
        server: String,
        reason: String,
    },
}

/// Passes the fields of those variants that both have in the same form on to the variant of the same name.
macro_rules! same {
    ($from:ident, $value:expr, $to:ident, { $($rest:tt)* }) => {
        same!(
            @ $from,
            $value,
            $to,
            {
                Configuration { server, reason },
                Timeout { server, tool, operation, limit, stderr },
                Closed { server, tool, reason, stderr },
                Protocol { server, tool, operation, code, reason },
                Tool { server, tool, message },
                TooLarge { server, tool, bytes, limit },
                ResourceTooLarge { server, uri, bytes, limit },
                UnknownTool { name, known },
                NeedsAuth { server, reason },
                Refused { server, tool, reason },
                ToolChanged { server, tool },
                InvalidResult { server, tool, reason },
                InputRequired { server, tool, required },
                NoServer { reasons },
            },
            { $($rest)* }
        )
    };
    (@ $from:ident, $value:expr, $to:ident, { $($variant:ident { $($field:ident),* }),* $(,)? }, { $($rest:tt)* }) => {
        match $value {
            $($from::$variant { $($field),* } => $to::$variant { $($field: $field.clone()),* },)*
            $($rest)*
        }
    };
}

impl ToolFault {
    /// The error as data.
    pub fn of(error: &McpError) -> Self {
        Self(same!(
            McpError,
            error,
            Fault,
            {
                McpError::Spawn { server, command, source } => {
                    Fault::Spawn { server: server.clone(), command: command.clone(), cause: source.to_string() }
                }
                McpError::Handshake { server, reason, stderr, source } => Fault::Handshake {
                    server: server.clone(),
                    reason: reason.clone(),
                    stderr: stderr.clone(),
                    cause: source.as_deref().map(|source| chain(source)),
                },
                McpError::NotJson { server, tool, excerpt, source } => Fault::NotJson {
                    server: server.clone(),
                    tool: tool.clone(),
                    excerpt: excerpt.clone(),
                    cause: source.to_string(),
                },
                other => Fault::Other {
                    server: other.server().unwrap_or_default().to_owned(),
                    reason: other.to_string(),
                },
            }
        ))
    }

    /// The error again.
    pub fn into_error(self) -> McpError {
        same!(
            Fault,
            &self.0,
            McpError,
            {
                Fault::Spawn { server, command, cause } => McpError::Spawn {
                    server: server.clone(),
                    command: command.clone(),
                    source: io::Error::other(cause.clone()),
                },
                Fault::Handshake { server, reason, stderr, cause } => McpError::Handshake {
                    server: server.clone(),
                    reason: reason.clone(),
                    stderr: stderr.clone(),
                    source: cause.clone().map(Into::into),
                },
                Fault::NotJson { server, tool, excerpt, cause } => McpError::NotJson {
                    server: server.clone(),
                    tool: tool.clone(),
                    excerpt: excerpt.clone(),
                    source: serde::de::Error::custom(cause),
                },
                Fault::Other { server, reason } => {
                    McpError::Configuration { server: server.clone(), reason: reason.clone() }
                }
            }
        )
    }
}

/// A cause and the causes behind it in one line.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(behind) = next {
        let more = behind.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        next = behind.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_error_says_the_same_and_calls_for_the_same() {
        let server = || "events".to_owned();
        let tool = || Some("search".to_owned());
        let errors = [
            McpError::Spawn { server: server(), command: "x".into(), source: io::Error::other("no such file") },
            McpError::Handshake {
                server: server(),
                reason: "r".into(),
                stderr: "last".into(),
                source: Some("s".into()),
            },
            McpError::Timeout {
                server: server(),
                tool: tool(),
                operation: Operation::Call,
                limit: Duration::from_millis(1_500),
                stderr: String::new(),
            },
            McpError::Closed { server: server(), tool: tool(), reason: "gone".into(), stderr: "a\nb".into() },
            McpError::Protocol {
                server: server(),
                tool: None,
                operation: Operation::List,
                code: Some(-32_603),
                reason: "429: Retry-After: 3".into(),
            },
            McpError::Tool { server: server(), tool: "search".into(), message: "HTTP 503".into() },
            McpError::TooLarge { server: server(), tool: "search".into(), bytes: 9, limit: 8 },
            McpError::NoServer { reasons: vec!["events: down".into()] },
            McpError::UnknownTool { name: "x".into(), known: vec!["search".into()] },
            McpError::NotJson {
                server: server(),
                tool: "search".into(),
                excerpt: "<html>".into(),
                source: serde_json::from_str::<i32>("<html>").unwrap_err(),
            },
        ];
        for error in errors {
            let line = serde_json::to_string(&ToolFault::of(&error)).unwrap();
            let again = serde_json::from_str::<ToolFault>(&line).unwrap().into_error();
            assert_eq!(again.to_string(), error.to_string());
            assert_eq!(again.kind(), error.kind());
            let (again, error) = (crate::Error::from(again), crate::Error::from(error));
            assert_eq!((again.category(), again.retry_after()), (error.category(), error.retry_after()));
        }
    }
}
