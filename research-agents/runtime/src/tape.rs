//! The tape: the exchanges of a task with the outside world, recorded so that the run can be
//! replayed.
//!
//! | type | purpose |
//! |---|---|
//! | [`TaskTape`] | records the effects of one task, or provides them in a replay |
//! | [`Track`] | the exchanges of one effect while it is under way |
//! | [`Effect`], [`Exchange`] | what is recorded, as data |
//! | [`Recording`] | the effects of a whole run, found again by a replay |

pub(crate) mod digest;
pub(crate) mod exchange;
pub(crate) mod fault;
pub(crate) mod scrub;
pub(crate) mod task;
pub(crate) mod track;

pub use digest::{DIGITS, canonical, digest_of, sha256};
pub use exchange::{Effect, Exchange, Outcome, ToolQuestion};
pub use fault::ToolFault;
pub use task::{Mark, Recording, Tape, TaskRecord, TaskTape};
pub use track::Track;
