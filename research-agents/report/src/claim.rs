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

/// A statistic over one field.
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
    /// Number of records with a value in the field.
    Count,
    /// Number of distinct values that are present.
    Distinct,
}

/// One checkable assertion.
///
/// The schema that models get leaves out the kinds that only code writes: small models have no
/// space for all of them.
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
    #[doc = " A statistic that the data source computed over every record that an aggregation is \
             about."]
    Measure {
        /// Id of the aggregation, such as `A1`.
        over: String,
        /// Field name as the tool spells it.
        field: String,
        /// Which statistic.
        statistic: Statistic,
        /// Its value, in the unit of the field.
        number: f64,
    },
    #[doc = " A statistic that the data source computed over the records of one group of an \
             aggregation."]
    GroupMeasure {
        /// Id of the aggregation, such as `A1`.
        over: String,
        /// The field of the grouping, or fields joined by `,`.
        by: String,
        /// The value of the group; an array for a grouping by several fields.
        value: Value,
        /// Field name as the tool spells it.
        field: String,
        /// Which statistic.
        statistic: Statistic,
        /// Its value, in the unit of the field.
        number: f64,
    },
    #[schemars(skip)]
    #[doc = " A statistic that is not a number, such as the earliest date of a field, which the \
             data source computed over an aggregation or one group of it."]
    MeasureText {
        /// Id of the aggregation, such as `A1`.
        over: String,
        /// Field name as the tool spells it.
        field: String,
        /// Which statistic: `min` or `max`.
        statistic: Statistic,
        /// Its value, as the data source writes it.
        text: String,
        /// The field and value of the group; none for all records.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<(String, Value)>,
    },
    #[schemars(skip)]
    #[doc = " The Pearson correlation of two numeric fields, which the data source computed over \
             the records that have both."]
    Correlation {
        /// Id of the aggregation, such as `A1`.
        over: String,
        /// The two fields, in any order.
        fields: [String; 2],
        /// The coefficient, -1 to 1.
        number: f64,
        /// Number of records with a value in both fields.
        count: u64,
    },
    /// A record that was read has this value in this field.
    Field {
        /// Id of the source.
        source: String,
        /// Field name as the tool spells it.
        field: String,
        /// The value.
        value: Value,
    },
    #[schemars(skip)]
    /// A record stands at this place of a ranking by the data source.
    Ranked {
        /// Id of the ranking, such as `A1`.
        over: String,
        /// Id of the source.
        source: String,
        /// The place; the first one is 1.
        place: u64,
        /// The field that the records are ranked by.
        field: String,
        /// Whether the highest value comes first.
        highest: bool,
    },
    #[schemars(skip)]
    #[doc = " The data source searched the fields of a search table for this text, over all of \
             their records, and no record has it."]
    Absent {
        /// Id of the search, such as `A1`.
        over: String,
        /// The text that was searched for.
        text: String,
    },
    /// A passage says what the sentence states: its quoted words carry every number, name and word
    /// of the sentence, by the rules of [`check::grounded`](crate::check::grounded).
    #[schemars(skip)]
    Says {
        /// Id of the source whose text is the passage.
        source: String,
        /// The words of the passage that carry the sentence. In a draft they need not be exact:
        /// the passage's own words at the most similar place are taken.
        text: String,
        #[doc = " Byte offset of the words in the passage. The checker fills it in when it is \
                 absent."]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start: Option<usize>,
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

impl Claim {
    /// Returns the id of the aggregation that the claim is about.
    ///
    /// ```
    /// use research_agents_report::claim::{Basis, Claim};
    ///
    /// let total = |over| Claim::Total { over, number: 116 };
    /// assert_eq!(total(Basis::Aggregation("A1".into())).aggregation(), Some("A1"));
    /// assert_eq!(total(Basis::Records).aggregation(), None);
    /// ```
    pub fn aggregation(&self) -> Option<&str> {
        match self {
            Self::Count { over, .. } | Self::Total { over, .. } => match over {
                Basis::Aggregation(id) => Some(id),
                Basis::Records => None,
            },
            Self::Measure { over, .. }
            | Self::GroupMeasure { over, .. }
            | Self::MeasureText { over, .. }
            | Self::Correlation { over, .. }
            | Self::Ranked { over, .. }
            | Self::Absent { over, .. } => Some(over),
            Self::Statistic { .. }
            | Self::GroupStatistic { .. }
            | Self::Field { .. }
            | Self::Says { .. }
            | Self::Quote { .. } => None,
        }
    }

    /// Returns the id of the aggregation that the claim is about, to change it.
    pub fn aggregation_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Count { over, .. } | Self::Total { over, .. } => match over {
                Basis::Aggregation(id) => Some(id),
                Basis::Records => None,
            },
            Self::Measure { over, .. }
            | Self::GroupMeasure { over, .. }
            | Self::MeasureText { over, .. }
            | Self::Correlation { over, .. }
            | Self::Ranked { over, .. }
            | Self::Absent { over, .. } => Some(over),
            Self::Statistic { .. }
            | Self::GroupStatistic { .. }
            | Self::Field { .. }
            | Self::Says { .. }
            | Self::Quote { .. } => None,
        }
    }

    /// Returns the id of the source that the claim is about, to change it.
    pub fn source_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Statistic { source, .. } => source.as_mut(),
            Self::Field { source, .. }
            | Self::Ranked { source, .. }
            | Self::Says { source, .. }
            | Self::Quote { source, .. } => Some(source),
            Self::Count { .. }
            | Self::Total { .. }
            | Self::GroupStatistic { .. }
            | Self::Measure { .. }
            | Self::GroupMeasure { .. }
            | Self::MeasureText { .. }
            | Self::Correlation { .. }
            | Self::Absent { .. } => None,
        }
    }

    /// Returns whether the claim is about the records that were read, of which there may be more
    /// that match. A claim about one record, or about an aggregation, is not.
    pub fn is_over_records(&self) -> bool {
        match self {
            Self::Count { over, .. } | Self::Total { over, .. } => *over == Basis::Records,
            Self::Statistic { .. }
            | Self::GroupStatistic { .. }
            | Self::Says { .. }
            | Self::Quote { .. } => true,
            Self::Measure { .. }
            | Self::GroupMeasure { .. }
            | Self::MeasureText { .. }
            | Self::Correlation { .. }
            | Self::Field { .. }
            | Self::Ranked { .. }
            | Self::Absent { .. } => false,
        }
    }

    /// Returns whether the claim is about a statistic, a ranking, a correlation or a search by the
    /// data source, or about a field of one record.
    pub fn is_computed(&self) -> bool {
        match self {
            Self::Count { .. }
            | Self::Total { .. }
            | Self::Statistic { .. }
            | Self::GroupStatistic { .. }
            | Self::Says { .. }
            | Self::Quote { .. } => false,
            Self::Measure { .. }
            | Self::GroupMeasure { .. }
            | Self::MeasureText { .. }
            | Self::Correlation { .. }
            | Self::Field { .. }
            | Self::Ranked { .. }
            | Self::Absent { .. } => true,
        }
    }

    /// Returns the names of the fields that the claim is about, with those of its group.
    pub fn fields(&self) -> Vec<&str> {
        match self {
            Self::Count { field, .. }
            | Self::Statistic { field, .. }
            | Self::Measure { field, .. }
            | Self::Field { field, .. }
            | Self::Ranked { field, .. } => vec![field],

            Self::GroupStatistic { field, by, .. } | Self::GroupMeasure { field, by, .. } => {
                vec![field, by]
            }
            Self::MeasureText { field, group, .. } => {
                let by = group.as_ref().map(|(by, _)| by.as_str());
                [field.as_str()].into_iter().chain(by).collect()
            }
            Self::Correlation { fields, .. } => fields.iter().map(String::as_str).collect(),
            Self::Total { .. } | Self::Absent { .. } | Self::Says { .. } | Self::Quote { .. } => {
                Vec::new()
            }
        }
    }

    /// Returns the value that the claim is about: of a group, or of a record.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Count { value, .. }
            | Self::GroupStatistic { value, .. }
            | Self::GroupMeasure { value, .. }
            | Self::Field { value, .. } => Some(value),
            Self::MeasureText { group, .. } => group.as_ref().map(|(_, value)| value),
            Self::Total { .. }
            | Self::Statistic { .. }
            | Self::Measure { .. }
            | Self::Correlation { .. }
            | Self::Ranked { .. }
            | Self::Absent { .. }
            | Self::Says { .. }
            | Self::Quote { .. } => None,
        }
    }

    /// Returns the text that the claim repeats: a quote, a string that was searched for, or a
    /// statistic that is not a number.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::MeasureText { text, .. }
            | Self::Absent { text, .. }
            | Self::Says { text, .. }
            | Self::Quote { text, .. } => Some(text),
            Self::Count { .. }
            | Self::Total { .. }
            | Self::Statistic { .. }
            | Self::GroupStatistic { .. }
            | Self::Measure { .. }
            | Self::GroupMeasure { .. }
            | Self::Correlation { .. }
            | Self::Field { .. }
            | Self::Ranked { .. } => None,
        }
    }
}
