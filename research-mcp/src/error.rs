//! The crate's error: what failed, at which server and tool, and what to do about it.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::elicit::InputRequired;

/// What a server was doing when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Operation {
    /// Start and handshake.
    Connect,
    /// `tools/list`, or another list.
    List,
    /// `tools/call`.
    Call,
    /// `resources/read`.
    Read,
    /// `resources/subscribe` and `resources/unsubscribe`.
    Subscribe,
    /// `prompts/get`.
    Prompt,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting",
            Self::List => "listing",
            Self::Call => "the call",
            Self::Read => "reading the resource",
            Self::Subscribe => "the subscription",
            Self::Prompt => "the prompt",
        })
    }
}

/// The kind of an [`McpError`], for code that decides by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum McpErrorKind {
    /// The hub was built wrongly.
    Configuration,
    /// A server could not be started or did not complete the handshake.
    Connect,
    /// A time limit passed.
    Timeout,
    /// The connection is closed, or the server died.
    Closed,
    /// The server answered with a JSON-RPC error, or with something that MCP does not allow.
    Protocol,
    /// The tool itself reported an error.
    Tool,
    /// A result or a resource is larger than the limit.
    TooLarge,
    /// A result holds no JSON where JSON was expected.
    NotJson,
    /// No connected server has a tool of that name.
    UnknownTool,
    /// No server is connected at all.
    NoServer,
    /// The server wants the user to sign in, or does not accept the credentials.
    NeedsAuth,
    /// The policy of the server does not allow the tool.
    Refused,
    /// The tool is not what it was when it was approved.
    ToolChanged,
    /// A structured result does not fit the schema that the tool promised.
    InvalidResult,
    /// The server wants answers of the user before it goes on.
    InputRequired,
}

impl McpErrorKind {
    /// The name used in events and logs, such as `timeout`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Configuration => "configuration",
            Self::Connect => "connect",
            Self::Timeout => "timeout",
            Self::Closed => "closed",
            Self::Protocol => "protocol",
            Self::Tool => "tool",
            Self::TooLarge => "too_large",
            Self::NotJson => "not_json",
            Self::UnknownTool => "unknown_tool",
            Self::NoServer => "no_server",
            Self::NeedsAuth => "needs_auth",
            Self::Refused => "refused",
            Self::ToolChanged => "tool_changed",
            Self::InvalidResult => "invalid_result",
            Self::InputRequired => "input_required",
        }
    }
}

