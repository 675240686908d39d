//! The records of a run: complexity, plan, findings, decision and verification.

use research_agents_fieldwork::findings::FieldFailure;
use research_agents_report::passage::{Document, Found, Span};
use research_llm::Tier;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much research a question needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComplexityLevel {
    /// One document may answer it.
    Simple,
    /// Several documents answer it together.
    #[default]
    Medium,
    /// It has several sides that depend on each other.
    Complex,
}

/// The tier of models that a question needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecommendedModel {
    /// Quick and cheap.
    Turbo,
    /// For most work.
    #[default]
    Plus,
    /// The ablest.
    Max,
}

impl From<RecommendedModel> for Tier {
    fn from(model: RecommendedModel) -> Self {
        match model {
            RecommendedModel::Turbo => Self::Turbo,
            RecommendedModel::Plus => Self::Plus,
            RecommendedModel::Max => Self::Max,
        }
    }
}

/// How much research a question needs, and what for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ComplexityAnalysis {
    /// How complex it is.
    pub complexity_level: ComplexityLevel,
    /// Number of tasks that are researched in parallel, 1 to 5.
    pub recommended_workers: u32,
    /// Maximum number of passes, 1 to 3.
    pub max_iterations: u32,
    /// Why, in words.
    pub rationale: String,
    /// The tier of models that it needs.
    pub recommended_model: RecommendedModel,
}

impl Default for ComplexityAnalysis {
    /// Returns what holds when nothing is known: medium, 2 workers, 2 passes, `plus`.
    fn default() -> Self {
        Self {
            complexity_level: ComplexityLevel::Medium,
            recommended_workers: 2,
            max_iterations: 2,
            rationale: String::new(),
            recommended_model: RecommendedModel::Plus,
        }
    }
}

impl ComplexityAnalysis {
    /// Returns the analysis with its numbers within their ranges.
    pub(crate) fn clamped(mut self) -> Self {
        self.recommended_workers = self.recommended_workers.clamp(1, 5);
        self.max_iterations = self.max_iterations.clamp(1, 3);
        self
    }
}

/// A way to research a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Approach {
    /// What is done.
    pub description: String,
    /// What speaks for it.
    #[schemars(length(max = 4))]
    pub advantages: Vec<String>,
    /// What speaks against it.
    #[schemars(length(max = 4))]
    pub disadvantages: Vec<String>,
    /// How well it suits the question.
    pub suitability: String,
}

/// A task as the lead researcher proposes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["description"]))]
pub struct ProposedTask {
    /// The question that a searcher works on.
    pub description: String,
    /// What it contributes to the decision.
    pub rationale: String,
    /// Queries to search with. Without one the description is the query.
    #[schemars(length(max = 3))]
    pub queries: Vec<String>,
    /// Ids of tasks that it builds on.
    #[schemars(length(max = 16))]
    pub dependencies: Vec<String>,
}

/// A plan of the lead researcher.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LeadPlan {
    /// On the first pass, three ways to research the question. Empty later.
    #[schemars(length(max = 3))]
    pub approaches: Vec<Approach>,
    /// The approach that is taken, 0 to 2.
    pub selected_approach_index: usize,
    /// Why it is taken.
    pub selection_reasoning: String,
    /// The tasks of the pass, at least one.
    #[schemars(length(max = 32))]
    pub tasks: Vec<ProposedTask>,
    /// Notes of the lead researcher.
    pub scratchpad: String,
}

/// A task of a searcher.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResearchTask {
    /// Id within the run, such as `t2`.
    pub id: String,
    /// The question that it works on.
    pub description: String,
    /// What it contributes to the decision.
    pub rationale: String,
    /// Queries to search with.
    pub queries: Vec<String>,
    /// Ids of tasks that it builds on.
    pub dependencies: Vec<String>,
}

/// What came of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Passages say something about it.
    Found,
    /// The sources were searched, and no passage says anything about it.
    #[default]
    Nothing,
    /// No source could be searched.
    Failed,
}

/// A passage that says something about a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundPassage {
    /// Its document.
    pub document: Document,
    /// Its place in the text of the document.
    pub span: Span,
    /// How it was found.
    pub found: Found,
    /// Its sentences about the task, each as it is in the passage.
    pub quotes: Vec<String>,
    /// How credible its site is, 0 to 1.
    pub credibility: f64,
}

/// What a searcher brought back from a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SubagentFinding {
    /// The task.
    pub task: ResearchTask,
    /// The pass, counted from 1.
    pub iteration: u32,
    /// What came of it.
    pub status: TaskStatus,
    /// What the passages say together, in words of the model port.
    pub summary: String,
    /// The passages.
    pub passages: Vec<FoundPassage>,
    /// The calls that failed.
    pub failures: Vec<FieldFailure>,
    /// Number of hits that the limits left out.
    pub beyond: usize,
}

/// A document that was read, once for all tasks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VisitedSource {
    /// Its address.
    pub identifier: String,
    /// Who publishes it.
    pub source_type: String,
}

/// Whether research continues.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DecisionResult {
    /// Whether another pass is needed.
    pub needs_more_research: bool,
    /// How sure a decision can be with what is known, 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reasoning: String,
    /// What is missing, the most important first.
    #[schemars(length(max = 8))]
    pub key_factors: Vec<String>,
}

/// How a pass changed what is known: each number before it and after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// The pass, counted from 1.
    pub iteration: u32,
    /// Characters of the memo.
    pub synthesis_length: [usize; 2],
    /// Findings.
    pub findings: [usize; 2],
    /// Documents that are cited.
    pub citations: [usize; 2],
    /// Mean growth of the three, 0.1 for ten percent. `None` after the first pass.
    pub mean: Option<f64>,
}

impl Growth {
    /// Mean growth below which a pass brought little.
    pub const LITTLE: f64 = 0.1;

    /// Returns whether the pass brought little.
    pub fn is_diminishing(&self) -> bool {
        self.mean.is_some_and(|mean| mean < Self::LITTLE)
    }

    /// Computes the mean growth.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the numbers of a memo are far below 2^52"
    )]
    pub(crate) fn with_mean(mut self) -> Self {
        let pairs = [self.synthesis_length, self.findings, self.citations];
        let grown =
            pairs.map(|[before, after]| (after as f64 - before as f64) / before.max(1) as f64);
        self.mean = (self.iteration > 1).then(|| grown.iter().sum::<f64>() / grown.len() as f64);
        self
    }
}

/// What verification found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct VerificationResult {
    /// Whether every statement holds.
    pub is_valid: bool,
    /// Statements that are not carried by their passages: id, and why.
    pub corrections: Vec<(String, String)>,
    /// Share of statements that do not hold. `None` without statements.
    pub hallucination_score: Option<f64>,
}
