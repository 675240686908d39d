//! Answers in pieces: the events of a stream, a stream from a whole answer, and a whole answer from a stream.

mod accumulate;
mod event;
mod replay;

pub use accumulate::Accumulated;
pub use event::{EventStream, StreamEvent, ToolCallDelta};
pub use replay::{collect, replay, replay_lazily};
