//! The state of a run.

use std::collections::{BTreeMap, BTreeSet};

use research_agents_fieldwork::queries::QueryLog;
use research_agents_report::assessment::Rating;
use research_agents_report::document::Report;
use research_agents_report::passage::PassageRegistry;
use research_agents_report::text::scores;
use research_agents_report::trust::Mark;
use research_agents_runtime::job::Job;
use research_agents_runtime::limits::{EarlyEnd, Usage, add_usage};
use research_agents_runtime::run::Beginning;
use research_agents_runtime::run_state;
use research_agents_runtime::tape::TaskRecord;
use research_agents_scr::memo::{Finding, Reflection, Scr};
use research_agents_scr::report::PassagesOf;
use research_agents_scr::synthesizer::Feedback;
use research_agents_scr::update::Delivery;
use research_core::{Log, State};
use research_llm::Message;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::earlier::FeedbackInput;
use crate::records::{
    ComplexityAnalysis, DecisionResult, Growth, LeadPlan, ResearchTask, SubagentFinding,
    VerificationResult, VisitedSource,
};

/// Maximum number of findings that a follow-up begins with.
const MOST_CARRIED: usize = 12;

/// The state of a run.
///
/// Findings, visited sources and the messages of the lead researcher are appended, each once
/// however often a task is executed; every other field is replaced.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct FeedbackState {
    pub(crate) input: FeedbackInput,
    #[reduce(append)]
    pub(crate) replies: Vec<String>,
    #[reduce(with = add_usage)]
    pub(crate) usage: Usage,
    #[reduce(max)]
    pub(crate) active_ms: u64,
    #[reduce(add)]
    pub(crate) tasks_done: u64,
    pub(crate) beginning: Option<Box<Beginning<FeedbackInput>>>,
    #[reduce(append)]
    pub(crate) recording: Log<TaskRecord>,
    pub(crate) report: Option<Report>,

    pub(crate) complexity_analysis: ComplexityAnalysis,
    /// Number of passes that were planned.
    pub(crate) iteration_count: u32,
    /// The plan of the first pass, with its approaches.
    pub(crate) research_plan: Option<LeadPlan>,
    pub(crate) scratchpad: String,
    /// The tasks of this pass.
    pub(crate) subagent_tasks: Vec<ResearchTask>,
    /// The descriptions of all tasks.
    pub(crate) asked: QueryLog,
    pub(crate) earlier_tasks: Vec<String>,
    #[reduce(append)]
    pub(crate) lead_researcher_messages: Log<Message>,
    /// The marker of untrusted text in the messages of the lead researcher.
    pub(crate) marker: String,
    /// Ids of the findings that the lead researcher has seen.
    pub(crate) sent_finding_hashes: Vec<String>,

    #[reduce(with = add_findings)]
    pub(crate) subagent_findings: Vec<SubagentFinding>,
    #[reduce(with = add_sources)]
    pub(crate) visited_sources: BTreeSet<VisitedSource>,
    /// Number of subagent findings that are filtered.
    pub(crate) filtered: usize,
    /// The findings of this pass that are new.
    pub(crate) filtered_findings: Vec<Finding>,
    pub(crate) passages: PassageRegistry,
    pub(crate) passages_of: PassagesOf,
    pub(crate) rating: Rating,

    pub(crate) memo: Scr,
    /// What the findings of this pass changed.
    pub(crate) delivery: Delivery,
    /// Whether the findings of this pass are in the memo.
    pub(crate) is_delivered: bool,
    pub(crate) error: Option<String>,

    pub(crate) needs_more_research: bool,
    pub(crate) decision_reasoning: Option<String>,
    pub(crate) decision_key_factors: Vec<String>,
    pub(crate) decision: DecisionResult,
    /// Why the decision could not be made, if it could not.
    pub(crate) decision_problem: Option<String>,
    pub(crate) growth: Growth,

    pub(crate) verification: Option<VerificationResult>,
    pub(crate) marks: BTreeMap<String, Mark>,
    pub(crate) early_end: Option<EarlyEnd>,
}

/// Appends findings, each task of a pass once.
fn add_findings(known: &mut Vec<SubagentFinding>, more: Vec<SubagentFinding>) {
    for finding in more {
        let place = (&finding.task.id, finding.iteration);
        if !known
            .iter()
            .any(|one| (&one.task.id, one.iteration) == place)
        {
            known.push(finding);
        }
    }
}

