//! Where an edge starts and where it leads.

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

/// Where an edge, a join or an entry leads: a [`Node`], [`END`](crate::END), or a node's name.
///
/// Not a [`Task`]: an edge could not give it its input.
#[diagnostic::on_unimplemented(
    message = "an edge cannot lead to `{Self}`",
    label = "not a node without an input, its name, or `END`",
    note = "a task is reached by a route or a command that gives it its input: `.route(from, move |state| task.send(input))`"
)]
pub trait EdgeTarget {
    /// The target.
    #[doc(hidden)]
    fn into_target(self) -> Target;
}

impl EdgeTarget for Node {
    fn into_target(self) -> Target {
        self.into()
    }
}

impl EdgeTarget for &str {
    fn into_target(self) -> Target {
        self.into()
    }
}

impl EdgeTarget for String {
    fn into_target(self) -> Target {
        self.into()
    }
}
