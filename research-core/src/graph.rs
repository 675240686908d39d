//! Graphs: the builder and its handles, the checks, the compiled form, the drawings.

mod builder;
mod check;
mod compiled;
mod draft;
mod draw;
mod plan;
mod problem;
mod source;
mod ways;

pub use builder::Graph;
pub use compiled::CompiledGraph;
pub(crate) use compiled::{Inner, Route, Unresolved};
pub use problem::{BuildError, Problem};
pub use source::{EdgeTarget, Source};
