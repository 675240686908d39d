//! Errors of tools as data, so that a replayed error is the recorded one.

use std::error::Error;
use std::io;
use std::time::Duration;

use research_mcp::{InputRequired, McpError, Operation};
use serde::{Deserialize, Serialize};

use crate::tape::scrub::scrubbed;

/// An [`McpError`] that can be serialized. It keeps the text of a cause, but nothing that is
/// specific to the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolFault(Fault);

/// The variants of the error and their fields.
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
    },
    Closed {
        server: String,
        tool: Option<String>,
        reason: String,
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
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
        cause: Option<String>,
    },
    NotJson {
        server: String,
        tool: String,
        excerpt: String,
        cause: String,
    },
    /// A variant that is newer than this library, with its text.
    Other {
        server: String,
        reason: String,
    },
}

/// Converts between the two enums: variants with the same fields by name, and the rest by the given
/// arms.
macro_rules! convert {
    ($from:ident, $value:expr, $to:ident, { $($rest:tt)* }) => {
        convert!(
            @ $from,
            $value,
            $to,
            {
                Configuration { server, reason },
                Protocol { server, tool, operation, code, reason },
                Tool { server, tool, message },
                TooLarge { server, tool, bytes, limit },
                ResourceTooLarge { server, uri, bytes, limit },
                UnknownTool { name, known },
                NeedsAuth { server, reason },
                Refused { server, tool, reason, code },
                ToolChanged { server, tool },
                InvalidResult { server, tool, reason },
                InputRequired { server, tool, required },
                NoServer { reasons },
            },
            { $($rest)* }
        )
    };
    (
        @ $from:ident,
        $value:expr,
        $to:ident,
        { $($variant:ident { $($field:ident),* }),* $(,)? },
        { $($rest:tt)* }
    ) => {
        match $value {
            $($from::$variant { $($field),* } => $to::$variant { $($field: $field.clone()),* },)*
            $($rest)*
        }
    };
}

