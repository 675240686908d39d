//! The synthesizer with a counting model: what it asks, what its prompts contain, and what the memo
//! keeps when the model fails.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod calls;
mod cells;
mod content;
mod golden;
mod prompts;
mod runs;
mod summary;
mod support;
