//! The list of tools that may be called, by server.

use std::fmt;
use std::str::FromStr;

use research_mcp::ServerPolicy;
use serde::{Deserialize, Serialize};

/// A pattern of tools of servers. In both names `*` matches any characters, including none.
///
/// Its text form is `SERVER/TOOL`, with the name that the host gave to the server, and the name
/// that the server gave to the tool.
///
/// ```
/// use research_agents_runtime::tools::hub::ToolPattern;
///
/// let pattern: ToolPattern = "files/read_*".parse()?;
/// assert!(pattern.matches("files", "read_text"));
/// assert!(!pattern.matches("mail", "read_text"));
/// assert!("files".parse::<ToolPattern>().is_err(), "which tools?");
/// # Ok::<(), research_agents_runtime::tools::hub::NoToolPattern>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolPattern {
    server: String,
    tool: String,
}

impl ToolPattern {
    /// Creates a pattern from one for servers and one for tools.
    pub fn new(server: impl Into<String>, tool: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
        }
    }

    /// Returns `true` if a tool of a server matches.
    #[must_use]
    pub fn matches(&self, server: &str, tool: &str) -> bool {
        let is = |pattern: &str, name: &str| ServerPolicy::new().allow(pattern).permits(name);
        is(&self.server, server) && is(&self.tool, tool)
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.server, self.tool)
    }
}

/// The error of a string that is not a [`ToolPattern`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` names no tools; write SERVER/TOOL, with `*` for any characters")]
pub struct NoToolPattern(String);

impl FromStr for ToolPattern {
    type Err = NoToolPattern;

    fn from_str(text: &str) -> Result<Self, NoToolPattern> {
        match text.split_once('/') {
            Some((server, tool)) if !server.is_empty() && !tool.is_empty() => {
                Ok(Self::new(server, tool))
            }
            _ => Err(NoToolPattern(text.to_owned())),
        }
    }
}

impl TryFrom<String> for ToolPattern {
    type Error = NoToolPattern;

    fn try_from(text: String) -> Result<Self, NoToolPattern> {
        text.parse()
    }
}

impl From<ToolPattern> for String {
    fn from(pattern: ToolPattern) -> Self {
        pattern.to_string()
    }
}

/// The tools that may be called, by server. An empty list allows nothing.
///
/// ```
/// use research_agents_runtime::tools::hub::AllowList;
///
/// let list = AllowList::new().allow("files", "*").deny("files", "write_*");
/// assert!(list.permits("files", "read_text"));
/// assert!(!list.permits("files", "write_text"), "what is denied is not allowed");
/// assert!(!list.permits("mail", "send"), "nothing else is allowed");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct AllowList {
    /// Tools that may be called.
    pub allow: Vec<ToolPattern>,
    /// Tools that may not be called, even if they are allowed.
    pub deny: Vec<ToolPattern>,
}

impl AllowList {
    /// Creates a list that allows nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows the tools that match a pattern.
    #[must_use]
    pub fn allow(mut self, server: impl Into<String>, tool: impl Into<String>) -> Self {
        self.allow.push(ToolPattern::new(server, tool));
        self
    }

    /// Denies the tools that match a pattern, even if they are allowed.
    #[must_use]
    pub fn deny(mut self, server: impl Into<String>, tool: impl Into<String>) -> Self {
        self.deny.push(ToolPattern::new(server, tool));
        self
    }

    /// Returns `true` if a tool may be called.
    #[must_use]
    pub fn permits(&self, server: &str, tool: &str) -> bool {
        let any =
            |patterns: &[ToolPattern]| patterns.iter().any(|pattern| pattern.matches(server, tool));
        any(&self.allow) && !any(&self.deny)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_allowed_by_default() {
        assert!(!AllowList::new().permits("files", "read"));
        assert!(!AllowList::new().permits("", ""));
        assert!(!AllowList::new().deny("mail", "*").permits("files", "read"));
    }

    #[test]
    fn a_pattern_is_written_as_it_is_read() {
        for text in ["files/read_*", "*/search", "files/a/b"] {
            assert_eq!(text.parse::<ToolPattern>().unwrap().to_string(), text);
        }
        for text in ["", "/", "files/", "/read", "read"] {
            assert_eq!(
                text.parse::<ToolPattern>(),
                Err(NoToolPattern(text.to_owned())),
                "{text}"
            );
        }
        let list: AllowList = serde_json::from_str(r#"{"allow": ["files/*"]}"#).unwrap();
        assert!(list.permits("files", "read") && list.deny.is_empty());
    }

    #[test]
    fn a_server_matches_whole() {
        let list = AllowList::new().allow("files", "read");
        for (server, tool) in [
            ("files2", "read"),
            ("myfiles", "read"),
            ("files", "read2"),
            ("files/read", "read"),
        ] {
            assert!(!list.permits(server, tool), "{server} {tool}");
        }
    }
}
