//! Fetches pages that untrusted text names, without reaching into private networks.
//!
//! A [`Fetcher`] opens `https` addresses of the public network only. Each hop of a redirect is
//! checked like the first address. A host name is resolved once per connection: all of its
//! addresses are checked, and the connection goes to one of the addresses that were checked, so
//! that a name which changes its address between check and connection gains nothing. What else
//! must be reachable, such as `http` or a server on loopback, is named as `HOST:PORT` by the user.
//!
//! Robots files are obeyed, requests to one host are spaced, and time, size (also after
//! decompression) and content types are limited. The text of a page comes back as a
//! [`ReadDocument`](crate::read::ReadDocument).
//!
//! ```no_run
//! use research_agents_sources::fetch::{FetchError, Fetcher};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let fetcher = Fetcher::builder().allow_host("localhost:8080".parse()?).build()?;
//! let page = fetcher.fetch("http://localhost:8080/index.html").await?;
//! println!("{} bytes of text", page.document.text.for_code().len());
//!
//! let refused = fetcher.fetch("http://169.254.169.254/latest/meta-data/").await;
//! assert!(matches!(refused, Err(FetchError::Refused { .. })));
//! # Ok(()) }
//! ```
//!
//! **Architecture Invariant:** every connection of a [`Fetcher`], those for robots files and
//! redirects included, goes through one function that checks its address.

pub(crate) mod error;
pub(crate) mod limits;
pub(crate) mod guard;
pub(crate) mod resolve;
pub(crate) mod transport;
pub(crate) mod unpack;
pub(crate) mod robots;
pub(crate) mod pace;
pub(crate) mod fetcher;

pub use error::{FetchError, RefusedReason};
pub use fetcher::{Fetcher, FetcherBuilder, Page};
pub use guard::{AllowedHost, AllowedHostError, Guard};
pub use limits::FetchLimits;
pub use resolve::{Resolve, SystemResolver};
