//! The meaning of a question in terms of the fields of a tool: what is asked, of which records, and
//! what became of each condition that the question states.

pub(crate) mod conditions;
pub(crate) mod lookup;
pub(crate) mod meaning;
pub(crate) mod shape;

pub use crate::question::reading::conditions::{Condition, Outcome, TextMatch, TextSearch};
pub use crate::question::reading::lookup::{
    Candidate, CandidateMatch, LookedUp, Lookup, Mentions, Searched,
};
pub use crate::question::reading::meaning::{QuestionReading, WordsOfFields};
pub use crate::question::reading::shape::{
    AnswerShape, Course, Having, Measure, Order, OrderBy, Sign, YesNoTest,
};