/// Why a connection, a listing or a call failed.
///
/// Every text names the server and, for a call, the tool, and ends with what the user can do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// The hub was built wrongly.
    #[error("MCP server `{server}`: {reason}")]
    Configuration {
        /// Name of the server in the hub.
        server: String,
        /// What is wrong and how to mend it.
        reason: String,
    },
    /// The command of a server could not be started.
    #[error("MCP server `{server}`: cannot start `{command}`: {source}; check the command and that it is on PATH")]
    Spawn {
        /// Name of the server in the hub.
        server: String,
        /// The command without its arguments.
        command: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The handshake failed.
    #[error("MCP server `{server}`: no connection: {reason}{}; check that it speaks MCP on this transport", LastWords(.stderr))]
    Handshake {
        /// Name of the server in the hub.
        server: String,
        /// What happened.
        reason: String,
        /// The newest lines the server wrote to standard error; empty when there are none.
        stderr: String,
        /// The cause in the SDK.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// A time limit passed.
    #[error("MCP server `{server}`: {operation}{} took longer than {limit:?}{}; raise the limit or ask for less", Named(.tool), LastWords(.stderr))]
    Timeout {
        /// Name of the server in the hub.
        server: String,
        /// The tool that was called; `None` for other operations.
        tool: Option<String>,
        /// What took too long.
        operation: Operation,
        /// The limit that passed.
        limit: Duration,
        /// The newest lines the server wrote to standard error; empty when there are none.
        stderr: String,
    },
    /// The connection is closed, or the server died.
    #[error("MCP server `{server}`: {reason}{}{}; connect again", Named(.tool), LastWords(.stderr))]
    Closed {
        /// Name of the server in the hub.
        server: String,
        /// The tool that was called; `None` for other operations.
        tool: Option<String>,
        /// What is known about the end, such as the exit status.
        reason: String,
        /// The newest lines the server wrote to standard error; empty when there are none.
        stderr: String,
    },
    /// The server answered with a JSON-RPC error, or with something that MCP does not allow.
    #[error("MCP server `{server}`: {operation}{} was refused: {reason}", Named(.tool))]
    Protocol {
        /// Name of the server in the hub.
        server: String,
        /// The tool that was called; `None` for other operations.
        tool: Option<String>,
        /// What was asked.
        operation: Operation,
        /// JSON-RPC error code, when the server sent one.
        code: Option<i32>,
        /// What the server said, or what is wrong with its answer.
        reason: String,
    },
    /// The tool itself reported an error.
    #[error("MCP tool `{tool}` of server `{server}` failed: {message}")]
    Tool {
        /// Name of the server in the hub.
        server: String,
        /// The tool that was called.
        tool: String,
        /// The tool's own words, untrusted.
        message: String,
    },
    /// A result is larger than the limit.
    #[error(
        "MCP tool `{tool}` of server `{server}` returned {bytes} bytes or more, above the limit of {limit}; ask for a smaller page or raise the limit"
    )]
    TooLarge {
        /// Name of the server in the hub.
        server: String,
        /// The tool that was called.
        tool: String,
        /// Size of the result in bytes of JSON, as far as it was read.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A resource is larger than the limit.
    #[error(
        "the resource {uri:?} of MCP server `{server}` has {bytes} bytes or more, above the limit of {limit}; raise the limit"
    )]
    ResourceTooLarge {
        /// Name of the server in the hub.
        server: String,
        /// Address of the resource.
        uri: String,
        /// Its size in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A result holds no JSON where JSON was expected.
    #[error(
        "MCP tool `{tool}` of server `{server}` returned no JSON, neither as structured content nor as text ({source}): {excerpt:?}"
    )]
    NotJson {
        /// Name of the server in the hub.
        server: String,
        /// The tool that was called.
        tool: String,
        /// The beginning of the text, at most 200 characters, untrusted.
        excerpt: String,
        /// Where parsing stopped.
        source: serde_json::Error,
    },
    /// No connected server has a tool of that name.
    #[error("no MCP tool is named `{name}`{}; known tools: {}", Similar(.known, .name), Listed(.known))]
    UnknownTool {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The server wants the user to sign in, or does not accept the credentials.
    #[error("MCP server `{server}`: it wants the user to sign in: {reason}; give it a valid token or sign in")]
    NeedsAuth {
        /// Name of the server in the hub.
        server: String,
        /// What the server said.
        reason: String,
    },
    /// The policy of the server does not allow the tool.
    #[error("MCP tool `{tool}` of server `{server}` may not be called: {reason}")]
    Refused {
        /// Name of the server in the hub.
        server: String,
        /// The tool that was to be called.
        tool: String,
        /// Which rule forbids it.
        reason: String,
        /// A code of the rule that a program can act on, where there is one.
        code: Option<String>,
    },
    /// The tool is not what it was when it was approved.
    #[error(
        "MCP tool `{tool}` of server `{server}` has changed since it was approved; look at what it says now, then approve it again"
    )]
    ToolChanged {
        /// Name of the server in the hub.
        server: String,
        /// The tool that was to be called.
        tool: String,
    },
    /// A structured result does not fit the schema that the tool promised.
    #[error(
        "MCP tool `{tool}` of server `{server}` returned what it did not promise: {reason}; tell its author, or let the policy report such results"
    )]
    InvalidResult {
        /// Name of the server in the hub.
        server: String,
        /// The tool that was called.
        tool: String,
        /// Where the result does not fit, untrusted.
        reason: String,
    },
    /// The server wants answers of the user before it goes on, and nobody is there to give them.
    #[error(
        "MCP tool `{tool}` of server `{server}` asks the user: {}; call it again with the answers, or give the hub an elicitor",
        Asked(.required)
    )]
    InputRequired {
        /// Name of the server in the hub.
        server: String,
        /// The tool that was called.
        tool: String,
        /// What it asks.
        required: Box<InputRequired>,
    },
    /// No server is connected at all.
    #[error("no MCP server is connected: {}", Listed(.reasons))]
    NoServer {
        /// For each server its name and why it is not connected.
        reasons: Vec<String>,
    },
}

impl McpError {
    /// The kind.
    pub fn kind(&self) -> McpErrorKind {
        match self {
            Self::Configuration { .. } => McpErrorKind::Configuration,
            Self::Spawn { .. } | Self::Handshake { .. } => McpErrorKind::Connect,
            Self::Timeout { .. } => McpErrorKind::Timeout,
            Self::Closed { .. } => McpErrorKind::Closed,
            Self::Protocol { .. } => McpErrorKind::Protocol,
            Self::Tool { .. } => McpErrorKind::Tool,
            Self::TooLarge { .. } | Self::ResourceTooLarge { .. } => McpErrorKind::TooLarge,
            Self::NotJson { .. } => McpErrorKind::NotJson,
            Self::UnknownTool { .. } => McpErrorKind::UnknownTool,
            Self::NoServer { .. } => McpErrorKind::NoServer,
            Self::NeedsAuth { .. } => McpErrorKind::NeedsAuth,
            Self::Refused { .. } => McpErrorKind::Refused,
            Self::ToolChanged { .. } => McpErrorKind::ToolChanged,
            Self::InvalidResult { .. } => McpErrorKind::InvalidResult,
            Self::InputRequired { .. } => McpErrorKind::InputRequired,
        }
    }

