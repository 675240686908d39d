//! The state and the small nodes that most tests share.

use research_core::{CompiledGraph, Graph, Node, State};

/// A state that shows which tasks ran and in which order they folded.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(crate) struct Trail {
    #[reduce(append)]
    pub(crate) seen: Vec<String>,
    #[reduce(add)]
    pub(crate) count: u64,
    /// Plain: one write a step.
    pub(crate) value: u32,
}

/// An update that appends `name`.
pub(crate) fn mark(name: impl Into<String>) -> TrailUpdate {
    Trail::update().seen([name.into()]).count(1)
}

/// Adds a node that appends its own name.
pub(crate) fn step(g: &mut Graph<Trail>, name: &str) -> Node {
    g.node(name, |cx| async move { Ok(mark(cx.node())) })
}

/// Runs the graph on an empty input and gives what was seen.
pub(crate) async fn seen(graph: &CompiledGraph<Trail>) -> Vec<String> {
    graph.run(Trail::update()).await.unwrap().state.seen
}
