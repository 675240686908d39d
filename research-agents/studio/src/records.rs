//! The records of a run: analysis, plan, what sub-agents bring back, claims, gaps and quality.

use std::collections::BTreeMap;
use std::ops::Range;

use research_agents_fieldwork::findings::FieldFailure;
use research_agents_report::check::grounded::Says;
use research_agents_report::passage::{Document, Found, Span};
use research_agents_report::trust::Mark;
use research_agents_report::trust::value::Value;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answers::gaps::GapKind;

/// How ambiguous a question is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ambiguity {
    /// It has one reading.
    #[default]
    None,
    /// It has several readings, one of which is by far the likeliest.
    Low,
    /// It has several readings that are as likely as each other.
    High,
}

/// How an analysis was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnalysisMethod {
    /// By a language model.
    #[default]
    Model,
    /// By rules, from the question and the sources.
    Computed,
}

/// What a question asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QueryAnalysis {
    /// What the user wants to know or do. `None` if it was not determined.
    pub intent: Option<String>,
    /// The class of the question, such as `date`, `definition` or `overview`.
    pub query_class: String,
    /// What the question is about.
    pub primary_subject: String,
    /// The side of the subject that the question is about.
    pub topic_focus: Option<String>,
    /// The time that the question is about.
    pub temporal_scope: Option<String>,
    /// How much research it needs: `simple`, `moderate` or `complex`.
    pub complexity: String,
    /// How ambiguous it is.
    pub ambiguity_level: Ambiguity,
    /// Whether the user must be asked what is meant.
    pub needs_clarification: bool,
    /// The question to the user.
    pub clarification_question: Option<String>,
    /// Readings to choose from, the likeliest first.
    #[schemars(length(max = 4))]
    pub clarification_options: Vec<String>,
    /// Questions whose answers together answer it.
    #[schemars(length(max = 4))]
    pub suggested_questions: Vec<String>,
    /// How the analysis was made.
    pub analysis_method: AnalysisMethod,
}

impl QueryAnalysis {
    /// The complexity of a question with one answer.
    pub const SIMPLE: &str = "simple";
}

/// A question that one sub-agent researches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["question"]))]
pub struct ResearchQuestion {
    /// Id within the run, such as `q1`. The planner node sets it.
    pub id: String,
    /// The question.
    pub question: String,
    /// Section of the outline that the answer belongs to.
    pub section: String,
    /// How important it is, 0 to 1.
    pub priority: f64,
    /// Queries to search with. Without one the question itself is the query.
    #[schemars(length(max = 3))]
    pub queries: Vec<String>,
}

/// A plan of research.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ResearchPlan {
    /// What the report is about.
    pub topic: String,
    /// Sections of the report, in order.
    #[schemars(length(max = 32))]
    pub outline: Vec<String>,
    /// The questions, the most important first.
    #[schemars(length(max = 32))]
    pub research_questions: Vec<ResearchQuestion>,
    /// How much research it needs: `simple`, `moderate` or `complex`.
    pub estimated_complexity: String,
}

impl ResearchPlan {
    /// Returns the question with this id.
    pub fn question(&self, id: &str) -> Option<&ResearchQuestion> {
        self.research_questions
            .iter()
            .find(|question| question.id == id)
    }

    /// Returns the next free id of a question.
    pub(crate) fn next_id(&self) -> String {
        format!("q{}", self.research_questions.len() + 1)
    }
}

/// A hit of the first look at the sources.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoutHit {
    /// Name of the source.
    pub source: String,
    /// Title of the document.
    pub title: String,
    /// Headings above the passage, the outermost first.
    pub headings: Vec<String>,
    /// Score of the source, comparable within one source only.
    pub score: f64,
}

/// A document that a sub-agent read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RawSource {
    /// The sub-agent.
    pub subagent_id: String,
    /// Name of the source that gave it.
    pub source: String,
    /// The document.
    pub document: Document,
    /// How credible its site is, 0 to 1.
    pub credibility: f64,
}

/// A quote in a passage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RawQuote {
    /// Its place among the answers of the sub-agent; 0 for the best one.
    #[serde(default)]
    pub rank: usize,
    /// Its place in the text of the passage, in bytes.
    pub place: Range<usize>,
    /// The value that it gives as the answer, if that has a type.
    pub value: Option<Value>,
}

/// A passage that a sub-agent kept, with the quotes that answer its question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RawEvidence {
    /// The sub-agent.
    pub subagent_id: String,
    /// Id of the question.
    pub question: String,
    /// Section of the outline that it belongs to.
    pub section: String,
    /// Site of its document.
    pub site: String,
    /// Address of its document.
    pub address: String,
    /// Its place in the text of the document.
    pub span: Span,
    /// How it was found.
    pub found: Found,
    /// The quotes that answer the question.
    pub quotes: Vec<RawQuote>,
}

/// What a sub-agent did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SubagentFindings {
    /// The sub-agent.
    pub subagent_id: String,
    /// Id of the question.
    pub question: String,
    /// The round, counted from 1.
    pub round: u32,
    /// Share of the quotes that answer the question among the passages, 0 to 1.
    pub confidence: f64,
    /// Number of times that it searched and read: 1 or 2.
    pub iterations_used: u32,
    /// Number of searches that were answered.
    pub searches: usize,
    /// Number of hits.
    pub hits: usize,
    /// Number of hits that the limits left out.
    pub beyond: usize,
    /// Number of passages that hold words of the question.
    pub passages: usize,
    /// The calls that failed.
    pub failures: Vec<FieldFailure>,
    /// What led nowhere, in words.
    pub dead_ends: Vec<String>,
}

/// A claim with what was computed about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrustedClaim {
    /// Id within the run, such as `c1`.
    pub cid: String,
    /// The sentence.
    pub text: String,
    /// Section of the outline that it belongs to.
    pub section: String,
    /// Id of the question that it answers, if it answers one.
    pub question: Option<String>,
    /// The quotes that carry it.
    pub quotes: Vec<Says>,
    /// The mark. `None` if it is not verified.
    pub mark: Option<Mark>,
    /// The confidence, 0 to 1; 0 if it is not verified.
    pub confidence: f64,
}

/// How bad a gap is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The report can do without.
    Low,
    /// The report says less than it should.
    Medium,
    /// A question or a section has no answer.
    High,
}

/// Something that is not known, or not well enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnowledgeGap {
    /// Section of the outline.
    pub section: String,
    /// Id of the question, if it is about one.
    pub question: Option<String>,
    /// What it is.
    pub kind: GapKind,
    /// How bad it is.
    pub severity: Severity,
    /// What is missing, in words.
    pub description: String,
    /// Queries that may close it, at most two.
    pub suggested_queries: Vec<String>,
}

/// The quality of a run, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResearchMetadata {
    /// Number of rounds.
    pub iterations: u32,
    /// Number of documents that sub-agents read, before those that are the same were merged.
    pub raw_sources: usize,
    /// Number of distinct documents.
    pub sources: usize,
    /// Number of distinct passages.
    pub evidence: usize,
    /// Number of claims.
    pub claims: usize,
    /// Number of claims that are verified.
    pub verified: usize,
    /// Number of claims that independent sources agree on.
    pub cross_validated: usize,
    /// Share of claims that are not verified. `None` without claims.
    pub hallucination_score: Option<f64>,
    /// Mean confidence of the sections, 0 to 1.
    pub overall_confidence: f64,
    /// Confidence by section, 0 to 1.
    pub section_confidence: BTreeMap<String, f64>,
    /// Number of gaps.
    pub gaps: usize,
}
