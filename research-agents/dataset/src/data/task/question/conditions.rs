//! The conditions that a question states, and what became of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A search in the texts of the records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextSearch {
    /// The words that are searched for.
    pub text: String,
    /// The fields that are searched; all text fields if empty.
    #[serde(default)]
    pub fields: Vec<String>,
    /// How the words must occur.
    #[serde(default, rename = "match")]
    pub matching: TextMatch,
    /// Whether other forms of the words do not count.
    #[serde(default)]
    pub exact: bool,
}

/// How searched words must occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextMatch {
    /// All words, next to each other and in order.
    Phrase,
    /// All words, anywhere.
    #[default]
    All,
    /// One of the words.
    Any,
}

/// A condition of the question: a number, a name, a comparison, a negation, a missing value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// The words of the question.
    pub said: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It holds for the answer.
    Applied {
        /// The field that it restricts; empty for a search in all texts.
        field: String,
    },
    /// It is understood in part, or not at all, and does not hold for the answer.
    NotApplied {
        /// The reason, as a clause.
        why: String,
    },
    /// It fits several fields, of which the first one is taken.
    Ambiguous {
        /// The fields.
        fields: Vec<String>,
    },
}

impl Condition {
    /// Returns whether the condition holds for the answer.
    pub fn is_applied(&self) -> bool {
        !matches!(self.outcome, Outcome::NotApplied { .. })
    }
}
