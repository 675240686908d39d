//! What draws a graph and knows its nodes, also as a part of another.

use std::sync::Arc;

use super::shape::Sketch;
use super::visits::{Visit, Visits};
use crate::checkpoint::namespace::{nested, segment};

/// A graph of any state, also as a part of another.
pub(crate) trait Drawn: Send + Sync {
    /// The drawing of the graph.
    fn sketch(&self, pen: &Pen<'_>) -> Sketch;

    /// Whether it has a node of this name, or where the path leads.
    fn has_node(&self, path: &str) -> bool;
}

/// How a graph is drawn.
pub(crate) struct Pen<'a> {
    /// What the ids of all shapes begin with: nothing, or the id of the shape that the graph is drawn in.
    pub(in crate::graph) prefix: String,
    /// The names of the nodes that the graph runs in, outermost first.
    pub(in crate::graph) path: Vec<&'a str>,
    /// Graphs that run inside of nodes are drawn there.
    pub(in crate::graph) expanded: bool,
    pub(in crate::graph) visits: Option<&'a Visits>,
}

impl<'a> Pen<'a> {
    pub(in crate::graph) const fn new(expanded: bool, visits: Option<&'a Visits>) -> Self {
        Self { prefix: String::new(), path: Vec::new(), expanded, visits }
    }

    /// The pen for the graph inside of the shape `id`, which is the node `name`.
    pub(in crate::graph) fn inside<'b>(&self, id: &str, name: &'b str) -> Pen<'b>
    where
        'a: 'b,
    {
        let path = self.path.iter().copied().chain([name]).collect();
        Pen { prefix: format!("{id}_"), path, expanded: self.expanded, visits: self.visits }
    }

    pub(in crate::graph) fn visit(&self, visits: &'a Visits, name: &str) -> Option<&'a Visit> {
        let namespace = self.path.iter().fold(Arc::from(""), |outer: Arc<str>, node| nested(&outer, &segment(node)));
        visits.node_of(&namespace, name)
    }
}
