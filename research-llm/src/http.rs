//! The transport of the providers: one place for keys, limits, proxies and the errors of HTTP.

mod address;
mod body;
mod builder;
mod client;
mod headers;
mod limits;
mod retry_after;
mod secrets;
mod tls;

pub use limits::HttpLimits;

pub(crate) use builder::{HttpBuilder, KeyScheme};
pub(crate) use client::{EventSource, Http, Reply};
#[cfg(feature = "genai")]
pub(crate) use retry_after::retry_after;
