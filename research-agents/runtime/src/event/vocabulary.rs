//! The event vocabulary that all research systems share: one flat JSON object per event.

use research_agents_report::claim::Claim;
use research_agents_report::document::Report;
use research_agents_report::evidence::Source;
use research_agents_report::text::Untrusted;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::clarify::clarification::Clarification;
use crate::error::category::ErrorCategory;
use crate::error::model::Error;
use crate::limits::budget::BudgetLeft;
use crate::limits::policy::refusal::AuditEvent;
use crate::limits::retry::Changed;
use crate::limits::usage::{Usage, is_zero};

/// An event with its place in the run. `X` holds the events that only one system has.
///
/// ```
/// use research_agents_runtime::event::{Event, EventKind, RunEvent};
///
/// let event: Event = Event {
///     seq: 3,
///     ts: "2026-11-20T07:00:00.123Z".into(),
///     run_id: "r1".into(),
///     kind: EventKind::Run(RunEvent::Phase { phase: "scanning".into() }),
/// };
///
/// let json = serde_json::to_value(&event)?;
///
/// assert_eq!((&json["event"], &json["phase"]), (&"phase".into(), &"scanning".into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event<X = NoEvent> {
    /// Position in the run, counted from 0 without gaps.
    pub seq: u64,
    /// Time of the event, RFC 3339 in UTC with milliseconds.
    pub ts: String,
    /// Id of the run.
    pub run_id: String,
    /// The event itself.
    #[serde(flatten)]
    pub kind: EventKind<X>,
}

/// The kind of an event: one of the shared vocabulary, or one of the system's own. Both are flat
/// JSON objects whose `event` field is the name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EventKind<X = NoEvent> {
    /// An event that every system may emit.
    Run(RunEvent),
    /// An event of one system.
    Own(X),
}

/// The own events of a system that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoEvent {}

impl<X> From<RunEvent> for EventKind<X> {
    fn from(event: RunEvent) -> Self {
        Self::Run(event)
    }
}

