//! Time and size limits of a hub.

use std::time::Duration;

/// What a hub allows its servers. Every limit can be changed; none is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Start of the server and handshake. Default 30 s.
    pub connect: Duration,
    /// How long [`Hub::connect`](crate::Hub::connect) waits for slow servers once another one is ready. Default 10 s.
    pub settle: Duration,
    /// The whole listing of a server's tools, over all pages. Default 30 s.
    pub list: Duration,
    /// One tool call, counted anew whenever the server reports progress. Default 60 s.
    pub call: Duration,
    /// One tool call, however much progress the server reports. Default 300 s.
    pub call_total: Duration,
    /// Each stage of closing a server: standard input closed, then TERM, then KILL. Default 2 s.
    pub close: Duration,
    /// Size of one result in bytes of JSON. Default 1 MiB.
    pub result_bytes: usize,
    /// Pages of one listing. Default 100.
    pub list_pages: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            settle: Duration::from_secs(10),
            list: Duration::from_secs(30),
            call: Duration::from_secs(60),
            call_total: Duration::from_secs(300),
            close: Duration::from_secs(2),
            result_bytes: 1 << 20,
            list_pages: 100,
        }
    }
}

impl Limits {
    /// Sets the time for start and handshake.
    #[must_use]
    pub fn connect(mut self, limit: Duration) -> Self {
        self.connect = limit;
        self
    }

    /// Sets how long is waited for slow servers once another one is ready.
    #[must_use]
    pub fn settle(mut self, limit: Duration) -> Self {
        self.settle = limit;
        self
    }

    /// Sets the time for the whole listing of a server's tools.
    #[must_use]
    pub fn list(mut self, limit: Duration) -> Self {
        self.list = limit;
        self
    }

    /// Sets the time for one tool call without progress, and raises the hard limit to it if need be.
    #[must_use]
    pub fn call(mut self, limit: Duration) -> Self {
        self.call = limit;
        self.call_total = self.call_total.max(limit);
        self
    }

    /// Sets the time for each stage of closing.
    #[must_use]
    pub fn close(mut self, limit: Duration) -> Self {
        self.close = limit;
        self
    }

    /// Sets the size of one result in bytes of JSON.
    #[must_use]
    pub fn result_bytes(mut self, limit: usize) -> Self {
        self.result_bytes = limit;
        self
    }
}
