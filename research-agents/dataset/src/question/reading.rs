//! The meaning of a question in terms of the fields of a tool: what is asked, of which records, and
//! what became of each condition that the question states.

pub use crate::data::task::question::conditions::{Condition, Outcome, TextMatch, TextSearch};
pub use crate::data::task::question::lookup::{
    Candidate, CandidateMatch, LookedUp, Lookup, Mentions, Searched, Supposed,
};
pub use crate::data::task::question::meaning::{QuestionReading, WordsOfFields};
pub use crate::data::task::question::shape::{
    AnswerShape, Course, Having, Measure, Order, OrderBy, Sign, YesNoTest,
};
