//! One server: how it is reached, listed, called and closed.

mod call;
mod child;
mod guard;
mod link;
mod listing;
mod start;
mod stderr;
mod stdio;

pub(crate) use self::link::Connection;
pub(crate) use self::listing::ServerListing;
pub(crate) use self::start::Connector;
pub use self::start::Lifecycle;
pub use self::stdio::StdioServer;
