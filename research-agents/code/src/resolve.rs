//! Links between files, resolved when a question is asked: definitions and uses of a name.

pub(crate) mod body;
mod definition;
mod module;
mod level;
mod uses;
mod graph;

pub use self::definition::Definition;
pub(crate) use self::graph::{CallGraph, Edge, Node};
pub use self::level::Level;
pub use self::uses::{Use, Uses, Within};
