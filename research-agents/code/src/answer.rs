//! Answers to questions: sentences whose claims are typed and point at lines.

mod claim;
mod report;
mod wording;
mod narrow;
mod draft;
mod subject;
mod candidate;
mod documented;
mod classes;
mod compute;

pub use self::claim::{Claim, CountOf, Hop, SpanId};
pub use self::compute::{answer, answer_in};
pub use self::report::{Answer, LedgerSummary, Outcome, Sentence};
pub(crate) use self::wording::{squashed, wording_problems};
