//! The tracing spans of a run and of its steps.

use tracing::Span;
use tracing::level_filters::LevelFilter;

/// Whether anybody may want a span: one load, where making a span that nobody wants is several.
pub(crate) fn are_wanted() -> bool {
    LevelFilter::current() >= LevelFilter::INFO
}

/// The span of a run of a graph; that of a subgraph stands inside that of its task.
pub(crate) fn run(graph: &str, run_id: &str, thread: Option<&str>, namespace: &str) -> Span {
    tracing::info_span!(target: "research_core", "run", graph, run_id, thread, namespace)
}

/// The span of a step, inside that of its run.
pub(crate) fn step(step: u64, tasks: usize) -> Span {
    tracing::info_span!(target: "research_core", "step", step, tasks)
}
