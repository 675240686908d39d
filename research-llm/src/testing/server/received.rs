//! A request as the server got it.

use serde_json::Value;

/// A request that a [`FakeServer`](super::FakeServer) got.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// The method, such as `POST`.
    pub method: String,
    /// Path and query, such as `/v1/messages`.
    pub path: String,
    /// The headers as they came, in their order.
    pub headers: Vec<(String, String)>,
    /// The body, without its framing.
    pub body: Vec<u8>,
    /// Whether the client closed the connection before it had the whole answer.
    pub left: bool,
}

impl Received {
    /// The first header of this name, in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The body as JSON, if it is some.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }
}
