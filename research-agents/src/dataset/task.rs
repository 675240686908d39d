//! The machine-readable tasks that go to the model beside the prompt, and the answers it gives.
//!
//! A provider of a language model sends the prompt and ignores the task. The offline model does the reverse: it computes
//! the answer from the task. Both answer with the same JSON, whose schema comes from the output type.

mod conversation;
mod review;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::conversation::{Choice, Clarified, Conversation, Reading, Turn};
pub use self::review::{
    DraftGap, DraftIssue, GapAnalyzerLlmResponse, GapsTask, PerspectiveOutput, PerspectivesTask, ValidateTask,
    ValidatorLlmResponse,
};
use super::record::{
    AggregationResult, Coverage, Finding, Object, ReportFormat, Strength, SubAgentCall, SubQuestion, ToolCall,
};
use super::review::{Perspective, Recommendation, ResearchGap, ValidationIssue, ValidationStatus};
use crate::kernel::claim::{Claim, Statement};

/// Name of [`ClarifyTask`](super::ClarifyTask); the answer is an [`Ambiguity`](super::Ambiguity).
pub const CLARIFY: &str = "dataset.clarify";
/// Name of [`PlanTask`]; the answer is a [`PlannerOutput`].
pub const PLAN: &str = "dataset.plan";
/// Name of [`DecomposeTask`]; the answer is a [`DecomposerOutput`].
pub const DECOMPOSE: &str = "dataset.decompose";
/// Name of [`InsightsTask`]; the answer is an [`InsightsOutput`].
pub const INSIGHTS: &str = "dataset.insights";
/// Name of [`ExtractTask`]; the answer is an [`ExtractorLlmResponse`].
pub const EXTRACT: &str = "dataset.extract";
/// Name of [`SynthesizeTask`]; the answer is a [`ReportDraft`](super::record::ReportDraft).
pub const SYNTHESIZE: &str = "dataset.synthesize";

/// Name of [`PerspectivesTask`]; the answer is a [`PerspectiveOutput`].
pub const PERSPECTIVES: &str = "dataset.perspectives";
/// Name of [`ValidateTask`]; the answer is a [`ValidatorLlmResponse`].
pub const VALIDATE: &str = "dataset.validate";
/// Name of [`GapsTask`]; the answer is a [`GapAnalyzerLlmResponse`].
pub const GAPS: &str = "dataset.gaps";

/// Type of a field, as the tool's schema declares it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Free text or a category.
    #[default]
    Text,
    /// A number.
    Number,
    /// A calendar date or date-time.
    Date,
    /// True or false.
    Boolean,
}

/// A field that a tool can filter or group by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldFacts {
    /// Name as the tool spells it.
    pub name: String,
    /// Its type.
    pub kind: FieldKind,
    /// All its values, when the schema lists them; empty otherwise.
    #[serde(default)]
    pub values: Vec<Value>,
    /// Smallest and largest value, when the schema gives them (numbers, or dates as text).
    #[serde(default)]
    pub range: Option<(Value, Value)>,
}

/// A data tool as the planner sees it. `fields` is empty when the schema does not describe them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolFacts {
    /// Name that a plan uses.
    pub name: String,
    /// The server's own words, untrusted.
    pub description: String,
    /// Names of the arguments it takes, such as `filters`, `group_by`, `page_size`.
    pub arguments: Vec<String>,
    /// What can be filtered and grouped by.
    pub fields: Vec<FieldFacts>,
}

/// A sub-agent as the planner sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentFacts {
    /// Registered name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// When to use it.
    pub use_when: String,
    /// How long it takes, in words.
    pub speed: String,
    /// What it costs, in words.
    pub cost: String,
    /// JSON schema of its arguments.
    pub input_schema: Value,
}

/// Filters and grouping that the user fixed; they override any plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueryOverrides {
    /// Filters by field, in the tool's spelling.
    #[serde(default)]
    pub filters: Option<Object>,
    /// Fields to group by, in the tool's spelling.
    #[serde(default)]
    pub group_by: Option<Vec<String>>,
}

/// What the planner is told about the run so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StateSummary {
    /// The checklist.
    pub sub_questions: Vec<SubQuestion>,
    /// Ids of the sub-questions without a finding or aggregation.
    pub unanswered: Vec<String>,
    /// Number of findings.
    pub findings: usize,
    /// Aggregations so far, without buckets: id, field, tool.
    pub aggregations: Vec<(String, String, String)>,
    /// Distinct sources.
    pub sources: usize,
    /// Records that match, when known.
    pub total_docs: Option<u64>,
    /// How many of these were read.
    pub docs_fetched: u64,
    /// Records that a run reads at most; 0 when that is not said.
    #[serde(default)]
    pub max_docs: u64,
    /// A scan would bring something, and none has run: more records match than were read, or those that came were not read for
    /// findings.
    pub needs_full_scan: bool,
    /// Filters and grouping of the last successful data call.
    #[serde(default)]
    pub last_arguments: Option<Object>,
    /// Errors and overrides of earlier iterations, in words.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Records that came and were not read for findings.
    #[serde(default)]
    pub unread_documents: usize,
    /// Points of view.
    #[serde(default)]
    pub perspectives: Vec<Perspective>,
    /// A validator's verdict on what was gathered so far.
    #[serde(default)]
    pub validation_status: Option<ValidationStatus>,
    /// What it objects to.
    #[serde(default)]
    pub validation_issues: Vec<ValidationIssue>,
    /// What is missing.
    #[serde(default)]
    pub gaps: Vec<ResearchGap>,
    /// What a gap analysis recommends.
    #[serde(default)]
    pub recommendation: Option<Recommendation>,
}

