//! The records that the dataset agent's parts exchange: sub-questions, findings, aggregations,
//! calls.

use research_agents_report::claim::{Claim, Statement, Statistic};
use research_agents_report::evidence::{Searched, TableOrder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A JSON object.
pub type Object = Map<String, Value>;

/// Returns the value of a field of a record: by its name, else by a dotted path into objects.
pub(crate) fn value_at<'r>(record: &'r Object, name: &str) -> Option<&'r Value> {
    record.get(name).or_else(|| {
        let mut parts = name.split('.');
        let first = record.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    })
}

/// One atomic question of the research checklist.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubQuestion {
    /// Unique in the run, such as `sq_1`.
    pub id: String,
    /// The question, in the language of the user's question.
    pub question: String,
    /// 1 is the most important.
    #[serde(default = "first")]
    pub priority: u32,
    /// Ids of the questions that must be answered before this one.
    #[serde(default)]
    pub depends_on: Vec<String>,
}

fn first() -> u32 {
    1
}

/// How well a finding is supported.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// One record, or an indirect one.
    Low,
    /// Some records.
    #[default]
    Medium,
    /// Many records, or an exact count.
    High,
}

#[doc = " A fact drawn from records. Two findings with the same normalised claim are one, with \
         their records joined."]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Stable in the run, such as `f_1`.
    pub id: String,
    /// One sentence.
    pub claim: String,
    /// Quotes and counts that support it.
    pub evidence: Vec<Claim>,
    /// Number of distinct records behind it.
    pub evidence_count: usize,
    /// Ids of the sources it was drawn from, in reading order.
    pub doc_ids: Vec<String>,
    /// How well it is supported.
    pub confidence: Strength,
    /// Ids of the sub-questions it helps to answer.
    #[serde(default)]
    pub relevant_questions: Vec<String>,
    /// Topics it touches.
    #[serde(default)]
    pub themes: Vec<String>,
}

/// How an aggregation was formed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AggregationKind {
    /// One bucket a value (or tuple of values).
    #[default]
    GroupBy,
    /// One bucket a time interval.
    DateHistogram,
    /// No groups: the number of matching records, and measures over all of them.
    Total,
    /// One bucket a record, in the order of a field.
    Ranking,
    /// Correlations of numeric fields.
    Correlation,
    /// One bucket a field in which a text was found.
    Search,
}

/// A statistic of a field that the data source computed over all records of a result or a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasureValue {
    /// Which statistic.
    pub function: Statistic,
    /// The field.
    pub field: String,
    /// Its value; none where no record has one, or where it is not a number.
    #[serde(default)]
    pub number: Option<f64>,
    /// Its value where it is not a number, such as a date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Records with a value.
    pub count: u64,
}

/// The Pearson correlation of two fields over all matching records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CorrelationValue {
    /// The fields.
    pub fields: [String; 2],
    /// The coefficient; none where it is not defined.
    pub number: Option<f64>,
    /// Records with a value in both.
    pub count: u64,
}

/// One group of an aggregation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bucket {
    #[doc = " The value; an array in the order of the fields for a grouping by several; null for \
             empty cells."]
    pub key: Value,
    /// Records in the group.
    pub doc_count: u64,
    /// Groups inside the group, where the tool nests them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buckets: Vec<Bucket>,
    /// Statistics over the records of the group.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<MeasureValue>,
    /// Of a ranking: the id of the record's source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A statistic that the data source computed over every matching record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AggregationResult {
    /// Stable in the run, such as `A1`.
    pub id: String,
    /// How it was formed.
    #[serde(rename = "type")]
    pub kind: AggregationKind,
    /// Field, or fields joined by `,`.
    pub field: String,
    #[doc = " The interval of a histogram as it was asked for, such as `month`; none where the \
             tool chose it."]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<String>,
    /// The groups, in the tool's order.
    pub buckets: Vec<Bucket>,
    /// Records that match the filters, whether or not they fell into a listed bucket.
    pub total_docs: u64,
    /// The tool that computed it.
    pub source_tool: String,
    /// The filters it was computed under.
    #[serde(default)]
    pub filters: Object,
    /// Statistics over all matching records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<MeasureValue>,
    /// Correlations over all matching records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub correlations: Vec<CorrelationValue>,
    /// The order of the buckets that was asked for; none for that of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub order: Option<TableOrder>,
    /// Of a search: its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Of a search: what was looked through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub searched: Option<Searched>,
}

