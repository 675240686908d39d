//! Runs of a research system: options, stream, outcome, threads, replay and sessions, over the
//! [`System`] trait.
//!
//! A system that is a graph over the [`Kit`](crate::job::Kit) implements [`Workflow`], and
//! [`RunState`] for the state of its graph; [`run_state!`](crate::run_state) writes the latter for
//! a state with the conventional fields. A system that needs further resources, events or an
//! outcome type implements [`System`]. It then has:
//!
//! | type | purpose |
//! |---|---|
//! | [`Run`] | one run: await it, or read its [stream](RunStream) of events |
//! | [`Session`] | start, status, resume, approve, stop, steer, fork and follow up, by thread |
//! | [`Replay`] | replays a recorded run, without a model and without tools |
//! | [`verify`] | checks everything in a bundle |
//!
//! `examples/survey_system/survey.rs` is a whole system in 150 lines.

pub(crate) mod state;
pub(crate) mod status;
pub(crate) mod system;
pub(crate) mod node;
pub(crate) mod options;
pub(crate) mod start;
pub(crate) mod export;
pub(crate) mod stream;
pub(crate) mod replay;
pub(crate) mod session;
pub(crate) mod workflow;
pub(crate) mod run_state;

pub use export::{bundle, verify};
pub use node::NodeJob;
pub use options::Run;
pub use replay::{Replay, replay};
pub use session::{Resume, RunHandle, Session, SessionError};
pub use state::{Beginning, QuestionInput, RunInput, RunState};
pub use status::RunStatus;
pub use stream::RunStream;
pub use system::{Ended, System};
pub use workflow::{Hosted, Workflow};

#[doc(hidden)]
pub use research_agents_report::document::Report;
