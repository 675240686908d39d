//! The task that drafts the report, and the statistics of the records read that it contains.

use research_agents_report::claim::Statement;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::record::{
    AggregationResult, Coverage, Finding, Object, ReportFormat, SubQuestion, value_at,
};
use crate::data::task::facts::{FieldFacts, FieldKind};
use crate::data::task::no_number;
use crate::data::task::question::meaning::QuestionReading;

/// What the records that were read hold in one field, computed by code over all of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldProfile {
    /// Field name.
    pub field: String,
    /// Its type, inferred from the values.
    pub kind: FieldKind,
    /// Records with a value.
    pub present: u64,
    /// Records without one.
    pub missing: u64,
    /// Number of distinct values.
    pub distinct: u64,
    /// The most frequent values with their counts, at most ten, by falling count then by value.
    pub top: Vec<(Value, u64)>,
    /// Numeric fields: smallest, median, mean, largest.
    #[serde(default)]
    pub numbers: Option<NumberProfile>,
    /// Dates: first and last.
    #[serde(default)]
    pub dates: Option<(String, String)>,
}

/// Summary of a numeric field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NumberProfile {
    /// Smallest value and the source that holds it.
    pub min: (f64, String),
    /// Largest value and the source that holds it.
    pub max: (f64, String),
    /// Middle value.
    #[serde(with = "no_number")]
    #[schemars(with = "f64")]
    pub median: f64,
    /// Arithmetic mean.
    #[serde(with = "no_number")]
    #[schemars(with = "f64")]
    pub mean: f64,
    /// Sum.
    #[serde(with = "no_number")]
    #[schemars(with = "f64")]
    pub sum: f64,
}

#[doc = " What the fields of the records read show together, computed by code over all of them: \
         the clearest first."]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Relations {
    #[doc = " Values of two fields that occur together more often, or less often, than \
             independent fields would have it."]
    pub pairs: Vec<ValuePair>,
    /// Numeric fields whose numbers differ between the groups of another field.
    pub measures: Vec<GroupedMeasure>,
}

/// Two values that occur together more often, or less often, than independent fields would have it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValuePair {
    /// The two fields.
    pub fields: [String; 2],
    /// Their values.
    pub values: [Value; 2],
    /// Records that have both.
    pub together: u64,
    /// Records that have the first value, and the second.
    pub each: [u64; 2],
}

/// A numeric field by the groups of another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupedMeasure {
    /// The numeric field.
    pub field: String,
    /// The field that divides the records.
    pub by: String,
    /// The groups, those with the largest median first, then with the largest mean.
    pub groups: Vec<MeasuredGroup>,
    /// Groups with too few numbers to be compared with them.
    #[serde(default)]
    pub left_out: Vec<MeasuredGroup>,
}

/// A numeric field in one group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasuredGroup {
    /// The value that the records of the group have.
    pub value: Value,
    /// Records of the group.
    pub records: u64,
    /// Middle value of the numbers.
    #[serde(with = "no_number")]
    #[schemars(with = "f64")]
    pub median: f64,
    /// Arithmetic mean.
    #[serde(with = "no_number")]
    #[schemars(with = "f64")]
    pub mean: f64,
    /// Sum.
    #[serde(with = "no_number")]
    #[schemars(with = "f64")]
    pub sum: f64,
}

/// Draft the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SynthesizeTask {
    /// The user's question.
    pub query: String,
    /// The shape of the report.
    pub format: ReportFormat,
    /// The checklist.
    pub sub_questions: Vec<SubQuestion>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What the data source counted.
    pub aggregations: Vec<AggregationResult>,
    /// Checked insights.
    #[serde(default)]
    pub insights: Vec<Statement>,
    /// What the records read hold, field by field.
    pub profile: Vec<FieldProfile>,
    /// What their fields show together.
    #[serde(default)]
    pub relations: Relations,
    /// What the data tools can filter and group by.
    #[serde(default)]
    pub fields: Vec<FieldFacts>,
    /// Filters of the scan.
    #[serde(default)]
    pub filters: Object,
    #[doc = " Words of the question that stand, in any form, in a record that was read or in \
             what the tools say of themselves. Where\nthe others are names of no field, the \
             data does not speak of them."]
    #[serde(default)]
    pub heard: Vec<String>,
    /// How much was read.
    pub coverage: Coverage,
    /// What went wrong on the way, in words.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The question as code reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<QuestionReading>,
    /// The records of rankings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<RankedRecord>,
}

/// A record of a ranking.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedRecord {
    /// Id of the source.
    pub id: String,
    /// The record's own fields.
    pub fields: Object,
}

impl RankedRecord {
    /// Returns the value of a field: by its name, else by a dotted path into objects.
    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        value_at(&self.fields, name)
    }
}
