//! Input of the validator.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::data::record::{Finding, SubQuestion};
use crate::data::review::ValidationCheck;

/// What the validator takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ValidatorInput {
    /// What was found.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// The checklist.
    #[serde(default)]
    pub sub_questions: Vec<SubQuestion>,
    /// The user's question.
    pub original_query: String,
    /// What to look at; all when empty.
    #[serde(default = "all")]
    pub validation_checks: Vec<ValidationCheck>,
}

pub(crate) fn all() -> Vec<ValidationCheck> {
    ValidationCheck::ALL.to_vec()
}
