//! The state of a run.

use std::collections::{BTreeMap, HashSet};

use research_agents_report::chart::Chart;
use research_agents_report::claim::Statement;
use research_agents_report::document::Report;
use research_agents_report::evidence::{Source, SourceRegistry};
use research_agents_report::language::Language;
use research_agents_runtime::event::Note;
use research_agents_runtime::limits::{Usage, add_usage};
use research_agents_runtime::run::Beginning;
use research_agents_runtime::tape::TaskRecord;
use research_core::{Log, State};
use research_mcp::Tool;
use serde::{Deserialize, Serialize};

use crate::data::call::{CallOutcome, CompletedCall};
use crate::data::completion::Completion;
use crate::data::event::Phase;
use crate::data::record::{
    AggregationKind, AggregationResult, Coverage, Finding, ReportFormat, SubAgentCall, SubQuestion,
    ToolCall,
};
use crate::data::review::{
    Perspective, QuestionConfidence, Recommendation, ResearchGap, ValidationIssue, ValidationStatus,
};
use crate::data::task::conversation::{Clarified, Turn};
use crate::data::task::question::shape::AnswerShape;
use crate::data::task::{PlannerOutput, QueryOverrides, ReadQuestion, ToolFacts};
use crate::found::coverage::Ledger;
use crate::question::doubt::Doubt;
use crate::state::earlier::Earlier;
use crate::state::input::RunInput;

/// The state of a run of the dataset agent.
///
/// The first fields are the input; the nodes write all others. Concurrent calls return their
/// results in `outcomes`, which is folded in the order of the plan, whichever call finishes first,
/// and is empty again after one step.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
#[state(crate = research_core)]
pub struct DatasetState {
    /// The user's question.
    pub question: String,
    /// Id of the conversation that the run belongs to, for the host.
    pub conversation_id: Option<String>,
    /// Filters and grouping that the user fixed.
    pub overrides: QueryOverrides,
    /// Tools that may be used, by name; all that [only read](crate::tools::only_reads::only_reads)
    /// when empty.
    pub requested_tools: Vec<String>,
    /// Shape of the report.
    pub format: ReportFormat,
    /// Times the planner may be asked; 0 takes the configuration's value.
    pub max_iterations: u32,
    /// The input that the run began with, if it is recorded.
    #[serde(default)]
    pub recorded: Option<Box<Beginning<RunInput>>>,
    /// The language of the answer that the user fixed. Without it, the configuration's language
    /// applies, else that of the question.
    #[serde(default)]
    pub requested_language: Option<Language>,

    /// The language that the question is asked in; English when that is not certain.
    #[serde(default)]
    pub question_language: Language,
    /// The language of the answer: the one that was fixed, else that of the question. The offline
    /// model answers in English.
    #[serde(default)]
    pub language: Language,
    /// Earlier questions of the thread, the newest ten.
    #[serde(default)]
    pub turns: Vec<Turn>,
    /// Evidence that was gathered for the earlier questions.
    #[serde(default)]
    pub earlier: Earlier,
    /// The user's answers to questions of the run, in the user's words.
    #[serde(default)]
    pub answers: Vec<String>,

    /// The provider of the model.
    pub llm_provider: String,
    /// Name of the model.
    pub llm_model: String,
    /// The tools that were discovered.
    pub available_tools: Vec<ToolFacts>,
    /// Names of the tools that may be used.
    pub enabled_tools: Vec<String>,
    /// The tools that may be used, as their servers listed them, with their schemas.
    #[serde(default)]
    pub listed_tools: Vec<Tool>,

    /// The question in terms of the fields of a tool; none where no tool describes its fields.
    #[serde(default)]
    pub reading: Option<ReadQuestion>,
    /// Whether the question is checked for ambiguity before it is planned.
    #[serde(default)]
    pub is_unclear: bool,
    /// Parts of the question that the program takes for ambiguous.
    #[serde(default)]
    pub doubts: Vec<Doubt>,
    /// Ambiguities that were settled.
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
    /// Finished calls, in the order of their plans.
    #[reduce(append)]
    pub completed_calls: Vec<CompletedCall>,
    /// Results of the calls of the last step.
    #[reduce(append, ephemeral)]
    pub outcomes: Vec<CallOutcome>,
    /// Reasons of the planner's decisions.
    #[reduce(append)]
    pub thinking_steps: Vec<String>,
    /// Notes on what went wrong or was changed.
    #[reduce(append)]
    pub notes: Vec<Note>,

