//! Limits of fetching one page.

use std::time::Duration;

use crate::read::ReadLimits;

/// Limits of fetching one page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FetchLimits {
    /// Maximum time for the page with its redirects. Defaults to 30 seconds.
    pub time: Duration,
    /// Maximum time to connect. Defaults to 10 seconds.
    pub connect: Duration,
    /// Maximum size in bytes, both as it comes and decompressed. Defaults to 10 MiB.
    pub size: usize,
    /// Maximum number of redirects. Defaults to 3.
    pub redirects: usize,
    /// Minimum time between two requests to one host. Defaults to 500 ms.
    pub pace: Duration,
    /// Limits of reading the page.
    pub read: ReadLimits,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            connect: Duration::from_secs(10),
            size: 10 << 20,
            redirects: 3,
            pace: Duration::from_millis(500),
            read: ReadLimits::default().time(Duration::from_secs(20)),
        }
    }
}

impl FetchLimits {
    /// Sets the maximum time for a page with its redirects.
    #[must_use]
    pub fn time(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Sets the maximum size in bytes, both as it comes and decompressed.
    #[must_use]
    pub fn size(mut self, bytes: usize) -> Self {
        self.size = bytes;
        self
    }

    /// Sets the maximum number of redirects.
    #[must_use]
    pub fn redirects(mut self, redirects: usize) -> Self {
        self.redirects = redirects;
        self
    }

    /// Sets the minimum time between two requests to one host.
    #[must_use]
    pub fn pace(mut self, pace: Duration) -> Self {
        self.pace = pace;
        self
    }
}
