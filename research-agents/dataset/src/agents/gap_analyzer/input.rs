//! Input of the gap analyzer.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::data::record::{AggregationResult, Finding, SubQuestion};

/// What the gap analyzer takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct GapAnalyzerInput {
    /// The user's question.
    pub original_query: String,
    /// What was found.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// The checklist.
    #[serde(default)]
    pub sub_questions: Vec<SubQuestion>,
    /// What data sources computed.
    #[serde(default)]
    pub aggregation_results: Vec<AggregationResult>,
    /// Records that were read for findings.
    #[serde(default)]
    pub docs_processed: u64,
    /// Records that match, when known.
    #[serde(default)]
    pub total_docs_available: Option<u64>,
}
