//! Tool calls: the one gate, and calls whose tool asks the user in between.

pub(crate) mod gate;
pub(crate) mod interactive;

pub use gate::{ToolAnswer, Tools};
