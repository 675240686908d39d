//! The meaning of a question in terms of the fields of a tool: what is asked, of which records, and
//! what became of each condition that the question states.

pub(crate) mod conditions;
pub(crate) mod lookup;
pub(crate) mod meaning;
pub(crate) mod shape;