    /// Whether the same request may succeed when it is made again, on a new connection if need be.
    ///
    /// The hub itself never repeats a tool call, because a tool may have side effects.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind(), McpErrorKind::Connect | McpErrorKind::Timeout | McpErrorKind::Closed)
    }

    /// Whether a time limit passed.
    pub fn is_timeout(&self) -> bool {
        self.kind() == McpErrorKind::Timeout
    }

    /// Whether the connection is gone, so that further calls on it are pointless.
    pub fn is_closed(&self) -> bool {
        self.kind() == McpErrorKind::Closed
    }

    /// Name of the server in the hub, where one is concerned.
    pub fn server(&self) -> Option<&str> {
        match self {
            Self::Configuration { server, .. }
            | Self::Spawn { server, .. }
            | Self::Handshake { server, .. }
            | Self::Timeout { server, .. }
            | Self::Closed { server, .. }
            | Self::Protocol { server, .. }
            | Self::Tool { server, .. }
            | Self::TooLarge { server, .. }
            | Self::NotJson { server, .. }
            | Self::ResourceTooLarge { server, .. }
            | Self::NeedsAuth { server, .. }
            | Self::Refused { server, .. }
            | Self::ToolChanged { server, .. }
            | Self::InvalidResult { server, .. }
            | Self::InputRequired { server, .. } => Some(server),
            Self::UnknownTool { .. } | Self::NoServer { .. } => None,
        }
    }

    /// Name of the tool, where one is concerned.
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Timeout { tool, .. } | Self::Closed { tool, .. } | Self::Protocol { tool, .. } => tool.as_deref(),
            Self::Tool { tool, .. }
            | Self::TooLarge { tool, .. }
            | Self::NotJson { tool, .. }
            | Self::Refused { tool, .. }
            | Self::ToolChanged { tool, .. }
            | Self::InvalidResult { tool, .. }
            | Self::InputRequired { tool, .. } => Some(tool),
            Self::UnknownTool { name, .. } => Some(name),
            Self::Configuration { .. }
            | Self::Spawn { .. }
            | Self::Handshake { .. }
            | Self::NeedsAuth { .. }
            | Self::ResourceTooLarge { .. }
            | Self::NoServer { .. } => None,
        }
    }
}

struct Named<'a>(&'a Option<String>);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(tool) => write!(f, " (tool `{tool}`)"),
            None => Ok(()),
        }
    }
}

struct LastWords<'a>(&'a str);

impl fmt::Display for LastWords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(f, "{LAST_WORDS}{})", self.0.trim_end())
    }
}

/// What stands before the last words of a server.
const LAST_WORDS: &str = " (its standard error ends with: ";

/// The text of an error without what its server wrote to standard error, for where that must not be shown or kept.
///
/// ```
/// use research_mcp::{McpError, without_last_words};
///
/// let error = McpError::Closed {
///     server: "events".into(),
///     tool: None,
///     reason: "the server was killed".into(),
///     stderr: "cannot open /home/ada/events.db (locked)".into(),
/// };
/// assert_eq!(without_last_words(&error.to_string()), "MCP server `events`: the server was killed; connect again");
/// ```
pub fn without_last_words(text: &str) -> String {
    let Some((before, words)) = text.split_once(LAST_WORDS) else { return text.to_owned() };
    let (_, after) = words.rsplit_once(')').unwrap_or_default();
    format!("{before}{after}")
}

struct Asked<'a>(&'a InputRequired);

impl fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, question) in self.0.questions.values().enumerate() {
            write!(f, "{}{:?}", if index == 0 { "" } else { ", " }, question.message)?;
        }
        Ok(())
    }
}

struct Listed<'a>(&'a [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        f.write_str(&self.0.join(", "))
    }
}

struct Similar<'a>(&'a [String], &'a str);

impl fmt::Display for Similar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let best = self
            .0
            .iter()
            .map(|known| (strsim::jaro_winkler(&known.to_lowercase(), &self.1.to_lowercase()), known))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        match best {
            Some((score, known)) if score >= SIMILAR => write!(f, " (did you mean `{known}`?)"),
            _ => Ok(()),
        }
    }
}

/// From this Jaro-Winkler similarity (0 to 1) on a name is offered as what the caller may have meant.
const SIMILAR: f64 = 0.84;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_tool_names_the_nearest_one() {
        let error = McpError::UnknownTool {
            name: "analyse_events".into(),
            known: vec!["analyze_events".into(), "search".into()],
        };
        let text = error.to_string();
        assert!(text.contains("did you mean `analyze_events`?"), "{text}");
        assert!(text.ends_with("analyze_events, search"), "{text}");
        assert!(!error.is_retryable());
    }

    #[test]
    fn a_dead_server_is_named_with_its_last_words() {
        let error = McpError::Closed {
            server: "events".into(),
            tool: Some("search".into()),
            reason: "the server ended with exit status: 3".into(),
            stderr: "out of memory\n".into(),
        };
        let text = error.to_string();
        assert!(text.contains("`events`") && text.contains("`search`") && text.contains("out of memory"), "{text}");
        assert!(error.is_retryable() && error.is_closed());
        assert_eq!((error.server(), error.tool()), (Some("events"), Some("search")));
    }

    #[test]
    fn a_kind_is_written_as_its_name() {
        for kind in [McpErrorKind::Connect, McpErrorKind::NotJson, McpErrorKind::InputRequired, McpErrorKind::TooLarge]
        {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }

    #[test]
    fn the_error_stays_small_enough_to_return_by_value() {
        assert!(size_of::<McpError>() <= 128, "{}", size_of::<McpError>());
    }
}
