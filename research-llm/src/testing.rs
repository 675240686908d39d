//! Models and servers for tests: prepared, failing, slow and gullible ones, and a suite that every provider passes.
//!
//! * [`ScriptedModel`]: prepared answers with a record of every call. [`EchoModel`]: says the last message again.
//! * [`FailingModel`] and [`SlowModel`]: put trouble before a model. [`GullibleModel`]: obeys whatever it reads, to
//!   measure whether an agent contains what it is talked into.
//! * [`FakeServer`]: an HTTP server on loopback that answers as it is told, or misbehaves byte by byte.
//! * [`wire`]: the server's side of the providers' wire formats. [`conformance`]: what a provider must do over them.

pub mod conformance;
mod echo;
mod failing;
mod gullible;
mod prefix;
mod reply;
mod scripted;
mod server;
mod slow;
pub mod wire;

pub use echo::EchoModel;
pub use failing::FailingModel;
pub use gullible::GullibleModel;
pub use prefix::assert_stable_prefix;
pub use reply::Reply;
pub use scripted::ScriptedModel;
pub use server::{Answer, Ending, FakeServer, Received};
pub use slow::SlowModel;
