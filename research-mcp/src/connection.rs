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
mod subscribed;
mod subscriptions;
mod walk;
mod watched;
mod words;
mod writes;

#[cfg(feature = "http")]
pub use self::http::HttpServer;
pub use self::stdio::StdioServer;

pub(crate) use self::client::{Notice, Outbox, inbox};
#[cfg(feature = "server")]
pub(crate) use self::guard::IdScanner;
pub(crate) use self::link::{Connection, Rules};
pub(crate) use self::listing::ServerListing;
pub(crate) use self::start::{ConnectContext, Connector};
