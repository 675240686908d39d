//! What one call may take that others may not.

use std::time::Duration;

use crate::elicit::Answers;
use crate::fingerprint::Fingerprint;
use crate::policy::Overflow;

/// Settings of one call; what is absent is as the [`Limits`](crate::Limits) of the server say.
///
/// ```
/// use std::time::Duration;
/// use research_mcp::CallOptions;
///
/// let options = CallOptions::new().limit(Duration::from_secs(5)).result_bytes(10_000);
/// assert_eq!(options.total, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallOptions {
    /// How long is waited, counted anew whenever the server reports progress.
    pub limit: Option<Duration>,
    /// How long is waited, however much progress the server reports.
    pub total: Option<Duration>,
    /// Size of the result in bytes of JSON. What is never read at all is as the limits of the server say; see [`Overflow`].
    pub result_bytes: Option<usize>,
    /// What happens to a result that is larger.
    pub overflow: Option<Overflow>,
    /// Answers to what the server asked when the call was made before.
    pub answers: Option<Answers>,
    /// What the caller believes the tool to be. A tool that is listed otherwise when the call is made is not called, whatever the policy
    /// of the server says about changed tools.
    pub pinned: Option<Fingerprint>,
    /// The caller's own word for this call; [`HubEvent::Progress`](crate::HubEvent::Progress) carries it.
    pub label: Option<String>,
}

impl CallOptions {
    /// Everything as the limits of the server say.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long is waited without progress.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Sets how long is waited in all.
    #[must_use]
    pub fn total(mut self, limit: Duration) -> Self {
        self.total = Some(limit);
        self
    }

    /// Sets the size of the result.
    #[must_use]
    pub fn result_bytes(mut self, limit: usize) -> Self {
        self.result_bytes = Some(limit);
        self
    }

    /// Sets what happens to a result that is larger.
    #[must_use]
    pub fn overflow(mut self, overflow: Overflow) -> Self {
        self.overflow = Some(overflow);
        self
    }

    /// Goes on with a call that ended with [`McpError::InputRequired`](crate::McpError::InputRequired).
    #[must_use]
    pub fn answers(mut self, answers: Answers) -> Self {
        self.answers = Some(answers);
        self
    }

    /// Calls the tool only if it still is what it was; else the call fails with
    /// [`McpError::ToolChanged`](crate::McpError::ToolChanged), or with [`McpError::Refused`](crate::McpError::Refused) when it is gone.
    #[must_use]
    pub fn pinned(mut self, fingerprint: Fingerprint) -> Self {
        self.pinned = Some(fingerprint);
        self
    }

    /// Sets the caller's own word for this call.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }
}
