//! A question of a stranger, and the answer that independent code computed.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::case::{Case, Expected};

/// A question with its computed answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Name, unique over all files, such as `movies/longest`.
    id: String,
    /// What kind of question it is, such as `superlative`.
    class: String,
    /// Language of the question where it is not English.
    #[serde(default)]
    language: Option<String>,
    /// What is asked.
    question: String,
    /// How the answer is computed: expressions for the program `unseen/truth`, which this one never evaluates.
    #[serde(rename = "truth")]
    _truth: Value,
    /// The answer.
    expect: Answer,
}

/// What kind of answer is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A number.
    Number,
    /// A share in per cent.
    Percent,
    /// A name: of a record or of a group.
    Value,
    /// Names of records.
    List,
    /// A number for each group.
    Groups,
    /// A share in per cent for each group.
    Shares,
    /// A number for each span of time.
    Course,
    /// Yes or no.
    YesNo,
    /// That the data does not hold what is asked.
    Absent,
    /// One of several meanings, with the others named, or a question back.
    Ask,
}

/// An answer, and how the question is to be read.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// What kind of answer it is.
    pub kind: Kind,
    /// The number, or the one that goes with a name.
    #[serde(default)]
    pub number: Option<f64>,
    /// Numbers that are right as well, such as a share of the records with a value.
    #[serde(default)]
    pub also: Vec<f64>,
    /// The name.
    #[serde(default)]
    pub value: Option<String>,
    /// The names.
    #[serde(default)]
    pub values: Vec<String>,
    /// The numbers by group.
    #[serde(default)]
    pub groups: BTreeMap<String, f64>,
    /// Whether the answer is yes.
    #[serde(default)]
    pub yes: Option<bool>,
    /// Numbers that the answer rests on.
    #[serde(default)]
    pub numbers: Vec<f64>,
    /// The answers of the several meanings: numbers, or names.
    #[serde(default)]
    pub either: Vec<Value>,
    /// What the several meanings are called.
    #[serde(default)]
    pub names: Vec<String>,
    /// Words for what the data does not hold.
    #[serde(default)]
    pub words: Vec<String>,
    /// How many records the question is about.
    #[serde(default)]
    pub records: Option<u64>,
    /// A fingerprint of their numbers in the file, counted from 0. All records when absent.
    #[serde(default)]
    pub rows: Option<String>,
    /// The fields to group by.
    #[serde(default)]
    pub group_by: Vec<String>,
    /// What is computed of which field.
    #[serde(default)]
    pub measure: Option<Measured>,
    /// The field by which records are ranked.
    #[serde(default)]
    pub sort: Option<String>,
    /// The two fields whose relation is asked for.
    #[serde(default)]
    pub relation: Option<[String; 2]>,
}

/// A measure of a field.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Such as `mean`.
    pub function: String,
    /// The field.
    pub field: String,
}

impl Question {
    /// Returns the question as a case.
    pub fn into_case(self) -> Case {
        let mut tags = BTreeSet::from(["question".to_owned(), self.class]);
        tags.extend(self.language);
        Case {
            id: self.id,
            question: self.question,
            tags,
            filters: None,
            group_by: None,
            expect: Expected::default(),
            answer: Some(self.expect),
        }
    }
}

impl Answer {
    /// Returns whether the data answers the question.
    pub fn is_there(&self) -> bool {
        self.kind != Kind::Absent
    }

    /// Returns the fields that the answer rests on.
    pub fn fields(&self) -> impl Iterator<Item = &String> {
        let measured = self.measure.iter().map(|measure| &measure.field);
        measured.chain(&self.group_by).chain(&self.sort).chain(self.relation.iter().flatten())
    }

    /// Returns whether the right answer is that no record is such.
    pub fn is_none(&self) -> bool {
        self.records == Some(0) || self.number == Some(0.0) || self.yes == Some(false)
    }
}
