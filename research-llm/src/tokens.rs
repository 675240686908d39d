//! Counting tokens: a stated estimate that errs high, and tokenizers where there are any.

mod counter;
mod estimate;
#[cfg(feature = "tokenizer")]
mod tiktoken;

pub use counter::{CountKind, EstimateCounter, TokenCounter, estimate_request};
pub use estimate::estimate;
#[cfg(feature = "tokenizer")]
pub use tiktoken::TiktokenCounter;
