//! The event log of a run: its entries, who writes them, and who reads them.

mod child;
mod emit;
mod entry;
mod json;
mod kind;
mod log;
mod modes;
mod options;
mod payload;
mod queue;
mod reader;
mod sink;

pub use entry::{Event, EventTask, TaskTag};
pub use kind::{EventKind, TaskSource};
pub use modes::Modes;
pub use options::{SlowReader, StreamOptions};
pub use payload::{Custom, Erased};
pub use reader::{LogReader, RunLog};

pub(crate) use child::{ChildLog, child_sink};
pub(crate) use emit::Emit;
pub(crate) use log::EventLog;
pub(crate) use payload::Emitted;
pub(crate) use sink::Sink;
