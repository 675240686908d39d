//! Typed handles of nodes, and tasks on their way to one.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

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

/// Tells whether two graphs are alike for a thread that moves from one to the other.
///
/// It depends on the names of the nodes, which of them take an input or are deferred, the edges, joins, entries and declared
/// targets, and the fields of the state with their reducers and flags. It does not depend on the name of the graph, on the
/// order of declaration, on the process or on the platform. What nodes and routes do is not part of it.
///
/// Shown as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub(crate) u64);

impl Fingerprint {
    /// The number itself.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
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

impl<I: Send + Sync + 'static> Task<I> {
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

/// The input of a [`Task`](crate::Task). It can be cloned and serialized, so that a pending send can be kept.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the input of a task",
    label = "not a task input",
    note = "derive `Clone`, `serde::Serialize` and `serde::Deserialize` for it"
)]
pub trait TaskInput: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static> TaskInput for T {}

/// The input of a task on its way: shared, so that a pending send can be kept and repeated.
pub(crate) type Input = Arc<dyn Any + Send + Sync>;

/// A task with its own input, made by [`Task::send`](crate::Task::send).
#[derive(Clone)]
pub struct Sent {
    pub(crate) node: Node,
    pub(crate) input: Input,
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sent").field("node", &self.node).finish_non_exhaustive()
    }
}
