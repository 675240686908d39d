//! Answers to questions: the table that holds them, and how they are read from passages.

pub mod table;
pub mod extract;
