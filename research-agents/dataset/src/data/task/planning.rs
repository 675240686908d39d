//! Tasks that decide what to do: the plan, and the sub-questions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::record::{Object, ReportFormat, SubAgentCall, SubQuestion, ToolCall};
use crate::data::review::{
    Perspective, Recommendation, ResearchGap, ValidationIssue, ValidationStatus,
};
use crate::data::task::conversation::Conversation;
use crate::data::task::facts::{AgentFacts, QueryOverrides, ToolFacts};
use crate::data::task::question::lookup::Lookup;
use crate::data::task::question::meaning::QuestionReading;

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
    #[doc = " A scan would bring something, and none has run: more records match than were read, \
             or those that came were not read for\nfindings."]
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

/// A question in terms of the fields of a tool, as code reads it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadQuestion {
    /// The tool.
    pub tool: String,
    /// What is asked.
    pub meaning: QuestionReading,
    /// What the data source knows of words that fit no field.
    #[serde(default)]
    #[schemars(skip)]
    pub found: Lookup,
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
    /// The question as code reads it: the starting point of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<ReadQuestion>,
    /// The shape of the report.
    #[serde(default)]
    pub format: ReportFormat,
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
