//! Typed claims: the assertions of a sentence in a form that code can check.
//!
//! A model (or the offline model) never writes citation markers. It adds to each sentence the
//! claims that support it; the checker verifies them against the evidence, and the renderer writes
//! the markers of those that hold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a number was counted over.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    #[doc = " The buckets of one aggregation, by its id (such as `A1`): every matching record of \
             the data set."]
    Aggregation(String),
    /// The records that were read in this run, each once.
    Records,
}

/// A statistic over one numeric field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// Smallest value.
    Min,
    /// Largest value.
    Max,
    /// Arithmetic mean of the values that are present.
    Mean,
    /// Middle value; of an even number of values the mean of the two middle ones.
    Median,
    /// Sum of the values that are present.
    Sum,
}

/// One checkable assertion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Claim {
    /// So many records have this value in this field.
    Count {
        /// What was counted.
        over: Basis,
        #[doc = " Field name as the tool spells it; for a grouping by several fields, the names \
                 joined by `,`."]
        field: String,
        /// The value; for a grouping by several fields, an array in the order of the fields.
        value: Value,
        /// How many records.
        number: u64,
    },
    /// So many records match, or were read.
    Total {
        /// What was counted.
        over: Basis,
        /// How many records.
        number: u64,
    },
    /// A statistic of a numeric field over the records read.
    Statistic {
        /// Field name as the tool spells it.
        field: String,
        /// Which statistic.
        statistic: Statistic,
        /// Its value, in the unit of the field.
        number: f64,
        /// For `min` and `max`: the source that holds the value.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
    },
    #[doc = " A statistic of a numeric field over those of the records read that have a value in \
             another field."]
    GroupStatistic {
        /// Field name as the tool spells it.
        field: String,
        /// Which statistic.
        statistic: Statistic,
        /// Its value, in the unit of the field.
        number: f64,
        /// The field that picks the records.
        by: String,
        /// The value that they have in it.
        value: Value,
    },
    /// A source says this, word for word.
    Quote {
        /// Id of the source.
        source: String,
        /// The quoted text.
        text: String,
        #[doc = " Byte offset of the quote in the source's text. The checker fills it in when it \
                 is absent."]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start: Option<usize>,
    },
}

#[doc = " A sentence with the claims that carry it.\n\nEvery number in `text` must follow from \
         one of the claims (its number, its share of the total in per cent, or a\nfigure inside \
         a quote), or the sentence is not printed as a finding."]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// One or two plain sentences without citation markers.
    pub text: String,
    /// What the sentence rests on. Empty only for sentences that assert nothing about the data.
    #[serde(default)]
    pub claims: Vec<Claim>,
}
