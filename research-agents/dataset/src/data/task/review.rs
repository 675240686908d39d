//! Tasks of the agents that review a run, and the answers. What a model says here is advice: code
//! decides.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::record::{AggregationResult, Coverage, Finding, Object, SubQuestion};
use crate::data::review::{Perspective, Recommendation, ValidationCheck, ValidationStatus};
use crate::data::task::conversation::Conversation;
use crate::data::task::facts::{QueryOverrides, ToolFacts};

/// Find points of view from which to ask.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PerspectivesTask {
    /// What the research is about.
    pub topic: String,
    /// The field of knowledge, such as *enterprise software*.
    #[serde(default)]
    pub domain: Option<String>,
    /// How many, 1 to 8.
    pub num_perspectives: usize,
    /// The data tools, whose fields say what can be asked.
    pub tools: Vec<ToolFacts>,
    /// What the user fixed.
    #[serde(default)]
    pub overrides: QueryOverrides,
    /// What was said before.
    #[serde(default, skip_serializing_if = "Conversation::is_empty")]
    pub conversation: Conversation,
}

/// The perspective agent's answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PerspectiveOutput {
    /// Points of view with names of their own.
    pub perspectives: Vec<Perspective>,
    /// Why these.
    #[serde(default)]
    pub reasoning: String,
}

/// Say what is wrong with the findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValidateTask {
    /// The user's question.
    pub query: String,
    /// The checklist.
    pub sub_questions: Vec<SubQuestion>,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What the data source counted.
    #[serde(default)]
    pub aggregations: Vec<AggregationResult>,
    /// What to look at.
    pub checks: Vec<ValidationCheck>,
}

/// A model's view of the findings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValidatorLlmResponse {
    /// What is wrong; empty when nothing is.
    #[serde(default)]
    pub issues: Vec<DraftIssue>,
    /// How well the findings answer the question, 0 to 1.
    #[serde(default)]
    pub overall_confidence: Option<f64>,
    /// The verdict.
    #[serde(default)]
    pub status: Option<ValidationStatus>,
}

/// An objection as a model words it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftIssue {
    /// Which check it comes from.
    #[serde(rename = "type")]
    pub kind: ValidationCheck,
    /// Ids of the findings that it is about: two or more for a contradiction.
    #[serde(default)]
    pub affected_findings: Vec<String>,
    /// What is wrong, in one sentence.
    #[serde(default)]
    pub description: String,
    /// What to do about it.
    #[serde(default)]
    pub suggested_action: String,
}

/// Say what is missing for an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GapsTask {
    /// The user's question.
    pub query: String,
    /// The checklist.
    pub sub_questions: Vec<SubQuestion>,
    /// How well each sub-question is answered, in per cent by its id, computed by code.
    pub coverage_by_question: BTreeMap<String, f64>,
    /// From so many per cent on a sub-question counts as answered.
    pub answered_from: f64,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What the data source counted.
    #[serde(default)]
    pub aggregations: Vec<AggregationResult>,
    /// Groups of the statistics of which no finding speaks.
    #[serde(default)]
    pub unexplored: Vec<String>,
    /// How much was read.
    pub coverage: Coverage,
    /// Names of the agents that could fill a gap.
    #[serde(default)]
    pub agents: Vec<String>,
}

/// A model's view of what is missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GapAnalyzerLlmResponse {
    /// Why, in one or two sentences.
    #[serde(default)]
    pub reasoning: String,
    /// What is missing; empty when nothing is.
    #[serde(default)]
    pub gaps: Vec<DraftGap>,
    /// Whether to go on.
    #[serde(default)]
    pub recommendation: Option<Recommendation>,
}

/// A gap as a model words it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DraftGap {
    /// What is missing, in one sentence.
    pub description: String,
    /// How much it matters: `high`, `medium` or `low`.
    #[serde(default)]
    pub importance: String,
    /// Name of the agent that could fill it.
    #[serde(default)]
    pub suggested_agent: Option<String>,
    /// Arguments for it.
    #[serde(default)]
    pub suggested_params: Object,
}
