//! The tasks that the synthesizer asks the model port, with their prompts.

use research_agents_runtime::ask::Template;
use research_agents_runtime::tasks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::memo::{Reflection, SectionKind};
use crate::relations::{Hub, Relation};

tasks! {
    /// Writes or updates a section. Input: [`SectionTask`]; answer: [`SectionEdits`].
    SECTION SECTION_PROMPT = "scr.section" 1 "../../prompts/section.v1.md",
    /// Refines a section once. Input: [`SectionTask`]; answer: [`SectionEdits`].
    REFINE REFINE_PROMPT = "scr.refine" 1 "../../prompts/refine.v1.md",
    /// Judges the first whole memo. Input: [`ReflectTask`]; answer: [`Reflection`].
    REFLECT REFLECT_PROMPT = "scr.reflect" 1 "../../prompts/reflect.v1.md",
}

/// The rules that every conversation about a memo begins with.
pub(crate) const SYSTEM_PROMPT: Template =
    Template::new("scr.system", 1, include_str!("../../prompts/system.v1.md"));

/// The rules that a conversation about a summary begins with.
pub(crate) const SUMMARY_SYSTEM_PROMPT: Template = Template::new(
    "scr.summary_system",
    1,
    include_str!("../../prompts/summary_system.v1.md"),
);

/// Follows a prompt if a decision continues the research.
pub(crate) const FEEDBACK_PROMPT: Template = Template::new(
    "scr.feedback",
    1,
    include_str!("../../prompts/feedback.v1.md"),
);

/// What a step does with a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// It is written for the first time.
    #[default]
    Write,
    /// It takes account of new findings.
    Update,
    /// It is improved by a reflection or a decision.
    Refine,
}

/// Why research continues, by the decision after the pass before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Feedback {
    /// The reasons, in words.
    pub reasoning: String,
    /// What is missing.
    pub key_factors: Vec<String>,
}

impl Feedback {
    /// Returns whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.reasoning.trim().is_empty() && self.key_factors.is_empty()
    }
}

/// A finding as tasks see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingView {
    /// Its number, such as `F3`.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Where it is from.
    pub source: String,
}

/// A statement as tasks see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatementView {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Numbers of its findings.
    pub findings: Vec<String>,
    /// The text of the other side, if findings contradict each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
}

/// Numbers about the findings of a memo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingsMetadata {
    /// Number of findings.
    pub count: usize,
    /// Number of their sources.
    pub total_sources: usize,
    /// Mean length of a finding in characters.
    pub average_length: usize,
}

/// What code computed from all findings for a section.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    /// Numbers about the findings.
    pub metadata: FindingsMetadata,
    /// For the situation: names with many relations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hubs: Vec<Hub>,
    /// Relations: of requirement for the situation, adversarial ones for the complication, enabling
    /// ones for the resolution.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relations: Vec<Relation>,
    /// For the complication: requirements that nothing meets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsatisfied: Vec<Relation>,
    /// Findings from before that are about the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub recalled: Vec<FindingView>,
}

/// A section that is written, updated or refined.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SectionTask {
    /// The question of the memo.
    pub question: String,
    /// The section.
    pub section: SectionKind,
    /// What is done with it.
    pub purpose: Purpose,
    /// Its statements that are nearest to the findings.
    pub statements: Vec<StatementView>,
    /// Statements of the sections before it.
    pub before: Vec<StatementView>,
    /// The findings that it does not take account of yet.
    pub findings: Vec<FindingView>,
    /// What code computed from all findings.
    pub known: Known,
    /// Why research continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
    /// The reflection on the memo, if it is refined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflection: Option<Reflection>,
}

/// A memo that is judged.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReflectTask {
    /// Its question.
    pub question: String,
    /// Its statements, section by section.
    pub memo: Vec<StatementView>,
    /// Numbers about its findings.
    pub metadata: FindingsMetadata,
    /// Number of sentences that were withheld.
    pub withheld: usize,
}

/// What changes in a section.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SectionEdits {
    /// The statements that are new or change.
    pub statements: Vec<StatementEdit>,
}

/// A statement that is new or changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StatementEdit {
    /// The statement that it replaces, such as `S2`. Absent for a new one.
    pub id: Option<String>,
    /// One sentence.
    pub text: String,
    /// The findings that carry it, such as `F3`.
    pub findings: Vec<String>,
}
