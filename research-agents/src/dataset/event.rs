//! The events of a run, as a user interface reads them: one flat JSON object each.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::{AggregationResult, Finding, Object, SubAgentCall, SubQuestion, ToolCall};
use super::retry::Changed;
use super::review::ResearchGap;
use super::task::Clarified;
use crate::ErrorCategory;
use crate::kernel::policy::AuditEvent;
use crate::kernel::{BudgetLeft, Chart, Claim, Clarification, Report, Source, Untrusted};

/// What the run is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Deciding what to do.
    #[default]
    Planning,
    /// Breaking the question into sub-questions.
    Decomposing,
    /// Computing statistics over all matching records.
    Aggregating,
    /// Reading samples of groups.
    Sampling,
    /// Reading records.
    Scanning,
    /// Drawing findings from records that came already.
    Extracting,
    /// Reviewing the findings.
    Validating,
    /// Writing the report.
    Synthesizing,
    /// Done.
    Complete,
}

/// An event with its place in the run.
///
/// ```
/// use research_agents::dataset::{DatasetEvent, DatasetEventKind, Phase};
///
/// let event = DatasetEvent {
///     seq: 3,
///     ts: "2026-11-20T07:00:00.123Z".into(),
///     run_id: "r1".into(),
///     kind: DatasetEventKind::Phase { phase: Phase::Scanning },
/// };
/// let json = serde_json::to_value(&event)?;
/// assert_eq!(json["event"], "phase");
/// assert_eq!(json["phase"], "scanning");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetEvent {
    /// Position in the run, counted from 0 without gaps.
    pub seq: u64,
    /// When, RFC 3339 in UTC with milliseconds.
    pub ts: String,
    /// Id of the run.
    pub run_id: String,
    /// What happened.
    #[serde(flatten)]
    pub kind: DatasetEventKind,
}

/// What happened. The `event` field of the JSON names it. Exactly one terminal event ends a run: `run_completed`, an `error` with
/// `fatal`, or `clarification_required` with a `resume_token`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum DatasetEventKind {
    /// The run begins.
    RunStarted {
        /// The user's question.
        question: String,
        /// Provider and name of the model.
        model: String,
    },
    /// The question follows on others of its thread.
    FollowUp {
        /// Which question of the thread it is, from 1.
        turn: u32,
        /// Those before it, the oldest first, at most ten.
        earlier: Vec<String>,
    },
    /// The user must say what is meant. With a token the run has ended and waits for the answer; without one the user is asked
    /// while it waits.
    ClarificationRequired {
        /// What is asked, and the readings to choose from.
        #[serde(flatten)]
        clarification: Clarification,
        /// Names the question among all of the thread, for [`answer_to`](super::DatasetRun::answer_to).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resume_token: Option<String>,
    },
    /// What was unclear is settled.
    Clarified {
        /// How: the user's words, and the reading that holds.
        #[serde(flatten)]
        clarified: Clarified,
    },
    /// Another phase begins.
    Phase {
        /// Which.
        phase: Phase,
    },
    /// How far the run is. Never decreases.
    Progress {
        /// 0 to 100.
        percent: u8,
        /// What is being done, in words.
        message: String,
    },
    /// The planner has decided.
    Plan {
        /// Number of the iteration, from 1.
        iteration: u32,
        /// Why, in the planner's words.
        reasoning: String,
        /// The checklist as the planner knew it; empty in the first iteration, which draws it up.
        sub_questions: Vec<SubQuestion>,
        /// Sub-agents to run.
        sub_agent_calls: Vec<SubAgentCall>,
        /// Tools to call directly.
        tool_calls: Vec<ToolCall>,
        /// What code changed in the plan, and why.
        notes: Vec<String>,
    },
    /// A tool is called.
    ToolCall {
        /// Name of the tool.
        tool: String,
        /// Arguments as they are sent.
        arguments: Object,
    },
    /// A tool has answered.
    ToolResult {
        /// Name of the tool.
        tool: String,
        /// It gave a result.
        ok: bool,
        /// From the call to the answer, in milliseconds.
        ms: u64,
        /// What came, in words.
        summary: String,
    },
    /// A call failed for a passing reason and is made again.
    Retry {
        /// Name of the tool, the task of the model, or the sub-agent.
        what: String,
        /// How often it has failed, from 1.
        attempt: u32,
        /// Why it failed.
        category: ErrorCategory,
        /// What is asked for instead: by parameter the old value and the new one.
        changed: Changed,
        /// The pause before the new try, in milliseconds.
        wait_ms: u64,
    },
    /// A call was refused by the policy. Nothing of what was refused is here.
    Refused {
        /// Who was to do what, and why not.
        #[serde(flatten)]
        audit: AuditEvent,
    },
    /// A sub-agent starts.
    AgentStarted {
        /// Its name.
        agent: String,
    },
    /// A sub-agent is done.
    AgentFinished {
        /// Its name.
        agent: String,
        /// It gave a result.
        ok: bool,
        /// From its start to its end, in milliseconds.
        ms: u64,
    },
    /// A finding, as soon as its batch is read. It comes again, with the same id, when more records have joined it.
    Finding {
        /// The finding.
        #[serde(flatten)]
        finding: Finding,
    },
    /// Records that were read, batch by batch. Over all events of a run each comes once.
    Sources {
        /// The records.
        sources: Vec<SourceCard>,
    },
    /// A statistic that a data source computed. It comes again, with the same id, when newer counts have taken the place of those
    /// before.
    Aggregation {
        /// The statistic; its id is what the report cites.
        #[serde(flatten)]
        aggregation: AggregationResult,
    },
    /// How an aggregation can be drawn.
    Chart {
        /// The chart: labels and counts, ready to be drawn.
        config: Chart,
    },
    /// What an aggregation shows, checked against it.
    Insight {
        /// One sentence.
        text: String,
        /// What it rests on.
        claims: Vec<Claim>,
    },
    /// What is missing, as a gap analysis sees it.
    Gap {
        /// The gap.
        #[serde(flatten)]
        gap: ResearchGap,
    },
    /// Why something was decided as it was, for a log: a model's advice that code did not follow, a verdict.
    Thinking {
        /// In words.
        text: String,
    },
    /// What was used so far.
    Usage {
        /// Tokens sent to the model.
        tokens_in: u64,
        /// Tokens received from the model.
        tokens_out: u64,
        /// Requests to the model.
        llm_calls: u64,
        /// Tool calls.
        mcp_calls: u64,
        /// US dollars for the model; none when nobody knows its price.
        #[serde(default)]
        cost: Option<f64>,
        /// What the budget has left; none when the report of a finished run is told again.
        #[serde(default)]
        budget_left: Option<BudgetLeft>,
    },
    /// The report begins.
    ReportStart,
    /// A part of the report.
    ReportDelta {
        /// Markdown.
        text: String,
    },
    /// The report as a whole.
    ReportEnd {
        /// Markdown.
        report: String,
        /// The same as a document with claims, data and sources, when the agent that wrote it gave one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        document: Option<Box<Report>>,
    },
    /// The most important findings of the report.
    KeyFindings {
        /// One sentence each.
        key_findings: Vec<String>,
    },
    /// The run ended with a report.
    RunCompleted {
        /// What it took and gave.
        stats: RunStats,
    },
    /// Something failed.
    Error {
        /// One of nine categories.
        category: ErrorCategory,
        /// What failed.
        message: String,
        /// The same may succeed when it is tried again.
        retryable: bool,
        /// The run ended with it, without a report.
        fatal: bool,
    },
}

