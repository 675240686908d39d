//! What a data source knows about words of a question that its schema does not list.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The results of looking words up at the data source. Without results, nothing was looked up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lookup {
    /// One entry for each text that was looked up.
    pub entries: Vec<LookedUp>,
}

/// What the data source found for one text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LookedUp {
    /// The text as it was asked for.
    pub text: String,
    /// Values that it may be, the best first.
    #[serde(default)]
    pub candidates: Vec<Candidate>,
    /// Fields whose texts contain it.
    #[serde(default)]
    pub mentions: Vec<Mentions>,
    /// What was searched.
    #[serde(default)]
    pub searched: Searched,
    /// Values that words were read as before: no record has them together with the other
    /// conditions of the question.
    #[serde(default)]
    pub taken_back: Vec<Supposed>,
}

/// A value that words were read as although they may mean something else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Supposed {
    /// The words.
    pub said: String,
    /// The field.
    pub field: String,
    /// The value.
    pub value: Value,
}

/// A value that the text may be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The field.
    pub field: String,
    /// The value.
    pub value: Value,
    /// Records with the value.
    #[serde(default)]
    pub doc_count: u64,
    /// How the text is the value.
    #[serde(rename = "match")]
    pub matching: CandidateMatch,
}

/// How the text is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateMatch {
    /// It is the value.
    Exact,
    /// It is the value but for upper and lower case.
    Case,
    /// The value contains its words in order.
    Words,
    /// The value begins with it.
    Prefix,
    /// The value is written nearly like it.
    Spelling,
}

/// A field whose texts contain the text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mentions {
    /// The field.
    pub field: String,
    /// Records whose value contains the text.
    #[serde(default)]
    pub doc_count: u64,
}

/// What a lookup searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// The number of fields.
    #[serde(default)]
    pub fields: u64,
    /// The number of records.
    #[serde(default)]
    pub records: u64,
}

impl Lookup {
    /// Takes a value back, so that the words are read as something else.
    pub(crate) fn take_back(&mut self, supposed: Supposed) {
        self.entries.push(LookedUp {
            taken_back: vec![supposed],
            ..LookedUp::default()
        });
    }

    /// Returns the values that were taken back.
    pub(crate) fn taken_back(&self) -> impl Iterator<Item = &Supposed> {
        self.entries.iter().flat_map(|entry| &entry.taken_back)
    }

    /// Returns what was found for the given text, regardless of case.
    pub fn get(&self, text: &str) -> Option<&LookedUp> {
        let wanted = text.to_lowercase();
        self.entries
            .iter()
            .find(|entry| entry.text.to_lowercase() == wanted)
    }
}