    /// The checklist.
    pub sub_questions: Vec<SubQuestion>,
    /// Points of view.
    pub perspectives: Vec<Perspective>,
    /// The findings, one for each claim.
    pub findings: Vec<Finding>,
    /// Ids of findings by theme.
    pub findings_by_theme: BTreeMap<String, Vec<String>>,
    /// Aggregations that data sources computed.
    pub aggregation_results: Vec<AggregationResult>,
    /// Checked insights into the aggregations.
    pub insights: Vec<Statement>,
    /// The records that the tools returned, each once.
    pub extracted_sources: SourceRegistry,
    /// The ledger of what was read of what matches.
    pub ledger: Ledger,
    /// Records that match, when known.
    pub total_docs_available: Option<u64>,
    /// Records read, of those whose number is `total_docs_available`.
    pub docs_fetched: u64,
    /// Number of distinct records that were read for findings.
    pub total_docs_processed: u64,
    /// Source ids of the records that were read for findings.
    pub processed_doc_ids: Vec<String>,
    /// Whether a scan would read further records and none has run.
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
    /// Its objections.
    pub validation_issues: Vec<ValidationIssue>,
    /// Confidence, 0 to 1: a validator's, or computed from coverage.
    pub overall_confidence: f64,
    /// Whether a validator has given the confidence.
    pub confidence_is_validated: bool,
    /// Confidence per sub-question id.
    pub question_confidence: QuestionConfidence,
    /// Gaps in the research.
    pub gaps_identified: Vec<ResearchGap>,
    /// The recommendation of a gap analysis.
    pub recommendation: Option<Recommendation>,

    /// The reason why the research ended.
    pub completion: Option<Completion>,
    /// The report, as Markdown.
    pub final_report: Option<String>,
    /// The report as a document, if the agent that wrote it returned one.
    pub final_document: Option<Report>,
    /// The most important findings of the report.
    pub key_findings: Vec<String>,
    /// Limitations that the reader must know.
    pub limitations: Vec<String>,
    /// Suggestions for further research.
    pub suggestions: Vec<String>,
    /// The current phase.
    pub current_phase: Phase,
    /// The progress, 0 to 100.
    pub progress_percentage: u8,
    /// The newest failure.
    pub error_message: Option<String>,
    /// The usage of tokens and calls.
    #[reduce(with = add_usage)]
    pub usage: Usage,
    /// Cost of the model in US dollars; `None` if its price is unknown.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// Milliseconds that all processes of the run have worked on it, as far as recorded.
    #[serde(default)]
    #[reduce(max)]
    pub active_ms: u64,
    /// The tape of the tasks, if the run is recorded.
    #[reduce(append)]
    #[serde(default)]
    pub recording: Log<TaskRecord>,
}

impl DatasetState {
    /// Returns how much of the matching data was read.
    pub fn coverage(&self) -> Coverage {
        self.ledger.coverage()
    }

    /// Returns the enabled tools.
    pub fn tools(&self) -> impl Iterator<Item = &ToolFacts> {
        self.available_tools
            .iter()
            .filter(|tool| self.enabled_tools.contains(&tool.name))
    }

    /// Returns an enabled tool as its server listed it.
    pub fn listed_tool(&self, name: &str) -> Option<&Tool> {
        self.listed_tools
            .iter()
            .find(|tool| tool.exposed_name == name)
    }

    /// Returns whether there is something to report on: an aggregation, a finding or a completed
    /// tool call.
    pub fn has_data(&self) -> bool {
        // A search without a hit, made to read the question, has no data on it.
        let counted = |table: &AggregationResult| table.kind != AggregationKind::Search;
        self.aggregation_results.iter().any(counted)
            || !self.findings.is_empty()
            || !self.extracted_sources.is_empty()
            || self
                .completed_calls
                .iter()
                .any(|call| call.fetched_data && call.error.is_none())
    }

    /// Returns the records that an extractor reads: those that were fetched and not read for
    /// findings, in the order of their arrival. A run keeps at most 300 documents, so there are at
    /// most as many.
    pub fn unread(&self) -> impl Iterator<Item = &Source> {
        let read: HashSet<&str> = self.processed_doc_ids.iter().map(String::as_str).collect();
        self.extracted_sources
            .iter()
            .map(AsRef::as_ref)
            .filter(move |source| !read.contains(source.id.as_str()))
    }

    /// Returns the reading of the question that the report answers: its tool computes statistics,
    /// or the question asks for one, which the records read may show.
    pub(crate) fn answered_reading(&self) -> Option<&ReadQuestion> {
        let asks = |read: &&ReadQuestion| {
            !read.meaning.measures.is_empty() || read.meaning.answer == AnswerShape::Record
        };
        self.computed_reading()
            .or_else(|| self.reading.as_ref().filter(asks))
    }

    /// Returns the reading of the question, if its tool computes statistics.
    pub(crate) fn computed_reading(&self) -> Option<&ReadQuestion> {
        let read = self.reading.as_ref()?;
        self.tools()
            .any(|tool| tool.name == read.tool && tool.can("measures"))
            .then_some(read)
    }

    /// Returns whether what the data source computed answers the question for a short report, so
    /// that nothing is gained by reading all records.
    pub(crate) fn counts_suffice(&self) -> bool {
        let Some(read) = self.computed_reading() else {
            return false;
        };
        let is_computed = |table: &AggregationResult| {
            table.source_tool == read.tool && table.kind != AggregationKind::Search
        };
        self.format != ReportFormat::ComprehensiveReport
            && self.aggregation_results.iter().any(is_computed)
    }

    /// Returns the number of the next aggregation, whose id is `A` with this number.
    pub(crate) fn next_table(&self) -> usize {
        let known = self
            .aggregation_results
            .iter()
            .map(AggregationResult::number);
        known.chain([self.earlier.tables]).max().unwrap_or_default() + 1
    }
}
