//! One server: how it is reached, listed, called and closed.

mod call;
mod child;
mod client;
mod guard;
#[cfg(feature = "http")]
mod http;
mod lent;
mod link;
mod listing;
mod mend;
#[cfg(feature = "validate")]
mod promises;
mod prompts;
mod resources;
mod start;
mod stderr;
mod stdio;
mod subscriptions;
mod walk;
mod watched;
mod words;
mod writes;

pub(crate) use self::client::{Notice, Outbox, Said, inbox};
#[cfg(feature = "http")]
pub use self::http::HttpServer;
pub(crate) use self::link::{Connection, Rules};
pub(crate) use self::listing::ServerListing;
pub use self::start::Lifecycle;
pub(crate) use self::start::{ConnectContext, Connector};
pub use self::stdio::StdioServer;
