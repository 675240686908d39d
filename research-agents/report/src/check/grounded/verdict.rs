//! The verdict on a sentence, and what it is held against.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::check::grounded::mismatch::Mismatch;
use crate::passage::{Document, Passage};

/// Whether a sentence follows from its passages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grounded {
    /// It follows, as far as the rules see.
    Holds,
    /// Nothing shows that it is false, but the passages do not carry some of its words.
    Unsure {
        /// The words without clear support, as they are written.
        missing: Vec<String>,
    },
    /// It does not follow.
    Fails(Mismatch),
}

impl Grounded {
    /// Returns whether a system that prints at this strictness prints the sentence.
    pub fn is_printed(&self, strictness: Strictness) -> bool {
        match self {
            Self::Holds => true,
            Self::Unsure { .. } => strictness == Strictness::Unsure,
            Self::Fails(_) => false,
        }
    }
}

/// The verdict that a system needs to print a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strictness {
    /// Only sentences that hold.
    #[default]
    Holds,
    /// Also sentences that are unsure.
    Unsure,
}

/// The rules by which a sentence was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rules {
    /// All rules: numbers, names, words, negations, opposites, order, causes and conditions.
    English,
    /// Numbers, names, quotes and the share of common words, for other languages. What is denied or
    /// exchanged is not seen.
    NumbersAndNames,
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grounding {
    /// The verdict.
    pub verdict: Grounded,
    /// The rules that were used.
    pub rules: Rules,
    /// Ids of the passages that carry the sentence, or that come nearest to it.
    pub passages: Vec<String>,
}

/// A passage that a sentence cites, with the part of it that the sentence quotes.
#[derive(Clone, Debug)]
pub struct Cited<'p> {
    /// Id of the passage.
    pub id: &'p str,
    /// Id of its document.
    pub source: &'p str,
    /// Its text.
    pub text: &'p str,
    /// The range of the text that is quoted: only sentences in it carry the claim.
    pub quote: Range<usize>,
    /// The headings above it and the title of the document.
    pub headings: Vec<&'p str>,
}

impl<'p> Cited<'p> {
    /// Cites a whole text without headings.
    pub fn text(id: &'p str, source: &'p str, text: &'p str) -> Self {
        Self {
            id,
            source,
            text,
            quote: 0..text.len(),
            headings: Vec::new(),
        }
    }

    /// Cites a part of a passage.
    pub fn passage(passage: &'p Passage, document: &'p Document, quote: Range<usize>) -> Self {
        let mut headings: Vec<&str> = vec![document.title.for_code()];
        headings.extend(passage.found.section.iter().map(String::as_str));
        Self {
            id: &passage.id,
            source: &passage.source,
            text: passage.text.for_code(),
            quote,
            headings,
        }
    }
}
