//! An HTTP server on loopback that answers as it is told, or misbehaves byte by byte.

mod answer;
mod connection;
mod fake;
mod received;
mod shared;

pub use answer::{Answer, Ending};
pub use fake::FakeServer;
pub use received::Received;
