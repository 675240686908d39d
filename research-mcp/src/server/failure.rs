//! What goes wrong: in a tool, with a request, and when a server is built or served.

use std::net::SocketAddr;
use std::{fmt, io};

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, InputRequiredResult};
use serde_json::{Value, json};
use thiserror::Error;

use super::capability::Capability;
use super::reply::ToolReply;

/// Why a tool call has no result of the ordinary kind.
///
/// The two kinds reach different readers. A *report* is a result: the model that called reads it and can do better. A *refusal* is
/// an error of the protocol: the client's program sees it, and most models never do.
///
/// Every [`std::error::Error`] becomes a report of its message by `?`, and so the message should be fit to be shown.
///
/// ```
/// use research_mcp::server::{Refusal, ToolFailure};
///
/// fn parse(text: &str) -> Result<u32, ToolFailure> {
///     Ok(text.parse()?)
/// }
///
/// assert!(matches!(parse("many"), Err(ToolFailure::Reported(reply)) if reply.to_string() == "invalid digit found in string"));
/// assert!(matches!(ToolFailure::from(Refusal::invalid_params("no")), ToolFailure::Refused(_)));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolFailure {
    /// The tool ran and says what went wrong: a result that is marked as an error.
    Reported(ToolReply),
    /// The request cannot be served, or not yet.
    Refused(Refusal),
}

impl ToolFailure {
    /// A report in words.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Reported(ToolReply::text(message))
    }
}

impl From<Refusal> for ToolFailure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl<E: std::error::Error> From<E> for ToolFailure {
    fn from(error: E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let cause_message = cause.to_string();
            if !message.contains(&cause_message) {
                message.push_str(": ");
                message.push_str(&cause_message);
            }
            source = cause.source();
        }
        Self::new(message)
    }
}

/// Why a request has no result: an error of the protocol, or that the client must answer something first, which
/// [`Caller::ask`](super::Caller::ask) says.
pub struct Refusal(pub(super) Kind);

pub(super) enum Kind {
    Error(ErrorData),
    Input(Box<InputRequiredResult>),
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Error(error) => f.debug_tuple("Refusal").field(error).finish(),
            Kind::Input(_) => f.write_str("Refusal(input required)"),
        }
    }
}

impl Refusal {
    /// The request names something that is not there, or has parameters that make no sense.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::error(ErrorData::invalid_params(message.into(), None))
    }

    /// The server failed.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::error(ErrorData::internal_error(message.into(), None))
    }

    /// There is no resource at this address.
    pub fn resource_not_found(uri: impl Into<String>) -> Self {
        let uri = uri.into();
        Self::error(ErrorData::resource_not_found(format!("there is no resource `{uri}`"), Some(json!({"uri": uri}))))
    }

    /// The request needs something that the client does not offer.
    pub fn missing_capability(capability: Capability) -> Self {
        Self::error(ErrorData::missing_required_client_capability(capability.declared()))
    }

    /// An error with a code of one's own, outside of -32768 to -32000, which JSON-RPC keeps for itself.
    pub fn custom(code: i32, message: impl Into<String>, data: Option<Value>) -> Self {
        Self::error(ErrorData::new(ErrorCode(code), message.into(), data))
    }

    pub(super) fn error(error: ErrorData) -> Self {
        Self(Kind::Error(error))
    }

    pub(super) fn input(wanted: InputRequiredResult) -> Self {
        Self(Kind::Input(Box::new(wanted)))
    }
}

/// Why a server cannot be built or served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// What it offers does not fit together.
    #[error("the server `{server}` cannot be built: {}", problems.join("; "))]
    #[non_exhaustive]
    Invalid {
        /// Name of the server.
        server: String,
        /// All that is wrong, each with what to do about it.
        problems: Vec<String>,
    },
    /// It was asked to listen where other machines can reach it.
    #[error(
        "`{address}` can be reached from other machines; bind 127.0.0.1, or allow it with `HttpListen::allow_remote` together with a \
         token (`HttpListen::bearer`)"
    )]
    #[non_exhaustive]
    Exposed {
        /// The address.
        address: SocketAddr,
    },
    /// It cannot listen there.
    #[error("cannot listen on `{address}`: {source}; choose another port, or 0 for a free one")]
    #[non_exhaustive]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The client did not begin as MCP wants it.
    #[error("the client did not complete the MCP handshake: {reason}; check that it is an MCP client")]
    #[non_exhaustive]
    Handshake {
        /// What happened.
        reason: String,
    },
    /// The client sent a line without an end.
    #[error("the client sent a line of more than 16 MiB, and the session was ended; check that it is an MCP client")]
    Endless,
}
