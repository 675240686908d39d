//! An answer as it is returned.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::answer::claim::{Claim, SpanId};
use crate::base::Span;
use crate::ledger::{Class, Ledger};
use crate::question::QuestionClass;
use crate::tree::SkipReason;

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The answer is computed.
    Computed,
    /// What the question is about is not in the code.
    Absent,
    /// No answer was computed; the sentences quote what ranked search finds.
    NotComputed,
}

/// A sentence with what it claims and the lines that show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// The sentence, in Markdown with names in back-ticks.
    pub text: String,
    /// What it claims.
    pub claims: Vec<Claim>,
    /// The lines that show it.
    pub spans: Vec<SpanId>,
}

/// The account of a name: how often it occurs, by class, and what was not searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerSummary {
    /// The name.
    pub name: String,
    /// Number of occurrences. The classes add up to it.
    pub total: usize,
    /// Number of occurrences by class.
    pub classes: BTreeMap<Class, usize>,
    /// Number of files with occurrences.
    pub files: usize,
    /// Number of files that were searched.
    pub searched: usize,
    /// Number of files that were not searched, by reason.
    pub skipped: BTreeMap<SkipReason, usize>,
    /// The account in one sentence.
    pub sentence: String,
}

impl LedgerSummary {
    /// Creates the summary of a ledger.
    pub(crate) fn new(ledger: &Ledger) -> Self {
        Self {
            name: ledger.name.clone(),
            total: ledger.total(),
            classes: ledger.by_class(),
            files: ledger.files.len(),
            searched: ledger.searched,
            skipped: ledger.unread.counts.clone(),
            sentence: ledger.sentence(),
        }
    }
}

/// An answer to a question about a code base.
///
/// The first sentence is the answer, the next ones show and limit it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The question.
    pub question: String,
    /// The scope; empty for the whole code base.
    pub scope: String,
    /// Class of the question.
    pub class: QuestionClass,
    /// What became of it.
    pub outcome: Outcome,
    /// Names that the answer is about, with their qualifiers.
    pub subjects: Vec<String>,
    /// The sentences in order.
    pub sentences: Vec<Sentence>,
    /// The lines that the sentences point at.
    pub spans: Vec<Span>,
    /// Lines of further sites that are counted and not in a sentence.
    pub further: Vec<Span>,
    /// The accounts of the names.
    pub ledgers: Vec<LedgerSummary>,
    /// Names in the code that are like one that is not there, the nearest first.
    pub nearest: Vec<String>,
    /// Whether the caller cancelled, so that something may be missing.
    pub is_cancelled: bool,
}

impl Answer {
    /// Returns the sentences as one text, each followed by its marks `[n]`, where `n` is the number
    /// of a span, counted from 1.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for sentence in &self.sentences {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&sentence.text);
            for span in &sentence.spans {
                text.push_str(&format!(" [{}]", span + 1));
            }
        }
        text
    }
}
