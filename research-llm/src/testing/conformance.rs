//! What every provider must do, as a suite that a provider of your own can run.
//!
//! Each case checks one promise over real HTTP on loopback: the server's side is a [`FakeServer`](super::FakeServer) that speaks a
//! [`WireFormat`](super::wire::WireFormat), and it misbehaves as real servers and networks do. A case that fails says which promise was
//! broken and how. It needs a [tokio] runtime with its clock running.
//!
//! ```no_run
//! use std::sync::Arc;
//! use research_llm::ChatModel;
//! use research_llm::testing::EchoModel;
//! use research_llm::testing::conformance::{Setup, Suite};
//! use research_llm::testing::wire::OpenAiChat;
//!
//! # fn my_provider(_: &Setup) -> Arc<dyn ChatModel> { Arc::new(EchoModel::new()) }
//! # async fn run() {
//! // The closure makes a model that talks to `setup.base_url` with `setup.key`, and waits no longer than `setup.patience`.
//! let suite = Suite::new(OpenAiChat::new(), |setup: &Setup| my_provider(setup));
//! let report = suite.run_all().await;
//! assert!(report.is_passed(), "{report}");
//! # }
//! ```

mod cases;
mod report;
mod samples;
mod suite;

pub use cases::cases;
pub use report::{Broken, Report};
pub use suite::{Setup, Suite};
