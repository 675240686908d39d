//! Answers to questions: how they are read from passages, the table that holds them, what is
//! missing, and whether another round follows.

pub(crate) mod story;
pub mod table;
pub mod extract;
pub mod gaps;
pub mod route;
