//! What a question asks for: the shape of the answer, the measures, and the order.

use research_agents_report::claim::Statistic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of answer that a question asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnswerShape {
    /// The number of matching records.
    Count,
    /// The measures over all matching records.
    Measure,
    /// The measures, or counts, of each group.
    Groups,
    /// The measures, or counts, over time.
    Course,
    /// The group with the most records, or with the highest or lowest measure.
    TopGroup,
    /// The record, or the few records, with the highest or lowest value of a field.
    Record,
    /// The matching records, or the values of the wanted fields.
    List,
    /// Yes or no; the test says what is tested.
    YesNo,
    /// How two fields are related.
    Relation {
        /// The two fields; the second one is the category if only one of them is numeric.
        fields: [String; 2],
    },
    /// Values of one field against each other.
    Compare,
    /// The share of the records of the part among the matching records.
    Share,
    /// The number of different values of the measured field.
    Distinct,
    /// The smallest and the largest value of a field.
    Range,
    /// Nothing of this: a description of the matching records.
    #[default]
    Overview,
}

/// A measure that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Measure {
    /// The function.
    pub function: Statistic,
    /// The field.
    pub field: String,
}

/// A course of time over a date field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Course {
    /// A date field.
    pub field: String,
    /// `year`, `quarter`, `month`, `week` or `day`.
    pub interval: String,
}

/// What groups or records are ordered by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderBy {
    /// The number of records in a group.
    Count,
    /// The value of the group.
    Key,
    /// The measure at this place of the measures.
    Measure(usize),
    /// A field of the records.
    Field(String),
}

/// The order that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Order {
    /// What is compared.
    pub by: OrderBy,
    /// Whether the highest value comes first.
    pub highest: bool,
    /// The number of groups or records that are asked for; none for all of them.
    #[serde(default)]
    pub limit: Option<u64>,
}

/// A comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// Equal.
    Equal,
    /// Not equal.
    Different,
    /// Greater.
    Above,
    /// Greater or equal.
    AtLeast,
    /// Less.
    Below,
    /// Less or equal.
    AtMost,
}

impl Sign {
    /// Returns whether two numbers compare so.
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::Different => left != right,
            Self::Above => left > right,
            Self::AtLeast => left >= right,
            Self::Below => left < right,
            Self::AtMost => left <= right,
        }
    }
}

/// A condition on the computed number of each group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Having {
    /// The words of the question, such as `more than 30 films`.
    pub said: String,
    /// The place of the measure that is compared; none for the number of records.
    pub measure: Option<usize>,
    /// The comparison.
    pub sign: Sign,
    /// The number.
    pub number: f64,
}

/// What a yes-no question tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum YesNoTest {
    /// Whether any record matches the filters.
    Exists,
    /// Whether all records that match the filters also match the conditions of the part.
    All,
    /// Whether the first measure compares so with a number; the count, without measures.
    Threshold {
        /// The comparison.
        sign: Sign,
        /// The number.
        number: f64,
    },
    /// Whether the first value of the field compares so with the second one by the first measure;
    /// by the number of records, without measures.
    Groups {
        /// The field of the two values.
        field: String,
        /// The two values, in the order of the question; null for the others of one value.
        values: [Value; 2],
        /// The comparison.
        sign: Sign,
    },
    /// Whether the first measure compares so with the second one, over the same records.
    Measures {
        /// The comparison.
        sign: Sign,
    },
    /// Whether the first measure, or the count, rises or falls over time.
    Trend {
        /// Whether a rise is asked about.
        rises: bool,
    },
    /// Whether two fields are related; the answer names the relation.
    Related {
        /// The fields.
        fields: [String; 2],
        /// Whether one is asked to grow with the other; none where only a relation is asked.
        #[serde(default)]
        together: Option<bool>,
    },
}
