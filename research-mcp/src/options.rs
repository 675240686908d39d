//! What one call may take that others may not.

use std::time::Duration;

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
    /// Size of the result in bytes of JSON.
    pub result_bytes: Option<usize>,
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
}
