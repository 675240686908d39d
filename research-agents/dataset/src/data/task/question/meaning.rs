//! The meaning of a question as a whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::record::Object;
use crate::data::task::question::conditions::{Condition, TextSearch};
use crate::data::task::question::lookup::Supposed;
use crate::data::task::question::shape::{AnswerShape, Course, Having, Measure, Order, YesNoTest};

/// What a question asks, in terms of the fields of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QuestionReading {
    /// Filters by field, in the filter language of the tool.
    pub filters: Object,
    /// Searches in the texts of the records; all of them must hold.
    pub search: Vec<TextSearch>,
    /// The measures that are asked for.
    pub measures: Vec<Measure>,
    /// The fields to group by, outermost first. They are asked for, never a default.
    pub group_by: Vec<String>,
    /// The course of time over a date field.
    pub histogram: Option<Course>,
    /// The kind of answer.
    pub answer: AnswerShape,
    /// What a yes-no question tests.
    pub test: Option<YesNoTest>,
    /// The condition on the computed number of each group: only groups that fulfil it are asked
    /// for.
    pub having: Option<Having>,
    /// Of a share, and of the test of all: the conditions of the part. The filters hold for the
    /// whole.
    pub part: Object,
    /// The order of groups or records.
    pub order: Option<Order>,
    /// The fields whose values are asked for, such as the name behind a superlative.
    pub wanted: Vec<String>,
    /// Every number, name, comparison, negation and missing value of the question, and what became
    /// of it.
    pub conditions: Vec<Condition>,
    /// Words and phrases that fit nothing yet: they are to be looked up at the data source.
    pub unknown: Vec<String>,
    /// Words and phrases that the data source was asked for over all records and does not have.
    pub absent: Vec<String>,
    /// Words for what the question asks that no field holds: it is not answered.
    pub unheld: Vec<String>,
    /// The code of the language of the question.
    pub language: String,
    /// The fields that are named, without being filtered, measured or grouped by.
    pub mentioned: Vec<String>,
    /// What the records are called, such as `flights`.
    pub subject: Option<String>,
    /// Whether the tool calls its records so too.
    pub is_subject_known: bool,
    /// Words that had no effect on the answer.
    pub unread: Vec<String>,
    /// Further words to look up: those that were read as others with nearly the same spelling, and
    /// the parts of names.
    pub further: Vec<String>,
    /// How words were read, as `“heaviest” gives the highest body_mass_g`.
    pub derived: Vec<String>,
    /// Readings that are less certain, each as a sentence for the reader.
    pub notes: Vec<String>,
    /// Words that fit several fields, of which one was taken.
    pub doubtful: Vec<WordsOfFields>,
    /// Values that words were read as although they may mean something else, the least certain
    /// first. One that leaves no record together with other conditions is taken back.
    pub supposed: Vec<Supposed>,
}

/// Words that fit several fields equally well.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WordsOfFields {
    /// The words.
    pub said: String,
    /// The fields, the one that was taken first, each with the value that the words are in it,
    /// where they are one.
    pub fits: Vec<(String, Option<String>)>,
}

impl QuestionReading {
    /// Returns how the question was read, in a few sentences for those who watch the run.
    pub(crate) fn explanation(&self) -> String {
        let mut sentences = Vec::new();
        if !self.derived.is_empty() {
            sentences.push(format!("Derived: {}.", self.derived.join("; ")));
        }

        // What the answer leaves out is said before it is computed.
        let dropped: Vec<&str> = self
            .dropped()
            .map(|condition| condition.said.as_str())
            .collect();
        let without_effect = dropped
            .into_iter()
            .chain(self.unread.iter().map(String::as_str));
        let without_effect: Vec<String> = without_effect.map(|said| format!("“{said}”")).collect();
        if !without_effect.is_empty() {
            sentences.push(format!("Not applied: {}.", without_effect.join(", ")));
        }
        if !self.unheld.is_empty() {
            sentences.push(format!("No field says: {}.", self.unheld.join(", ")));
        }

        if sentences.is_empty() {
            sentences.push("The records are described as a whole.".to_owned());
        }
        sentences.join(" ")
    }

    /// Returns the conditions that do not hold for the answer.
    pub fn dropped(&self) -> impl Iterator<Item = &Condition> {
        self.conditions
            .iter()
            .filter(|condition| !condition.is_applied())
    }

    /// Returns how much of the question was understood, for choosing between tools.
    pub fn score(&self) -> usize {
        2 * (self.filters.len() + self.part.len())
            + 2 * self.measures.len()
            + 2 * self.group_by.len().min(1)
            + usize::from(self.histogram.is_some())
            + usize::from(self.order.is_some())
            + self.mentioned.len()
            + self.wanted.len()
    }
}
