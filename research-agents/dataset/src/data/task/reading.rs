//! Tasks that read: insights from aggregations, and findings from records.

use research_agents_report::claim::{Claim, Statement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::record::{AggregationResult, Object, Strength, SubQuestion};

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
    #[doc = " The text that quotes are taken from: `name: value` lines in field order, or the \
             record's long text."]
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
