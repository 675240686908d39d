//! What a question asks: its class by cue words, and the names in it.

mod class;
mod common;
mod definite;
mod terms;
mod reading;

pub use self::class::QuestionClass;
pub use self::reading::Reading;
pub use self::terms::Term;