/// An event that every research system may emit. The `event` field of the JSON is its name.
///
/// Exactly one terminal event ends a run: `run_completed`, an `error` with `fatal`, or
/// `clarification_required` with a `resume_token`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunEvent {
    /// The run starts.
    RunStarted {
        /// The user's question.
        question: String,
        /// Provider and name of the model.
        model: String,
    },
    /// The question follows others of its thread.
    FollowUp {
        /// Number of the question on the thread, counted from 1.
        turn: u32,
        /// The questions before it, oldest first, at most ten.
        earlier: Vec<String>,
    },
    /// The user must clarify the question. With a token the run has ended and resumes with the
    /// answer; without one the run waits for the answer in this process.
    ClarificationRequired {
        /// The question to the user, and the answers to choose from.
        #[serde(flatten)]
        clarification: Clarification,
        /// Identifies the question among all questions of the thread.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resume_token: Option<String>,
    },
    /// A phase starts.
    Phase {
        /// Name of the phase, in snake case.
        phase: String,
    },
    /// The progress of the run. Never decreases.
    Progress {
        /// 0 to 100.
        percent: u8,
        /// The current activity.
        message: String,
    },
    /// The reason for a decision, for a log: a verdict, or a model's advice that code did not
    /// follow.
    Thinking {
        /// The reason.
        text: String,
    },
    /// A tool call starts.
    ToolCall {
        /// Name of the tool.
        tool: String,
        /// Arguments as they are sent.
        arguments: Map<String, Value>,
    },
    /// A tool call ended.
    ToolResult {
        /// Name of the tool.
        tool: String,
        /// `true` if the tool gave a result.
        ok: bool,
        /// Duration of the call in milliseconds.
        ms: u64,
        /// A summary of the result, or the error.
        summary: String,
    },
    /// A call failed with a transient error and is retried.
    Retry {
        /// Name of the tool, the task of the model, or the sub-agent.
        what: String,
        /// Number of failures so far, counted from 1.
        attempt: u32,
        /// Category of the failure.
        category: ErrorCategory,
        /// Parameters that the retry changes: by name the old and the new value.
        changed: Changed,
        /// Delay before the retry, in milliseconds.
        wait_ms: u64,
    },
    /// The policy refused a call. Contains nothing of what was refused.
    Refused {
        /// The role, the action and the reason.
        #[serde(flatten)]
        audit: AuditEvent,
    },
    /// A sub-agent starts.
    AgentStarted {
        /// Name of the sub-agent.
        agent: String,
    },
    /// A sub-agent ended.
    AgentFinished {
        /// Name of the sub-agent.
        agent: String,
        /// `true` if it gave a result.
        ok: bool,
        /// Duration in milliseconds.
        ms: u64,
    },
    /// Sources that were read. Each source of a run is reported once.
    Sources {
        /// The sources.
        sources: Vec<SourceCard>,
    },
    /// A claim was checked.
    Claim {
        /// Id of the claim within the run.
        cid: String,
        /// The sentence.
        text: String,
        /// Result of the check.
        status: ClaimStatus,
        /// Mark that a report prints behind the sentence; empty when it prints none.
        mark: String,
        /// The typed claims that the sentence carries.
        claims: Vec<Claim>,
        /// Quotes that support the sentence.
        quotes: Vec<ClaimQuote>,
        /// Where the quotes are from: publisher, address and lines.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        sources: Vec<String>,
    },
    /// Sources contradict each other.
    Conflict {
        /// The contradicting statements, at least two.
        sides: Vec<ConflictSide>,
    },
    /// Resources used so far.
    Usage {
        /// Tokens sent to the model.
        tokens_in: u64,
        /// Tokens received from the model.
        tokens_out: u64,
        /// Requests to the model.
        llm_calls: u64,
        /// Tool calls.
        mcp_calls: u64,
        /// Of the tokens sent, those that earlier prompts of the run contained already, as far as
        /// the system counts them.
        #[serde(default, skip_serializing_if = "is_zero")]
        tokens_repeated: u64,
        /// Cost of the model in US dollars; `None` when its price is not known.
        #[serde(default)]
        cost: Option<f64>,
        /// Remaining budget; `None` when the report of a finished run is streamed again.
        #[serde(default)]
        budget_left: Option<BudgetLeft>,
    },
    /// The report starts.
    ReportStart,
    /// A part of the report.
    ReportDelta {
        /// Markdown.
        text: String,
    },
    /// The whole report.
    ReportEnd {
        /// Markdown.
        report: String,
        /// The same report as a document with claims, data and sources, when there is one.
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
        /// Statistics of the run.
        stats: RunStats,
    },
    /// Something failed.
    Error {
        /// Category of the failure.
        category: ErrorCategory,
        /// What failed. May contain messages of servers and models; show
        /// [`user_message`](Self::Error::user_message) to users.
        message: String,
        /// One sentence for users, without raw text of a server, a model or a record.
        #[serde(default)]
        user_message: String,
        /// `true` if a retry may succeed.
        retryable: bool,
        /// `true` if the run ended with it, without a report.
        fatal: bool,
    },
    /// Events are missing from a replayed stream because its buffer was trimmed.
    GapInStream {
        /// `seq` of the first missing event.
        from: u64,
        /// `seq` of the last missing event.
        to: u64,
    },
}

impl RunEvent {
    /// Creates the event of an error.
    pub fn error(error: &Error, fatal: bool) -> Self {
        Self::Error {
            category: error.category(),
            message: error.to_string(),
            user_message: error.user_message(),
            retryable: error.is_retryable(),
            fatal,
        }
    }

    /// Creates the event of the resources used so far. `left` is the remaining budget of a run that
    /// has not ended.
    pub fn usage(usage: &Usage, cost: Option<f64>, left: Option<BudgetLeft>) -> Self {
        Self::Usage {
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
            llm_calls: usage.llm_calls,
            mcp_calls: usage.mcp_calls,
            tokens_repeated: usage.tokens_repeated,
            cost,
            budget_left: left,
        }
    }