/// A call of a sub-agent that the planner asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubAgentCall {
    /// Unique in the plan; other calls name it in `depends_on`.
    pub id: String,
    /// A registered name.
    pub agent: String,
    /// Arguments by the agent's input schema; what is missing is filled from the state.
    #[serde(default)]
    pub arguments: Object,
    /// Ids of the calls of this plan that must finish first.
    #[serde(default)]
    pub depends_on: Vec<String>,
}

/// A direct call of an MCP tool that the planner asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// Unique in the plan.
    pub id: String,
    /// Name of the tool as it was listed to the planner.
    pub tool: String,
    /// Arguments, sent to the server as they are.
    #[serde(default)]
    pub arguments: Object,
}

/// The three shapes of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportFormat {
    /// The answer, summary, key findings, analysis by sub-question, conclusion.
    #[default]
    ComprehensiveReport,
    /// One page: the answer, how the question was read, limitations.
    ExecutiveSummary,
    /// Key findings only.
    BulletPoints,
}

/// How much of the matching data was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    #[doc = " Records read, each once of each tool. A record that two tools have counts twice, \
             as it does in `total`."]
    pub fetched: u64,
    /// Records that match, when the data source said so.
    pub total: Option<u64>,
    /// `fetched / total`, 0 to 1; 1 when nothing matches; `None` while the total is unknown.
    pub fraction: Option<f64>,
    /// The scan stopped at the document limit.
    pub capped: bool,
    /// Why the scan stopped early, in words for the report.
    #[serde(default)]
    pub stopped_early: Option<String>,
}

/// What a model drafts: sentences with typed claims. Code checks them and writes the Markdown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportDraft {
    /// Title of the report.
    pub title: String,
    /// Two to five sentences.
    #[serde(default)]
    pub summary: Vec<Statement>,
    /// The most important facts, one statement each.
    #[serde(default)]
    pub key_findings: Vec<Statement>,
    /// One section for each sub-question, in their order.
    #[serde(default)]
    pub analysis: Vec<DraftSection>,
    /// One to three sentences.
    #[serde(default)]
    pub conclusion: Vec<Statement>,
    /// What the reader must know about gaps in data or method.
    #[serde(default)]
    pub limitations: Vec<String>,
    /// Where to look next.
    #[serde(default)]
    pub suggestions: Vec<String>,
    /// Between 0 and 1.
    #[serde(default)]
    pub confidence: f64,
}

/// The part of a draft that answers one sub-question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftSection {
    /// Id of the sub-question.
    pub question_id: String,
    /// Whether the data answers it.
    pub answered: bool,
    /// The answer.
    #[serde(default)]
    pub statements: Vec<Statement>,
}

impl AggregationResult {
    /// Returns whether the same groups were asked of the same tool with the same filters.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        (
            self.kind,
            &self.field,
            &self.interval,
            &self.source_tool,
            &self.filters,
            &self.order,
            &self.text,
        ) == (
            other.kind,
            &other.field,
            &other.interval,
            &other.source_tool,
            &other.filters,
            &other.order,
            &other.text,
        )
    }

    /// Returns whether it has groups, by value or by time.
    pub(crate) fn has_groups(&self) -> bool {
        matches!(
            self.kind,
            AggregationKind::GroupBy | AggregationKind::DateHistogram
        )
    }

    /// Returns the number of records that fell into a listed group.
    pub(crate) fn accounted(&self) -> u64 {
        self.buckets
            .iter()
            .fold(0, |sum, bucket| sum.saturating_add(bucket.doc_count))
    }

    /// Returns the number in its id; 0 when it has none.
    pub(crate) fn number(&self) -> usize {
        self.id
            .strip_prefix('A')
            .and_then(|number| number.parse().ok())
            .unwrap_or_default()
    }
}
