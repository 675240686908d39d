//! Memos over time: the program as a user runs it, thirty months of findings, and an incident log day by day.

mod incidents;
mod months;
mod program;
