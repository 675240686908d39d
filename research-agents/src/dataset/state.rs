//! The state of a run.

use std::collections::{BTreeMap, HashSet};

use research_core::{Log, State};
use research_llm::ModelInfo;
use research_mcp::Tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clarify::Doubt;
use super::contribution::Contribution;
use super::event::Phase;
use super::note::Note;
use super::record::{AggregationResult, Coverage, Finding, Object, ReportFormat, SubAgentCall, SubQuestion, ToolCall};
use super::review::{Perspective, QuestionConfidence, Recommendation, ResearchGap, ValidationIssue, ValidationStatus};
use super::scope::Ledger;
use super::task::{Clarified, PlannerOutput, QueryOverrides, ToolFacts, Turn};
use super::turns::Earlier;
use crate::ErrorCategory;
use crate::kernel::tape::TaskRecord;
use crate::kernel::{Chart, Language, Report, Source, SourceRegistry, Statement, Usage};

/// The state of a run of the dataset agent.
///
/// The first fields are the input; all others are written by the nodes. `outcomes` is how calls that run side by side hand
/// over their results: it folds in the order of the plan, whichever finishes first, and holds for one step.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
#[state(crate = research_core)]
pub struct DatasetState {
    /// The user's question.
    pub question: String,
    /// Id of the conversation that the run belongs to, for the host.
    pub conversation_id: Option<String>,
    /// Filters and grouping that the user fixed.
    pub overrides: QueryOverrides,
    /// Tools that may be used, by name; all that [only read](super::only_reads) when empty.
    pub requested_tools: Vec<String>,
    /// Shape of the report.
    pub format: ReportFormat,
    /// Times the planner may be asked; 0 takes the configuration's value.
    pub max_iterations: u32,
    /// What the run began with, where it is recorded.
    #[serde(default)]
    pub recorded: Option<Box<Recorded>>,
    /// The language of the answer that the user fixed; the configuration's when none, and that of the question when that says
    /// none either.
    #[serde(default)]
    pub requested_language: Option<Language>,

    /// The language that the question is asked in; English when that is not certain.
    #[serde(default)]
    pub question_language: Language,
    /// The language of the answer: the one that was fixed, else that of the question. The offline model answers in English.
    #[serde(default)]
    pub language: Language,
    /// Earlier questions of the thread, the newest ten.
    #[serde(default)]
    pub turns: Vec<Turn>,
    /// What was gathered for them.
    #[serde(default)]
    pub earlier: Earlier,
    /// What the user answered when asked what is meant, in the user's words.
    #[serde(default)]
    pub answers: Vec<String>,

    /// Who serves the model.
    pub llm_provider: String,
    /// Name of the model.
    pub llm_model: String,
    /// The tools that were discovered.
    pub available_tools: Vec<ToolFacts>,
    /// Names of those that may be used.
    pub enabled_tools: Vec<String>,
    /// Those that may be used as their servers listed them, with their schemas.
    #[serde(default)]
    pub listed_tools: Vec<Tool>,

    /// The question is looked at once more before it is planned.
    #[serde(default)]
    pub is_unclear: bool,
    /// What of the question the program takes for ambiguous.
    #[serde(default)]
    pub doubts: Vec<Doubt>,
    /// What was settled about it.
    #[serde(default)]
    pub clarifications: Vec<Clarified>,

    /// Number of plans so far.
    pub iteration: u32,
    /// The newest plan.
    pub research_plan: Option<PlannerOutput>,
    /// Sub-agent calls of the plan that wait for others.
    pub pending_sub_agent_calls: Vec<SubAgentCall>,
    /// Tool calls of the plan that are under way.
    pub pending_tool_calls: Vec<ToolCall>,
    /// Calls that are done, in the order of their plans.
    #[reduce(append)]
    pub completed_calls: Vec<CompletedCall>,
    /// Results of the calls of the last step.
    #[reduce(append, ephemeral)]
    pub outcomes: Vec<CallOutcome>,
    /// Why the planner decided as it did.
    #[reduce(append)]
    pub thinking_steps: Vec<String>,
    /// What went wrong or was changed, in words.
    #[reduce(append)]
    pub notes: Vec<Note>,

