//! Exact counts for the models whose tokenizer is part of the program.

use std::fmt;

use tiktoken_rs::CoreBPE;

use super::counter::{CountKind, TokenCounter};
use super::estimate;

/// Counts with the tokenizer of one of OpenAI's models, or estimates for every other model.
///
/// ```
/// use research_llm::tokens::{CountKind, TiktokenCounter, TokenCounter};
///
/// let counter = TiktokenCounter::for_model("gpt-4o");
/// assert_eq!((counter.kind(), counter.count("Hello world")), (CountKind::Exact, 2));
/// assert_eq!(TiktokenCounter::for_model("claude-sonnet-4-5").kind(), CountKind::Estimate);
/// ```
#[derive(Clone, Copy)]
pub struct TiktokenCounter {
    tokenizer: Option<&'static CoreBPE>,
}

impl TiktokenCounter {
    /// The counter for a model, as its provider names it. A name that is none of OpenAI's gets an estimating counter;
    /// [`kind`](TokenCounter::kind) says which one it is. The first counter of a tokenizer reads its vocabulary, which
    /// takes some hundred milliseconds.
    #[must_use]
    pub fn for_model(model: &str) -> Self {
        Self { tokenizer: tiktoken_rs::bpe_for_model(model).ok() }
    }
}

impl TokenCounter for TiktokenCounter {
    fn kind(&self) -> CountKind {
        if self.tokenizer.is_some() { CountKind::Exact } else { CountKind::Estimate }
    }

    fn count(&self, text: &str) -> u64 {
        // Text that looks like a special token is text: it comes from people and pages, not from the provider.
        self.tokenizer.map_or_else(|| estimate(text), |tokenizer| tokenizer.encode_ordinary(text).len() as u64)
    }
}

impl fmt::Debug for TiktokenCounter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TiktokenCounter").field("kind", &self.kind()).finish()
    }
}
