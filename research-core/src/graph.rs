//! Graphs: the builder and its handles, the checks, the compiled form, the drawings.

mod attached;
mod builder;
mod cached;
mod check;
mod compiled;
mod defer;
mod draft;
mod draw;
mod fingerprint;
mod input;
mod plan;
mod policies;
mod problem;
mod source;
mod visits;
mod ways;

pub(crate) use attached::Attached;
pub use builder::Graph;
pub(crate) use cached::{AttachedCache, namespace};
pub use compiled::CompiledGraph;
pub(crate) use compiled::{Inner, Route, Unresolved};
pub(crate) use draw::Drawn;
pub(crate) use input::InputCodec;
pub(crate) use problem::closest;
pub use problem::{BuildError, Problem};
pub use source::{EdgeTarget, Source};
pub use visits::{Visit, Visits};
