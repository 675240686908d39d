//! A server that is reached over streamable HTTP.

mod address;
mod challenge;
mod client;
mod reopen;
#[cfg(feature = "oauth")]
mod sign_in;
mod tls;
mod words;

mod endpoint;

pub use self::endpoint::HttpServer;

pub(crate) use self::challenge::Challenge;
pub(super) use self::words::{sign_in, status, words};
