//! Typed handles of nodes.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::command::{Sent, Target};
use crate::node::TaskInput;

/// Position that stands for [`END`].
pub(crate) const END_INDEX: u32 = u32::MAX;

/// The end of a graph, as a target. A run ends when nothing is due any more.
pub const END: Node = Node { graph: 0, index: END_INDEX };

/// A node of a graph, as [`Graph::node`](crate::Graph::node) returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The graph it belongs to; 0 for [`END`], which belongs to every graph.
    pub(crate) graph: u32,
    pub(crate) index: u32,
}

/// A node that takes its own input of type `I`, as [`Graph::task`](crate::Graph::task) returns it.
///
/// It is reached by [`send`](Task::send) only: an edge could not give it its input.
pub struct Task<I> {
    pub(crate) node: Node,
    input: PhantomData<fn(I)>,
}

impl<I> Task<I> {
    pub(crate) const fn new(node: Node) -> Self {
        Self { node, input: PhantomData }
    }

    /// The node without its input type, for [`Graph::route_to`](crate::Graph::route_to) and lists of mixed handles.
    #[must_use]
    pub const fn node(self) -> Node {
        self.node
    }
}

impl<I: TaskInput> Task<I> {
    /// A task of this node with this input, to be returned by a route or a command.
    ///
    /// ```compile_fail
    /// use research_core::{Cx, Graph, NodeError, State};
    /// #[derive(Clone, Default, State)]
    /// struct S {}
    /// let mut g = Graph::<S>::new("g");
    /// let count = g.task("count", |_cx: Cx<S>, _n: u32| async { Ok(()) });
    /// count.send("not a number");
    /// ```
    #[must_use]
    pub fn send(self, input: I) -> Sent {
        Sent { node: self.node, input: Arc::new(input) }
    }
}

impl<I> Clone for Task<I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I> Copy for Task<I> {}

impl<I> fmt::Debug for Task<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.node, f)
    }
}

/// Where an edge, a join or a route starts: a [`Node`], a [`Task`], or a node's name.
#[derive(Clone, Debug)]
pub struct Source(pub(crate) Target);

impl From<Node> for Source {
    fn from(node: Node) -> Self {
        Self(node.into())
    }
}

impl<I> From<Task<I>> for Source {
    fn from(task: Task<I>) -> Self {
        Self(task.node.into())
    }
}

impl From<&str> for Source {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl From<String> for Source {
    fn from(name: String) -> Self {
        Self(name.into())
    }
}