impl DatasetEventKind {
    /// The event as JSON without a word of how long anything took. None for the text of the report, which is kept elsewhere.
    pub(super) fn timeless(&self) -> Option<Value> {
        if matches!(self, Self::ReportStart | Self::ReportDelta { .. } | Self::ReportEnd { .. }) {
            return None;
        }
        let mut event = serde_json::to_value(self).ok()?;
        if let Value::Object(fields) = &mut event {
            fields.retain(|name, _| !matches!(name.as_str(), "ms" | "wait_ms"));
        }
        Some(event)
    }
}

/// A record as a list of sources shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceCard {
    /// Id that citations name.
    pub id: String,
    /// Title; empty when the record has none.
    pub title: Untrusted<String>,
    /// Address.
    pub url: Option<String>,
    /// The first words of it.
    pub snippet: Untrusted<String>,
    /// Name of the tool that returned it.
    pub tool: String,
    /// The record's own primary id.
    pub record: String,
}

impl From<&Source> for SourceCard {
    fn from(source: &Source) -> Self {
        Self {
            id: source.id.clone(),
            title: source.title.clone(),
            url: source.url.clone(),
            snippet: source.snippet.clone(),
            tool: source.tool.clone(),
            record: source.record.clone(),
        }
    }
}

/// What a run took and gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunStats {
    /// Iterations of planning and execution.
    pub iterations: u32,
    /// Times the planner was asked.
    pub planner_calls: u64,
    /// Requests to the model, the planner's included.
    pub llm_calls: u64,
    /// Tokens sent to the model.
    pub tokens_in: u64,
    /// Tokens received from the model.
    pub tokens_out: u64,
    /// Tool calls.
    pub mcp_calls: u64,
    /// Distinct records read.
    pub docs_processed: u64,
    /// Records that match, when known.
    pub total_docs: Option<u64>,
    /// Fraction of the matching records that was read, 0 to 1, when known.
    pub coverage: Option<f64>,
    /// Distinct findings.
    pub findings_count: usize,
    /// Overall confidence, 0 to 1.
    pub confidence: f64,
    /// US dollars for the model; none when nobody knows its price.
    #[serde(default)]
    pub cost: Option<f64>,
    /// Provider and name of the model.
    pub model: String,
    /// From start to end, in milliseconds.
    pub elapsed_ms: u64,
}
