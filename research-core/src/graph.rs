//! Graphs: the builder and its handles, the checks, the compiled form, the drawings.

mod attach;
mod attached;
mod builder;
mod cached;
mod check;
mod compiled;
mod configure;
mod defaults;
mod defer;
mod draft;
mod draw;
mod fingerprint;
mod input;
mod plan;
mod policies;
mod problem;
mod sketch;
mod source;
mod ways;

pub(crate) use attached::Attached;
pub use builder::Graph;
pub(crate) use cached::{AttachedCache, Computing, Turn, namespace};
pub use compiled::CompiledGraph;
pub(crate) use compiled::{Inner, Route, Unresolved};
pub use defaults::Breakpoints;
pub(crate) use defaults::Defaults;
pub(crate) use problem::closest;
pub use problem::{BuildError, Problem};
pub use sketch::{Visit, Visits};
pub use source::{EdgeTarget, Source};
