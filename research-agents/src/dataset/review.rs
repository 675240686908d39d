//! Records of agents that review a run: perspectives, validation, gaps.
//!
//! The agents of this library that make them come with the registry's full set; an agent that a host registers can return
//! them under the same names and is accumulated in the same way.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::Object;

/// A point of view from which to ask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Perspective {
    /// Unique in the run, such as *Regional Expert*.
    pub name: String,
    /// What it looks at.
    pub focus: String,
    /// What it would ask.
    #[serde(default)]
    pub questions: Vec<String>,
    /// Words to search for.
    #[serde(default)]
    pub keywords: Vec<String>,
}

/// A validator's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ValidationStatus {
    /// Good enough to report.
    Passed,
    /// More data or another look is needed.
    NeedsRevision,
    /// The findings do not answer the question.
    Failed,
}

/// Something that a validator objects to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValidationIssue {
    /// Which check it comes from, such as `coverage`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What is wrong.
    pub description: String,
    /// How bad: `high`, `medium` or `low`.
    pub severity: String,
    /// What to do about it.
    #[serde(default)]
    pub suggested_action: String,
}

/// What a gap analysis recommends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Recommendation {
    /// A critical question is not answered well enough.
    ContinueResearch,
    /// All questions are answered well.
    SufficientCoverage,
    /// More reading brings little.
    DiminishingReturns,
}

/// What is missing for an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResearchGap {
    /// What is missing.
    pub description: String,
    /// How much it matters: `high`, `medium` or `low`.
    #[serde(default)]
    pub importance: String,
    /// Registered name of the agent that could fill it.
    #[serde(default)]
    pub suggested_agent: Option<String>,
    /// Arguments for it.
    #[serde(default)]
    pub suggested_params: Object,
}

/// Confidence per sub-question id, 0 to 1.
pub type QuestionConfidence = BTreeMap<String, f64>;