    /// The checklist.
    pub sub_questions: Vec<SubQuestion>,
    /// Points of view.
    pub perspectives: Vec<Perspective>,
    /// One for each claim.
    pub findings: Vec<Finding>,
    /// Ids of findings by theme.
    pub findings_by_theme: BTreeMap<String, Vec<String>>,
    /// What data sources computed.
    pub aggregation_results: Vec<AggregationResult>,
    /// What the aggregations show, checked.
    pub insights: Vec<Statement>,
    /// The records that came, each once.
    pub extracted_sources: SourceRegistry,
    /// What was read of what matches.
    pub ledger: Ledger,
    /// Records that match, when known.
    pub total_docs_available: Option<u64>,
    /// Distinct records that came.
    pub docs_fetched: u64,
    /// Distinct records that were read for findings.
    pub total_docs_processed: u64,
    /// Source ids of the records that were read for findings.
    pub processed_doc_ids: Vec<String>,
    /// A scan would bring something, and none has run.
    pub needs_full_scan: bool,
    /// Consecutive data-fetching batches without a new finding.
    pub batches_with_no_new_findings: u32,
    /// New findings of each batch that was read, in their order.
    pub batch_findings: Vec<usize>,
    /// The last data call that gave a result.
    pub last_successful_tool_args: Option<ToolCall>,
    /// Charts that a user interface can draw.
    pub chart_configs: Vec<Chart>,

    /// A validator's verdict.
    pub validation_status: Option<ValidationStatus>,
    /// What it objects to.
    pub validation_issues: Vec<ValidationIssue>,
    /// Confidence, 0 to 1: a validator's, or computed from coverage.
    pub overall_confidence: f64,
    /// A validator has given the confidence.
    pub confidence_is_validated: bool,
    /// Confidence per sub-question id.
    pub question_confidence: QuestionConfidence,
    /// What is missing.
    pub gaps_identified: Vec<ResearchGap>,
    /// What a gap analysis recommends.
    pub recommendation: Option<Recommendation>,

    /// Why the research ended.
    pub completion: Option<Completion>,
    /// The report, as Markdown.
    pub final_report: Option<String>,
    /// The same as a document, when the agent that wrote it gave one.
    pub final_document: Option<Report>,
    /// The most important findings of the report.
    pub key_findings: Vec<String>,
    /// What the reader must know.
    pub limitations: Vec<String>,
    /// Where to look next.
    pub suggestions: Vec<String>,
    /// What the run is doing.
    pub current_phase: Phase,
    /// How far it is, 0 to 100.
    pub progress_percentage: u8,
    /// The newest failure.
    pub error_message: Option<String>,
    /// Tokens and calls.
    #[reduce(with = add_usage)]
    pub usage: Usage,
    /// US dollars for the model; none when nobody knows its price.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// Milliseconds that all processes of the run have worked on it, as far as they were recorded.
    #[serde(default)]
    pub active_ms: u64,
    /// What the tasks did outside and told, where the run is recorded.
    #[reduce(append)]
    #[serde(default)]
    pub recording: Log<TaskRecord>,
}

fn add_usage(total: &mut Usage, more: Usage) {
    *total += more;
}

impl DatasetState {
    /// How much of the matching data was read.
    pub fn coverage(&self) -> Coverage {
        self.ledger.coverage()
    }

    /// The enabled tools.
    pub fn tools(&self) -> impl Iterator<Item = &ToolFacts> {
        self.available_tools.iter().filter(|tool| self.enabled_tools.contains(&tool.name))
    }

    /// An enabled tool as its server listed it.
    pub fn listed_tool(&self, name: &str) -> Option<&Tool> {
        self.listed_tools.iter().find(|tool| tool.exposed_name == name)
    }

    /// There is something to report on: an aggregation, a finding or a completed tool call.
    pub fn has_data(&self) -> bool {
        !self.aggregation_results.is_empty()
            || !self.findings.is_empty()
            || !self.extracted_sources.is_empty()
            || self.completed_calls.iter().any(|call| call.fetched_data && call.error.is_none())
    }

    /// The records that came and were not read for findings, in the order in which they came: what an extractor reads. They are
    /// no more than the documents that a run keeps, 300 at most.
    pub fn unread(&self) -> impl Iterator<Item = &Source> {
        let read: HashSet<&str> = self.processed_doc_ids.iter().map(String::as_str).collect();
        self.extracted_sources.iter().map(AsRef::as_ref).filter(move |source| !read.contains(source.id.as_str()))
    }

    /// Id of the next aggregation is `A` with this number.
    pub(crate) fn next_table(&self) -> usize {
        let known = self.aggregation_results.iter().map(AggregationResult::number);
        known.chain([self.earlier.tables]).max().unwrap_or_default() + 1
    }
}

