//! The answer: its sentences with their citations, and the short text that a caller gets.

mod format;
mod plain;
mod sentence;

pub use self::format::{ANSWER_TOKENS, Shown, citations, compose, render_ids, shorten};
pub use self::plain::plain_text;
pub use self::sentence::{Sentence, split};
