//! How long and how large an answer may be.

use std::time::Duration;

/// How long a call waits, and how much it reads. Past a time a call fails with
/// [`ModelError::Timeout`](crate::ModelError::Timeout), past a size with
/// [`ModelError::InvalidResponse`](crate::ModelError::InvalidResponse).
///
/// ```
/// use std::time::Duration;
/// use research_llm::http::HttpLimits;
///
/// let limits = HttpLimits::default().idle(Duration::from_secs(20));
/// assert_eq!(limits.connect, Duration::from_secs(10));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpLimits {
    /// Until there is a connection: 10 s unless set. A client that is handed over keeps its own limit.
    pub connect: Duration,
    /// Until a whole answer has been read: 600 s unless set. Streams have [a limit of their own](Self::stream).
    pub whole: Duration,
    /// Until a whole stream has been read: 3,600 s unless set. A server that sends a byte a minute does not go on for ever.
    pub stream: Duration,
    /// Until the first byte of a stream: 180 s unless set.
    pub first_byte: Duration,
    /// Between two bytes of a stream: 60 s unless set.
    pub idle: Duration,
    /// Bytes of a whole answer or of a whole stream: 64 MiB unless set.
    pub max_body: usize,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            whole: Duration::from_secs(600),
            stream: Duration::from_secs(3_600),
            first_byte: Duration::from_secs(180),
            idle: Duration::from_secs(60),
            max_body: 64 << 20,
        }
    }
}

impl HttpLimits {
    /// Sets how long to wait for a connection.
    #[must_use]
    pub fn connect(mut self, limit: Duration) -> Self {
        self.connect = limit;
        self
    }

    /// Sets how long to wait for a whole answer.
    #[must_use]
    pub fn whole(mut self, limit: Duration) -> Self {
        self.whole = limit;
        self
    }

    /// Sets how long to wait for a whole stream.
    #[must_use]
    pub fn stream(mut self, limit: Duration) -> Self {
        self.stream = limit;
        self
    }

    /// Sets how long to wait for the first byte of a stream.
    #[must_use]
    pub fn first_byte(mut self, limit: Duration) -> Self {
        self.first_byte = limit;
        self
    }

    /// Sets how long to wait for the next byte of a stream.
    #[must_use]
    pub fn idle(mut self, limit: Duration) -> Self {
        self.idle = limit;
        self
    }

    /// Sets how many bytes an answer may have.
    #[must_use]
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }
}