    /// Returns the events that stream a finished report by paragraphs.
    pub fn report(markdown: &str, document: Option<Report>) -> Vec<Self> {
        // Every sentence is checked before it is shown, so a report cannot stream by tokens.
        let parts = markdown
            .split_inclusive("\n\n")
            .map(|part| Self::ReportDelta {
                text: part.to_owned(),
            });
        let end = Self::ReportEnd {
            report: markdown.to_owned(),
            document: document.map(Box::new),
        };
        std::iter::once(Self::ReportStart)
            .chain(parts)
            .chain([end])
            .collect()
    }
}

/// Returns an event as JSON without durations, as the journal of a bundle keeps it; `None` for the
/// text of the report, which a bundle keeps elsewhere.
pub fn timeless(event: &impl Serialize) -> Option<Value> {
    let mut event = serde_json::to_value(event).ok()?;
    let fields = event.as_object_mut()?;
    if fields
        .get("event")
        .and_then(Value::as_str)
        .is_some_and(|name| name.starts_with("report_"))
    {
        return None;
    }
    fields.retain(|name, _| !matches!(name.as_str(), "ms" | "wait_ms"));
    Some(event)
}

/// The result of checking a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClaimStatus {
    /// The evidence supports it.
    Verified,
    /// The check could not decide.
    Unverified,
    /// The evidence contradicts it or does not support it; it is not printed.
    Withheld,
}

/// A quote that supports a claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimQuote {
    /// Id of the source.
    pub source: String,
    /// The quoted text.
    pub text: Untrusted<String>,
}

/// One side of a contradiction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConflictSide {
    /// Id of the source.
    pub source: String,
    /// The statement.
    pub text: Untrusted<String>,
    /// The value that the statement gives, when it gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

/// A source as a list of sources shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceCard {
    /// Id that citations name.
    pub id: String,
    /// Title; empty when the source has none.
    pub title: Untrusted<String>,
    /// Address.
    pub url: Option<String>,
    /// The beginning of the text.
    pub snippet: Untrusted<String>,
    /// Name of the tool that returned it.
    pub tool: String,
    /// The source's own primary id.
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

/// Statistics of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunStats {
    /// Iterations of planning and execution.
    pub iterations: u32,
    /// Requests to the planner.
    pub planner_calls: u64,
    /// Requests to the model, those to the planner included.
    pub llm_calls: u64,
    /// Tokens sent to the model.
    pub tokens_in: u64,
    /// Tokens received from the model.
    pub tokens_out: u64,
    /// Tool calls.
    pub mcp_calls: u64,
    /// Distinct records or documents read.
    pub docs_processed: u64,
    /// Records or documents that match, when known.
    pub total_docs: Option<u64>,
    /// Fraction of the matching records that was read, 0 to 1, when known.
    pub coverage: Option<f64>,
    /// Distinct findings.
    pub findings_count: usize,
    /// Overall confidence, 0 to 1.
    pub confidence: f64,
    /// Cost of the model in US dollars; `None` when its price is not known.
    #[serde(default)]
    pub cost: Option<f64>,
    /// Provider and name of the model.
    pub model: String,
    /// Duration of the run in milliseconds.
    pub elapsed_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_and_shared_events_share_one_tag() {
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "event", rename_all = "snake_case")]
        enum Own {
            Finding { claim: String },
        }
        let own: EventKind<Own> = EventKind::Own(Own::Finding { claim: "a".into() });
        let run: EventKind<Own> = RunEvent::Thinking { text: "b".into() }.into();

        for event in [own, run] {
            let json = serde_json::to_value(&event).unwrap();
            assert!(json["event"].is_string(), "{json}");
            assert_eq!(
                serde_json::from_value::<EventKind<Own>>(json).unwrap(),
                event
            );
        }
    }

    #[test]
    fn durations_and_report_text_stay_out_of_the_journal() {
        let result = RunEvent::ToolResult {
            tool: "t".into(),
            ok: true,
            ms: 7,
            summary: String::new(),
        };

        assert_eq!(timeless(&result).unwrap().get("ms"), None);
        assert_eq!(timeless(&RunEvent::ReportDelta { text: "a".into() }), None);
    }
}
