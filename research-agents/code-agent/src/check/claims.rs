//! Facts: sentences that code has computed and checked again, which may state counts.

use serde::{Deserialize, Serialize};

use crate::answer::split;

/// A sentence that code has computed, with the evidence that it rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// The sentence.
    pub text: String,
    /// Ids of its evidence.
    pub evidence: Vec<String>,
    /// Index of the computed answer, and of the sentence in it.
    pub origin: (usize, usize),
    /// Why it no longer holds; `None` if it does, or was not checked yet.
    pub problem: Option<String>,
}

impl Fact {
    /// Returns whether a sentence says the same, or is one of its sentences, word for word.
    pub fn says(&self, sentence: &str) -> bool {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let said = words(sentence);
        words(&self.text) == said
            || split(&self.text)
                .iter()
                .any(|part| words(&part.text) == said)
    }
}
