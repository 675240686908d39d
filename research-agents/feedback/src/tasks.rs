//! The tasks that nodes ask the model port, with their prompts.

use research_agents_runtime::ask::Template;
use research_agents_runtime::tasks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::records::Growth;
#[cfg(doc)]
use crate::records::{ComplexityAnalysis, DecisionResult, LeadPlan};

tasks! {
    /// Judges a question. Input: [`ComplexityTask`]; answer: [`ComplexityAnalysis`].
    COMPLEXITY COMPLEXITY_PROMPT = "feedback.complexity" 1 "../prompts/complexity.v1.md",
    /// Plans a pass. Input: [`LeadTask`]; answer: [`LeadPlan`].
    LEAD LEAD_PROMPT = "feedback.lead" 1 "../prompts/lead.v1.md",
    /// Finds what passages say about a task. Input: [`AnalyzeTask`]; answer: [`AnalysisOutput`].
    ANALYZE ANALYZE_PROMPT = "feedback.analyze" 1 "../prompts/analyze.v1.md",
    /// Decides whether research continues. Input: [`DecideTask`]; answer: [`DecisionResult`].
    DECIDE DECIDE_PROMPT = "feedback.decide" 1 "../prompts/decide.v1.md",
}

/// The standing instructions of the lead researcher.
pub(crate) const LEAD_SYSTEM: Template = Template::new(
    "feedback.lead_system",
    1,
    include_str!("../prompts/lead_system.v1.md"),
);

/// Follows the prompt of the lead researcher after a decision to continue.
pub(crate) const GUIDANCE: Template = Template::new(
    "feedback.guidance",
    1,
    include_str!("../prompts/guidance.v1.md"),
);

/// A question whose complexity is judged.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ComplexityTask {
    /// The question.
    pub question: String,
}

/// A pass that is planned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LeadTask {
    /// The question.
    pub question: String,
    /// Number of passes before it.
    pub iteration: u32,
    /// Number of tasks that are researched in parallel.
    pub workers: u32,
    /// What was found since the lead researcher was asked last.
    pub findings: Vec<String>,
    /// The tasks of earlier passes.
    pub earlier_tasks: Vec<String>,
    /// Reasons of the decision to continue. Empty on the first pass.
    pub decision_reasoning: String,
    /// What the decision misses. Empty on the first pass.
    pub decision_key_factors: Vec<String>,
    /// Why the plan before this one could not be used.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub problem: String,
}

/// A passage as tasks see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PassageView {
    /// Its id.
    pub id: String,
    /// Site of its document.
    pub site: String,
    /// Address of its document.
    pub address: String,
    /// Title of its document.
    pub title: String,
    /// Headings above it, the outermost first.
    pub headings: Vec<String>,
    /// Its text.
    pub text: String,
}

/// Passages in which something about a task is sought.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AnalyzeTask {
    /// The user's question.
    pub question: String,
    /// The question of the task.
    pub task: String,
    /// The passages.
    pub passages: Vec<PassageView>,
}

/// What passages say about a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AnalysisOutput {
    /// What they say together.
    pub summary: String,
    /// The passages that say something about the task.
    pub findings: Vec<QuotedPassage>,
}

/// A passage with its sentences about a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["passage", "quotes"]))]
pub struct QuotedPassage {
    /// Id of the passage.
    pub passage: String,
    /// Its sentences about the task, word for word.
    #[schemars(length(max = 8))]
    pub quotes: Vec<String>,
}

/// A decision about further research.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DecideTask {
    /// The question.
    pub question: String,
    /// The statements of the memo, one a line.
    pub memo: String,
    /// Sentences of findings that propose something, while the resolution is not written.
    pub proposals: Vec<String>,
    /// How the last pass changed what is known.
    pub growth: Growth,
    /// Whether the last pass brought little.
    pub is_diminishing: bool,
    /// Tasks of the last pass that nothing was found about.
    pub without_findings: Vec<String>,
}
