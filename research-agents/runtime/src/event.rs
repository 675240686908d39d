//! Events of a run: the vocabulary that all systems share, and their time stamps.

pub(crate) mod clock;
pub(crate) mod note;
pub(crate) mod progress;
pub(crate) mod told_once;
pub(crate) mod vocabulary;

pub use clock::rfc3339;
pub use note::{Note, clause};
pub use progress::ToolProgress;
pub use told_once::ReportedOnce;
pub use vocabulary::{
    ClaimQuote, ClaimStatus, ConflictSide, Event, EventKind, NoEvent, RunEvent, RunStats,
    SourceCard, timeless,
};
