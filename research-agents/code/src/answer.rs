//! Answers to questions: sentences whose claims are typed and point at lines.

mod claim;
mod report;
mod draft;
mod subject;
mod classes;
mod compute;

pub use self::claim::{Claim, CountOf, Hop, SpanId};
pub use self::compute::{answer, answer_in};
pub use self::report::{Answer, LedgerSummary, Outcome, Sentence};
