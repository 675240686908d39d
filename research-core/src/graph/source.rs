//! Where an edge starts.

use crate::command::Target;
use crate::handle::{Node, Task};

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