/// Decide what to do next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanTask {
    /// The user's question.
    pub question: String,
    /// 1-based.
    pub iteration: u32,
    /// The last iteration allowed.
    pub max_iterations: u32,
    /// The data tools.
    pub tools: Vec<ToolFacts>,
    /// The sub-agents.
    pub agents: Vec<AgentFacts>,
    /// The run so far.
    pub state: StateSummary,
    /// What the user fixed.
    #[serde(default)]
    pub overrides: QueryOverrides,
    /// What was said before.
    #[serde(default, skip_serializing_if = "Conversation::is_empty")]
    pub conversation: Conversation,
}

/// The planner's answer: both lists at once; either or both may be empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannerOutput {
    /// Why, in one or two sentences.
    #[serde(default)]
    pub reasoning: String,
    /// Sub-agents to run.
    #[serde(default)]
    pub sub_agent_calls: Vec<SubAgentCall>,
    /// Data tools to call directly.
    #[serde(default)]
    pub tool_calls: Vec<ToolCall>,
}

/// Break the question into atomic ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DecomposeTask {
    /// The user's question.
    pub query: String,
    /// At least three, at most so many.
    pub max_questions: usize,
    /// The data tools, whose fields say what can be asked.
    pub tools: Vec<ToolFacts>,
    /// What the user fixed.
    #[serde(default)]
    pub overrides: QueryOverrides,
    /// What was said before.
    #[serde(default, skip_serializing_if = "Conversation::is_empty")]
    pub conversation: Conversation,
}

/// The decomposer's answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DecomposerOutput {
    /// Three to seven questions.
    pub sub_questions: Vec<SubQuestion>,
    /// Why these.
    #[serde(default)]
    pub reasoning: String,
}

/// Say in three to five sentences what the buckets show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InsightsTask {
    /// The user's question.
    pub query: String,
    /// The aggregations.
    pub aggregations: Vec<AggregationResult>,
}

/// Insights with the counts they rest on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InsightsOutput {
    /// Three to five.
    pub insights: Vec<Statement>,
}

/// A record as a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentText {
    /// Id of the source.
    pub id: String,
    /// The record's own fields.
    pub fields: Object,
    /// The text that quotes are taken from: `name: value` lines in field order, or the record's long text.
    pub text: String,
}

/// Draw findings from one batch of records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractTask {
    /// The user's question.
    pub query: String,
    /// What to look for.
    pub focus: String,
    /// The checklist.
    pub sub_questions: Vec<SubQuestion>,
    /// Filters under which the records were read: what all of them have in common anyway.
    #[serde(default)]
    pub filters: Object,
    /// The batch.
    pub documents: Vec<DocumentText>,
    /// At most so many findings from one record.
    pub max_findings_per_doc: usize,
}

/// A finding as a model proposes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftFinding {
    /// One sentence. Without a count of its own: the records are counted by code, over all batches.
    pub claim: String,
    /// Quotes that support it.
    #[serde(default)]
    pub evidence: Vec<Claim>,
    /// Ids of the records of this batch that it was drawn from.
    pub doc_ids: Vec<String>,
    /// How well it is supported.
    #[serde(default)]
    pub confidence: Strength,
    /// Ids of sub-questions.
    #[serde(default)]
    pub relevant_questions: Vec<String>,
    /// Topics.
    #[serde(default)]
    pub themes: Vec<String>,
}

/// The extraction's answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExtractorLlmResponse {
    /// Findings of this batch.
    pub findings: Vec<DraftFinding>,
    /// Topics seen in this batch.
    #[serde(default)]
    pub themes_discovered: Vec<String>,
}

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
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sum.
    pub sum: f64,
}

/// What the fields of the records read show together, computed by code over all of them: the clearest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Relations {
    /// Values of two fields that occur together more often, or less often, than independent fields would have it.
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
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sum.
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
    /// Words of the question that stand, in any form, in a record that was read or in what the tools say of themselves. Where
    /// the others are names of no field, the data does not speak of them.
    #[serde(default)]
    pub heard: Vec<String>,
    /// How much was read.
    pub coverage: Coverage,
    /// What went wrong on the way, in words.
    #[serde(default)]
    pub notes: Vec<String>,
}
