//! Groupings and histograms as buckets.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::measures::Measure;

/// How an aggregation was formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AggregationKind {
    /// One bucket for each value, or tuple of values.
    GroupBy,
    /// One bucket for each interval of time.
    DateHistogram,
}

/// One group of an aggregation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Bucket {
    /// The value; an array for several fields; null for empty ones. Of a histogram the text, where the tool gives one.
    pub key: Value,
    /// Records in the group.
    pub doc_count: u64,
    /// Groups inside the group, where the tool nests them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<Bucket>,
    /// Sample records of the group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Value>,
    /// Statistics of fields over the records of the group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<Measure>,
}

/// One aggregation of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Aggregation {
    /// How it was formed.
    pub kind: AggregationKind,
    /// The field, or several joined by `,`, when the result says.
    pub field: Option<String>,
    /// The groups, in the tool's order.
    pub buckets: Vec<Bucket>,
    /// Records in groups that were not listed, when the result says.
    pub other_doc_count: Option<u64>,
}
