//! The state of a run and of its thread.

pub(crate) mod answered;
pub(crate) mod completion;
pub(crate) mod earlier;
pub(crate) mod evidence;
pub(crate) mod filter_notes;
pub(crate) mod gathered;
pub(crate) mod input;
pub(crate) mod model;
pub(crate) mod run_state;
pub(crate) mod thread;
