//! What a hub lets one server do: which of its tools, how many calls at once, what happens when it dies or changes.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::era::Lifecycle;
use crate::limits::Limits;

/// What happens when a server that was connected dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Respawn {
    /// It stays dead until [`Hub::reconnect`](crate::Hub::reconnect).
    Never,
    /// It is started again, after a pause that doubles, unless that happened too often of late.
    #[non_exhaustive]
    OnFailure {
        /// So many times at most …
        max: u32,
        /// … in such a span of time.
        within: Duration,
    },
}

impl Respawn {
    /// Starts again so many times at most in a span of time.
    #[must_use]
    pub const fn on_failure(max: u32, within: Duration) -> Self {
        Self::OnFailure { max, within }
    }
}

impl Default for Respawn {
    /// Three times in a minute.
    fn default() -> Self {
        Self::on_failure(3, Duration::from_secs(60))
    }
}

/// Whether a call whose connection broke is made again. One that cannot have reached its server, because the process had ended
/// before it was written, is made once on the next connection whatever this says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RetryCalls {
    /// Never: it may have had its effect.
    #[default]
    Never,
    /// Once, if the tool calls itself read-only or idempotent. A server may lie about that.
    Safe,
}

/// What happens to a tool that is not what it was when it was approved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangedTools {
    /// Calls of it are refused until it is approved again.
    #[default]
    Refuse,
    /// It is called all the same; the change is an event.
    Allow,
}

/// What happens to a structured result that does not fit the schema which the tool promised. Results are checked with the feature
/// `validate`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InvalidResults {
    /// It is passed on; [`CallOutput::invalid`](crate::CallOutput::invalid) says what is wrong with it.
    #[default]
    Report,
    /// The call fails with [`McpError::InvalidResult`](crate::McpError::InvalidResult).
    Refuse,
}

/// What happens to a result that is larger than allowed.
///
/// However large a result may be, a message of more than four times [`Limits::result_bytes`], or of 4 MiB if that is more, is never
/// read: its call fails with [`McpError::TooLarge`](crate::McpError::TooLarge).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Overflow {
    /// The call fails with [`McpError::TooLarge`](crate::McpError::TooLarge).
    #[default]
    Refuse,
    /// Head and tail of it are passed on as text; the whole is an [artifact](crate::CallOutput::artifact). Without an
    /// [artifact store](crate::HubBuilder::artifacts), and when that does not take it, the call fails as above.
    Keep,
}

/// What a hub lets one server do.
///
/// ```
/// use research_mcp::{RetryCalls, ServerPolicy};
///
/// let policy = ServerPolicy::new().allow("search_*").deny("*_secret").parallel_calls(4).retry(RetryCalls::Safe);
/// assert!(policy.permits("search_events"));
/// assert!(!policy.permits("search_secret"), "what is denied is not allowed");
/// assert!(!policy.permits("delete_events"), "nothing else is allowed once something is");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ServerPolicy {
    /// Its time and size limits; those of the hub when absent.
    #[serde(skip)]
    pub limits: Option<Limits>,
    /// How the connection begins.
    #[serde(skip)]
    pub lifecycle: Lifecycle,
    /// Patterns of the tool names that may be listed and called, with `*` for any characters; all when absent.
    pub allow: Option<Vec<String>>,
    /// Patterns of the tool names that may not, even if they are allowed.
    pub deny: Vec<String>,
    /// Calls in flight at most; further ones wait. At least one.
    pub parallel_calls: usize,
    /// What happens when it dies.
    pub respawn: Respawn,
    /// Whether a call is made again.
    pub retry: RetryCalls,
    /// What happens to a tool that has changed.
    pub changed_tools: ChangedTools,
    /// What happens to a result that does not fit its schema.
    pub invalid_results: InvalidResults,
    /// What happens to a result that is too large.
    pub overflow: Overflow,
}

impl Default for ServerPolicy {
    fn default() -> Self {
        Self {
            limits: None,
            lifecycle: Lifecycle::default(),
            allow: None,
            deny: Vec::new(),
            parallel_calls: 64,
            respawn: Respawn::default(),
            retry: RetryCalls::default(),
            changed_tools: ChangedTools::default(),
            invalid_results: InvalidResults::default(),
            overflow: Overflow::default(),
        }
    }
}

impl ServerPolicy {
    /// Every tool, 64 calls at once, three new starts in a minute, no call made again, no changed tool called.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits of this server.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Sets how the connection begins.
    #[must_use]
    pub fn lifecycle(mut self, lifecycle: Lifecycle) -> Self {
        self.lifecycle = lifecycle;
        self
    }

    /// Allows the tools whose names match a pattern, and from now on no others.
    #[must_use]
    pub fn allow(mut self, pattern: impl Into<String>) -> Self {
        self.allow.get_or_insert_default().push(pattern.into());
        self
    }

    /// Denies the tools whose names match a pattern.
    #[must_use]
    pub fn deny(mut self, pattern: impl Into<String>) -> Self {
        self.deny.push(pattern.into());
        self
    }

    /// Sets how many calls may be in flight.
    #[must_use]
    pub fn parallel_calls(mut self, calls: usize) -> Self {
        self.parallel_calls = calls.max(1);
        self
    }

    /// Sets what happens when the server dies.
    #[must_use]
    pub fn respawn(mut self, respawn: Respawn) -> Self {
        self.respawn = respawn;
        self
    }

    /// Sets whether a call is made again.
    #[must_use]
    pub fn retry(mut self, retry: RetryCalls) -> Self {
        self.retry = retry;
        self
    }

    /// Sets what happens to a tool that has changed.
    #[must_use]
    pub fn changed_tools(mut self, changed: ChangedTools) -> Self {
        self.changed_tools = changed;
        self
    }

    /// Sets what happens to a result that does not fit its schema.
    #[must_use]
    pub fn invalid_results(mut self, invalid: InvalidResults) -> Self {
        self.invalid_results = invalid;
        self
    }

    /// Sets what happens to a result that is too large.
    #[must_use]
    pub fn overflow(mut self, overflow: Overflow) -> Self {
        self.overflow = overflow;
        self
    }

    /// Whether a tool of this name may be listed and called.
    #[must_use]
    pub fn permits(&self, tool: &str) -> bool {
        let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, tool));
        self.allow.as_deref().is_none_or(any) && !any(&self.deny)
    }
}

/// Whether a name matches a pattern in which `*` stands for any characters, none included.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    // `split` yields at least one part: the one after the last star, which must stand at the end.
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match name.find(part) {
            Some(at) => name = &name[at + part.len()..],
            None => return false,
        }
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*", "anything", true),
            ("a*", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "abcd", false),
            ("a*a", "a", false),
            ("*b*d*", "abcde", true),
            ("*d*b*", "abcde", false),
            ("abc", "abcd", false),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
