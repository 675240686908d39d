//! A client of language servers: witnesses that can be asked, and never the source of a count.
//!
//! A host names the programs, each by an absolute path outside of the code base. A server is
//! started when it is first asked, restarted after it died, and stopped when it was not asked for
//! five minutes. What it answers is checked: only places in listed files of the scope are used.

mod spec;
mod error;
mod position;
mod frames;
mod client;
mod servers;

pub use self::error::LspError;
pub use self::position::Encoding;
#[cfg(feature = "server")]
pub(crate) use self::servers::decoded;
pub use self::servers::{Asked, LspPlace, Servers};
pub use self::spec::{ServerSpec, SpecError};
