//! The events that only the dataset agent has, and the phases of its runs.

use research_agents_report::chart::Chart;
use research_agents_report::claim::Claim;
use research_agents_runtime::event::EventKind;
use serde::{Deserialize, Serialize};

use crate::data::record::{AggregationResult, Finding, SubAgentCall, SubQuestion, ToolCall};
use crate::data::review::ResearchGap;
use crate::data::task::conversation::Clarified;

/// The phase of a run.
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

impl Phase {
    /// All phases, in the order in which a run may pass them.
    pub const ALL: [Self; 9] = [
        Self::Planning,
        Self::Decomposing,
        Self::Aggregating,
        Self::Sampling,
        Self::Scanning,
        Self::Extracting,
        Self::Validating,
        Self::Synthesizing,
        Self::Complete,
    ];

    /// Returns the phase with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == name)
    }

    /// Returns the name of the phase in snake case, as events have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Decomposing => "decomposing",
            Self::Aggregating => "aggregating",
            Self::Sampling => "sampling",
            Self::Scanning => "scanning",
            Self::Extracting => "extracting",
            Self::Validating => "validating",
            Self::Synthesizing => "synthesizing",
            Self::Complete => "complete",
        }
    }
}

/// An event that only the dataset agent has, in addition to those of
/// [every system](research_agents_runtime::event::RunEvent). The `event` field of the JSON is its
/// name.
///
/// ```
/// use research_agents_dataset::{DatasetEvent, DatasetEventKind};
/// use research_agents_runtime::event::{EventKind, RunEvent};
///
/// fn line(event: &DatasetEvent) -> Option<String> {
///     match &event.kind {
///         EventKind::Run(RunEvent::Progress { percent, message }) => {
///             Some(format!("{percent} % {message}"))
///         }
///         EventKind::Own(DatasetEventKind::Finding { finding }) => Some(finding.claim.clone()),
///         _ => None,
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum DatasetEventKind {
    /// An ambiguity of the question is settled.
    Clarified {
        /// The user's reply, and the reading that holds.
        #[serde(flatten)]
        clarified: Clarified,
    },
    /// The planner has decided.
    Plan {
        /// Number of the iteration, counted from 1.
        iteration: u32,
        /// The planner's reasoning.
        reasoning: String,
        /// The checklist as the planner knew it; empty in the first iteration, which creates it.
        sub_questions: Vec<SubQuestion>,
        /// Sub-agents to run.
        sub_agent_calls: Vec<SubAgentCall>,
        /// Tools to call directly.
        tool_calls: Vec<ToolCall>,
        /// Changes that code made to the plan, with their reasons.
        notes: Vec<String>,
    },
    /// A finding, as soon as its batch is read. It is reported again, with the same id, when more
    /// records have joined it.
    Finding {
        /// The finding.
        #[serde(flatten)]
        finding: Finding,
    },
    /// A statistic that a data source computed. It is reported again, with the same id, when newer
    /// counts replace it.
    Aggregation {
        /// The statistic; reports cite its id.
        #[serde(flatten)]
        aggregation: AggregationResult,
    },
    /// A chart of an aggregation.
    Chart {
        /// The chart: labels and counts, ready to be drawn.
        config: Chart,
    },
    /// An insight into an aggregation, checked against it.
    Insight {
        /// One sentence.
        text: String,
        /// The claims that it rests on.
        claims: Vec<Claim>,
    },
    /// A gap, as a gap analysis sees it.
    Gap {
        /// The gap.
        #[serde(flatten)]
        gap: ResearchGap,
    },
}

impl From<DatasetEventKind> for EventKind<DatasetEventKind> {
    fn from(event: DatasetEventKind) -> Self {
        Self::Own(event)
    }
}
