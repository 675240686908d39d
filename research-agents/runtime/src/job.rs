//! A job: one task of a run, with everything it may do outside of the process.
//!
//! A [`Job`] asks the model, calls tools, performs other [effects](Job::outside), asks the user and
//! reads the user's steering, each within the budget and the policy, recorded on the tape, and
//! replayed from there. It runs in a task of the engine or in a [`PlainLoop`], which the trait
//! [`TaskContext`] represents.
//!
//! | type | purpose |
//! |---|---|
//! | [`Job`] | what a node or a sub-agent works with |
//! | [`Kit`] | model, tools, budget and policy of a run, shared by its jobs |
//! | [`NoTools`] | the tools of a system that calls none |
//! | [`Settings`] | limits and policies that a kit is made from |
//! | [`Ask`] | a question to the model |
//! | [`Tools`] | the tools as a job sees them: the only way to call one |
//! | [`ToolDialect`] | how one system describes and adapts tool calls |

pub(crate) mod context;
pub(crate) mod once;
pub(crate) mod source;
pub(crate) mod dialect;
pub(crate) mod kit;
pub(crate) mod task;
pub(crate) mod stop;
pub(crate) mod retry;
pub(crate) mod outside;
pub(crate) mod model;
pub(crate) mod calls;
pub(crate) mod plain_loop;

pub use calls::{ToolAnswer, Tools};
pub use context::TaskContext;
pub use dialect::{Plain, ToolDialect};
pub use kit::absent::NoTools;
pub use kit::{Kit, Settings, Steering};
pub use model::{Ask, Incomplete, ListedPart, Reply};
pub use once::OnceError;
pub use plain_loop::PlainLoop;
pub use retry::{less_may_help, was_retried};
pub use source::{AnsweredQuestions, AskingSource, Called, Turn};
pub use task::{Job, JobDone};