/// Appends sources, each once.
fn add_sources(known: &mut BTreeSet<VisitedSource>, more: BTreeSet<VisitedSource>) {
    known.extend(more);
}

impl FeedbackStateUpdate {
    /// Keeps why gathering had to stop, if it had to.
    pub(crate) fn ended_by(self, job: &Job) -> Self {
        match job.stop() {
            Some(stop) => self.early_end(EarlyEnd::from(stop)),
            None => self,
        }
    }
}

impl FeedbackState {
    /// Returns how much research the question needs.
    pub fn complexity_analysis(&self) -> &ComplexityAnalysis {
        &self.complexity_analysis
    }

    /// Returns the plan of the first pass, with its three approaches.
    pub fn research_plan(&self) -> Option<&LeadPlan> {
        self.research_plan.as_ref()
    }

    /// Returns the number of passes.
    pub fn iteration_count(&self) -> u32 {
        self.iteration_count
    }

    /// Returns what searchers brought back, in order.
    pub fn subagent_findings(&self) -> &[SubagentFinding] {
        &self.subagent_findings
    }

    /// Returns the memo.
    pub fn memo(&self) -> &Scr {
        &self.memo
    }

    /// Returns the messages of the lead researcher.
    pub fn lead_researcher_messages(&self) -> impl Iterator<Item = &Message> {
        self.lead_researcher_messages.iter()
    }

    /// Returns the messages of the synthesizer, if the history is kept.
    pub fn synthesizer_messages(&self) -> &[Message] {
        self.memo.conversation()
    }

    /// Returns the reflection on the first whole memo.
    pub fn reflection_analysis(&self) -> Option<&Reflection> {
        self.memo.reflection.as_ref()
    }

    /// Returns the last decision, and how the last pass changed what is known.
    pub fn decision(&self) -> (&DecisionResult, &Growth) {
        (&self.decision, &self.growth)
    }

    /// Returns what verification found.
    pub fn verification(&self) -> Option<&VerificationResult> {
        self.verification.as_ref()
    }

    /// Returns whether the memo has sections that wait for the decision.
    pub fn has_partial_synthesis(&self) -> bool {
        !self.memo.findings.is_empty() && self.memo.is_partial()
    }

    /// Returns a field by its name, as it is stored. `None` for an unknown one.
    pub fn get(&self, field: &str) -> Option<Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut fields)) => fields.remove(field),
            _ => None,
        }
    }

    /// Returns the input of a follow-up with the passages of this finished run, and those of its
    /// findings in the memo that are nearest to the question. A finding without a word of the
    /// question is left out.
    pub(crate) fn followed_by(self, mut input: FeedbackInput) -> FeedbackInput {
        let findings = &self.memo.findings;
        let texts: Vec<&str> = findings
            .iter()
            .map(|finding| finding.text.for_code().as_str())
            .collect();
        let scores = scores(&input.question, &texts);
        let mut near: Vec<usize> = (0..findings.len()).filter(|at| scores[*at] > 0.0).collect();
        near.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        near.truncate(MOST_CARRIED);
        near.sort_unstable();

        let mut earlier = self.input.earlier.unwrap_or_default();
        earlier.findings = near.iter().map(|at| findings[*at].clone()).collect();
        earlier.passages_of = self.passages_of;
        let carried: BTreeSet<&String> = earlier.findings.iter().map(|one| &one.id).collect();
        earlier.passages_of.retain(|id, _| carried.contains(id));
        let recording = self.recording.iter();
        earlier.evidence.add(self.passages, self.rating, recording);
        input.earlier = Some(earlier);
        input
    }

    /// Returns what the last decision says to the next pass. `None` on the first one.
    pub(crate) fn feedback(&self) -> Option<Feedback> {
        let feedback = Feedback {
            reasoning: self.decision_reasoning.clone().unwrap_or_default(),
            key_factors: self.decision_key_factors.clone(),
        };
        (self.iteration_count > 1 && !feedback.is_empty()).then_some(feedback)
    }
}

impl From<FeedbackInput> for FeedbackState {
    fn from(input: FeedbackInput) -> Self {
        let known = input.earlier.as_deref().cloned().unwrap_or_default();
        let mut memo = Scr::new(&*input.question);
        memo.deliver(known.findings);
        Self {
            memo,
            input,
            passages_of: known.passages_of,
            passages: known.evidence.passages,
            rating: known.evidence.rating,
            ..Self::default()
        }
    }
}

run_state!(FeedbackState, FeedbackInput, input.question);