/// What a recorded run began with: all that it takes, beside the recording, to go through it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// What it was asked to do.
    pub input: RunInput,
    /// The settings, as JSON.
    pub settings: Value,
    /// What was known about the model.
    pub model: ModelInfo,
    /// The word that marked untrusted lines in its prompts.
    pub marker: String,
}

/// What a run is asked to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunInput {
    /// The user's question.
    pub question: String,
    /// Filters and grouping that the user fixed.
    pub overrides: QueryOverrides,
    /// Tools that may be used, by name; all that [only read](super::only_reads) when empty.
    pub requested_tools: Vec<String>,
    /// Shape of the report.
    pub format: ReportFormat,
    /// Times the planner may be asked; 0 takes the configuration's value.
    pub max_iterations: u32,
    /// The language of the answer that the user fixed.
    #[serde(default)]
    pub language: Option<Language>,
    /// Earlier questions of the thread.
    #[serde(default)]
    pub turns: Vec<Turn>,
    /// What was gathered for them.
    #[serde(default)]
    pub earlier: Earlier,
    /// The user could be asked what is meant.
    #[serde(default)]
    pub can_ask: bool,
    /// What the user answered.
    #[serde(default)]
    pub answers: Vec<String>,
}

impl RunInput {
    /// What the run of this state is asked to do.
    pub(crate) fn of(state: &DatasetState, can_ask: bool) -> Self {
        Self {
            question: state.question.clone(),
            overrides: state.overrides.clone(),
            requested_tools: state.requested_tools.clone(),
            format: state.format,
            max_iterations: state.max_iterations,
            language: state.requested_language,
            turns: state.turns.clone(),
            earlier: state.earlier.clone(),
            can_ask,
            answers: Vec::new(),
        }
    }
}

impl From<RunInput> for DatasetState {
    fn from(input: RunInput) -> Self {
        Self {
            question: input.question,
            overrides: input.overrides,
            requested_tools: input.requested_tools,
            format: input.format,
            max_iterations: input.max_iterations,
            requested_language: input.language,
            turns: input.turns,
            earlier: input.earlier,
            ..Self::default()
        }
    }
}

/// Why the research ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Completion {
    /// All matching records were read.
    AllDocumentsRead,
    /// Confidence reached its threshold.
    Confidence,
    /// The planner was asked as often as allowed.
    MaxIterations,
    /// Several batches in a row brought nothing new.
    NoNewFindings,
    /// The planner asked for the report.
    Planner,
    /// Planning failed.
    PlanningFailed,
    /// The host or user stopped the run.
    Cancelled,
    /// The budget is used up.
    Budget,
}

/// A call of the plan on its way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "path", rename_all = "snake_case")]
pub enum Call {
    /// A sub-agent.
    Agent(SubAgentCall),
    /// A tool.
    Tool(ToolCall),
}

/// The result of one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallOutcome {
    /// The call.
    pub call: Call,
    /// From its start to its end, in milliseconds.
    pub elapsed_ms: u64,
    /// It read data, or tried to.
    pub fetched_data: bool,
    /// What it adds; empty when it failed.
    pub contribution: Box<Contribution>,
    /// Why it failed.
    pub error: Option<CallError>,
}

/// A failure as the state keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallError {
    /// One of nine categories.
    pub category: ErrorCategory,
    /// In words, which may be those of a server, a model or a plan.
    pub message: String,
    /// The same for a reader: in words of the program alone. Empty where they are not known.
    #[serde(default)]
    pub told: String,
    /// The call could not begin: its arguments, or the name that was called, are wrong.
    #[serde(default)]
    pub is_invalid: bool,
}

impl CallError {
    /// What is noted about it.
    pub(crate) fn note(&self) -> Note {
        if self.told.is_empty() {
            return Note::from(self.message.as_str());
        }
        Note::own(self.told.as_str()).in_full(self.message.as_str())
    }
}

/// A call that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompletedCall {
    /// The iteration it was planned in.
    pub iteration: u32,
    /// Id of the call in its plan.
    pub id: String,
    /// Name of the agent or tool.
    pub name: String,
    /// Arguments.
    pub arguments: Object,
    /// From its start to its end, in milliseconds.
    pub elapsed_ms: u64,
    /// It read data, or tried to.
    pub fetched_data: bool,
    /// Why it failed.
    pub error: Option<CallError>,
}
