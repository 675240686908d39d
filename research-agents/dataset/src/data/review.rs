//! Records of agents that review a run: perspectives, validation, gaps.
//!
//! An agent that a host registers can return them under the same names as those of this library and
//! is accumulated in the same way.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::record::Object;

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

/// What a validator looks at.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ValidationCheck {
    /// Do findings or statistics contradict each other?
    Contradiction,
    /// Is a sub-question unanswered?
    Coverage,
    /// Does a finding rest on fewer records than the settings ask for?
    EvidenceStrength,
    /// Do the findings speak to the question?
    Relevance,
}

impl ValidationCheck {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Contradiction,
        Self::Coverage,
        Self::EvidenceStrength,
        Self::Relevance,
    ];

    /// Returns the name that it has in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Contradiction => "contradiction",
            Self::Coverage => "coverage",
            Self::EvidenceStrength => "evidence_strength",
            Self::Relevance => "relevance",
        }
    }
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
    /// Ids of the findings that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub affected_findings: Vec<String>,
    /// A model says so and code did not find it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub advisory: bool,
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
    /// A model says so and code did not find it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub advisory: bool,
}

/// The thresholds by which a run is reviewed.
///
/// ```
/// use research_agents_dataset::{DatasetConfig, ReviewRules};
///
/// let review = ReviewRules { min_sources: 2, ..ReviewRules::default() };
/// let config = DatasetConfig { review, ..DatasetConfig::default() };
/// assert_eq!(config.review.answered_threshold, 0.7);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReviewRules {
    /// Number of points of view that are asked for, 1 to 8. Defaults to 3.
    pub perspectives: usize,
    /// Minimum number of records of a finding; one with fewer is weak. Defaults to 3.
    pub min_sources: usize,
    /// Confidence, 0 to 1, at which a sub-question counts as answered. Defaults to 0.7.
    pub answered_threshold: f64,
    /// Number of newest batches that decide whether the returns diminish, at least 1. Defaults to
    /// 3.
    pub recent_batches: usize,
    /// Maximum number of new findings of a batch that count as few. Defaults to 1.
    pub few_new_findings: usize,
}

impl Default for ReviewRules {
    fn default() -> Self {
        Self {
            perspectives: 3,
            min_sources: 3,
            answered_threshold: 0.7,
            recent_batches: 3,
            few_new_findings: 1,
        }
    }
}

impl ReviewRules {
    /// Returns the first setting that is out of its range, and what is wrong with it.
    pub(crate) fn problem(&self) -> Option<(&'static str, String)> {
        if !PERSPECTIVES.contains(&self.perspectives) {
            let (least, most) = PERSPECTIVES.into_inner();
            return Some(("review.perspectives", format!("must be {least} to {most}")));
        }
        if self.recent_batches == 0 {
            return Some(("review.recent_batches", "must be at least 1".to_owned()));
        }
        let is_share = (0.0..=1.0).contains(&self.answered_threshold);
        (!is_share).then(|| ("review.answered_threshold", "must be 0 to 1".to_owned()))
    }
}

/// The number of points of view of one call.
pub(crate) const PERSPECTIVES: std::ops::RangeInclusive<usize> = 1..=8;

/// Confidence per sub-question id, 0 to 1.
pub type QuestionConfidence = BTreeMap<String, f64>;