impl ToolFault {
    /// Converts an error, without the standard error of its server, paths of the machine, and keys.
    pub fn from_error(error: &McpError) -> Self {
        let fault = convert!(
            McpError,
            error,
            Fault,
            {
                McpError::Spawn { server, command, source } => {
                    let name = command.rsplit(['/', '\\']).next().unwrap_or_default();
                    Fault::Spawn {
                        server: server.clone(),
                        command: name.to_owned(),
                        cause: source.to_string(),
                    }
                }
                McpError::Timeout { server, tool, operation, limit, stderr: _ } => Fault::Timeout {
                    server: server.clone(),
                    tool: tool.clone(),
                    operation: *operation,
                    limit: *limit,
                },
                McpError::Closed { server, tool, reason, stderr: _ } => Fault::Closed {
                    server: server.clone(),
                    tool: tool.clone(),
                    reason: reason.clone(),
                },
                McpError::Handshake { server, reason, stderr: _, source } => Fault::Handshake {
                    server: server.clone(),
                    reason: reason.clone(),
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
        );

        Self(scrubbed(fault))
    }

    /// Returns the recorded error. What was left out of it is empty.
    pub fn into_error(self) -> McpError {
        let fault = &self.0;

        convert!(
            Fault,
            fault,
            McpError,
            {
                Fault::Spawn { server, command, cause } => McpError::Spawn {
                    server: server.clone(),
                    command: command.clone(),
                    source: io::Error::other(cause.clone()),
                },
                Fault::Timeout { server, tool, operation, limit } => McpError::Timeout {
                    server: server.clone(),
                    tool: tool.clone(),
                    operation: *operation,
                    limit: *limit,
                    stderr: String::new(),
                },
                Fault::Closed { server, tool, reason } => McpError::Closed {
                    server: server.clone(),
                    tool: tool.clone(),
                    reason: reason.clone(),
                    stderr: String::new(),
                },
                Fault::Handshake { server, reason, cause } => McpError::Handshake {
                    server: server.clone(),
                    reason: reason.clone(),
                    stderr: String::new(),
                    source: cause.clone().map(Into::into),
                },
                Fault::NotJson { server, tool, excerpt, cause } => McpError::NotJson {
                    server: server.clone(),
                    tool: tool.clone(),
                    excerpt: excerpt.clone(),
                    source: serde::de::Error::custom(cause),
                },
                Fault::Other { server, reason } => McpError::Configuration {
                    server: server.clone(),
                    reason: reason.clone(),
                },
            }
        )
    }
}

/// Returns a cause and the causes behind it on one line.
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
    fn a_recorded_error_has_the_same_text_and_properties() {
        let server = || "events".to_owned();
        let tool = || Some("search".to_owned());
        let errors = [
            McpError::Spawn {
                server: server(),
                command: "x".into(),
                source: io::Error::other("no such file"),
            },
            McpError::Handshake {
                server: server(),
                reason: "r".into(),
                stderr: String::new(),
                source: Some("s".into()),
            },
            McpError::Timeout {
                server: server(),
                tool: tool(),
                operation: Operation::Call,
                limit: Duration::from_millis(1_500),
                stderr: String::new(),
            },
            McpError::Closed {
                server: server(),
                tool: tool(),
                reason: "gone".into(),
                stderr: String::new(),
            },
            McpError::Protocol {
                server: server(),
                tool: None,
                operation: Operation::List,
                code: Some(-32_603),
                reason: "429: Retry-After: 3".into(),
            },
            McpError::Tool {
                server: server(),
                tool: "search".into(),
                message: "HTTP 503".into(),
            },
            McpError::TooLarge {
                server: server(),
                tool: "search".into(),
                bytes: 9,
                limit: 8,
            },
            McpError::NoServer {
                reasons: vec!["events: down".into()],
            },
            McpError::UnknownTool {
                name: "x".into(),
                known: vec!["search".into()],
            },
            McpError::NotJson {
                server: server(),
                tool: "search".into(),
                excerpt: "<html>".into(),
                source: serde_json::from_str::<i32>("<html>").unwrap_err(),
            },
        ];

        for error in errors {
            let line = serde_json::to_string(&ToolFault::from_error(&error)).unwrap();
            let again = serde_json::from_str::<ToolFault>(&line)
                .unwrap()
                .into_error();
            assert_eq!(again.to_string(), error.to_string());
            assert_eq!(again.kind(), error.kind());
            let (again, error) = (
                crate::error::Error::from(again),
                crate::error::Error::from(error),
            );
            assert_eq!(
                (again.category(), again.retry_after()),
                (error.category(), error.retry_after())
            );
        }
    }

    #[test]
    fn what_is_specific_to_the_machine_is_not_recorded() {
        let words =
            || "Traceback: /home/ada/server.py TOKEN=sk-proj-abcdefghijklmnop1234".to_owned();
        let (server, tool) = (|| "events".to_owned(), || Some("search".to_owned()));
        let (operation, limit) = (Operation::Call, Duration::from_secs(1));
        let failed = io::Error::other(words());

        for error in [
            McpError::Spawn {
                server: server(),
                command: "/opt/tools/serve".into(),
                source: failed,
            },
            McpError::Handshake {
                server: server(),
                reason: words(),
                stderr: words(),
                source: Some(words().into()),
            },
            McpError::Timeout {
                server: server(),
                tool: tool(),
                operation,
                limit,
                stderr: words(),
            },
            McpError::Closed {
                server: server(),
                tool: tool(),
                reason: words(),
                stderr: words(),
            },
            McpError::Tool {
                server: server(),
                tool: "search".into(),
                message: words(),
            },
            McpError::NoServer {
                reasons: vec![format!(
                    "events: gone (its standard error ends with: {}); wait",
                    words()
                )],
            },
        ] {
            let line = serde_json::to_string(&ToolFault::from_error(&error)).unwrap();
            assert!(
                ["/home", "ada", "/opt", "sk-proj"]
                    .iter()
                    .all(|word| !line.contains(word)),
                "{line}"
            );
            let again = ToolFault::from_error(&error).into_error();
            assert_eq!(
                (again.kind(), again.server(), again.tool()),
                (error.kind(), error.server(), error.tool())
            );
        }
    }
}
