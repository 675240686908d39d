//! The state of a run.

use std::collections::BTreeMap;

use research_agents_fieldwork::assignment::Assignment;
use research_agents_fieldwork::queries::QueryLog;
use research_agents_report::assessment::Rating;
use research_agents_report::document::Report;
use research_agents_report::passage::PassageRegistry;
use research_agents_runtime::job::Job;
use research_agents_runtime::limits::{EarlyEnd, Usage, add_usage};
use research_agents_runtime::run::Beginning;
use research_agents_runtime::run_state;
use research_agents_runtime::tape::TaskRecord;
use research_core::{Log, State};
use serde::{Deserialize, Serialize};

use crate::answers::table::{AnswerTable, Standing};
use crate::earlier::StudioInput;
use crate::records::{
    KnowledgeGap, QueryAnalysis, RawEvidence, RawSource, ResearchMetadata, ResearchPlan, ScoutHit,
    SubagentFindings, TrustedClaim,
};

/// The state of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
pub struct StudioState {
    pub(crate) input: StudioInput,
    #[reduce(append)]
    pub(crate) replies: Vec<String>,
    #[reduce(with = add_usage)]
    pub(crate) usage: Usage,
    #[reduce(max)]
    pub(crate) active_ms: u64,
    #[reduce(add)]
    pub(crate) tasks_done: u64,
    pub(crate) beginning: Option<Box<Beginning<StudioInput>>>,
    #[reduce(append)]
    pub(crate) recording: Log<TaskRecord>,
    pub(crate) report: Option<Report>,
    /// What the first look at the sources found.
    pub(crate) hits: Vec<ScoutHit>,

    pub(crate) original_query: String,
    pub(crate) query_analysis: QueryAnalysis,
    pub(crate) clarification_request: Option<String>,
    pub(crate) user_clarification: Option<String>,
    pub(crate) enriched_context: Option<String>,
    pub(crate) research_plan: ResearchPlan,

    pub(crate) research_iteration: u32,
    pub(crate) subagent_assignments: Vec<Assignment>,
    #[reduce(append)]
    pub(crate) subagent_findings: Log<SubagentFindings>,
    #[reduce(append)]
    pub(crate) raw_sources: Log<RawSource>,
    #[reduce(append)]
    pub(crate) raw_evidence: Log<RawEvidence>,
    /// The queries that were asked.
    pub(crate) asked: QueryLog,

    /// Number of raw sources and of raw evidence that the synthesizer has merged.
    pub(crate) merged: (usize, usize),
    /// The sources and the evidence, without duplicates, with their ids.
    pub(crate) passages: PassageRegistry,
    /// By id of the evidence, its section.
    pub(crate) sections: BTreeMap<String, String>,
    /// By section, the number of its passages.
    pub(crate) coverage: BTreeMap<String, usize>,
    pub(crate) rating: Rating,
    pub(crate) table: AnswerTable,
    /// By id of the question, what is known.
    pub(crate) standings: BTreeMap<String, Standing>,

    pub(crate) knowledge_gaps: Vec<KnowledgeGap>,
    pub(crate) refinement_queries: Vec<String>,
    /// The assignments of the next round.
    pub(crate) refinements: Vec<Assignment>,
    /// Number of questions that the user added while the run was under way.
    #[reduce(add)]
    pub(crate) steered: u32,
    /// Whether the next round has questions that the user added.
    pub(crate) has_steered: bool,
    pub(crate) section_confidence: BTreeMap<String, f64>,
    pub(crate) overall_confidence: f64,
    pub(crate) previous_confidence: f64,

    pub(crate) claims: Vec<TrustedClaim>,
    pub(crate) hallucination_score: Option<f64>,
    pub(crate) early_end: Option<EarlyEnd>,
    pub(crate) research_metadata: ResearchMetadata,
}

impl StudioStateUpdate {
    /// Keeps why gathering had to stop, if it had to.
    pub(crate) fn ended_by(self, job: &Job) -> Self {
        match job.stop() {
            Some(stop) => self.early_end(EarlyEnd::from(stop)),
            None => self,
        }
    }
}

impl StudioState {
    /// Returns the analysis of the question.
    pub fn query_analysis(&self) -> &QueryAnalysis {
        &self.query_analysis
    }

    /// Returns the plan.
    pub fn research_plan(&self) -> &ResearchPlan {
        &self.research_plan
    }

    /// Returns the sources and the evidence, without duplicates, with their ids.
    pub fn passages(&self) -> &PassageRegistry {
        &self.passages
    }

    /// Returns what is known about each question, by its id.
    pub fn standings(&self) -> &BTreeMap<String, Standing> {
        &self.standings
    }

    /// Returns the answers of all sources.
    pub fn table(&self) -> &AnswerTable {
        &self.table
    }

    /// Returns what sub-agents did, in order.
    pub fn subagent_findings(&self) -> impl Iterator<Item = &SubagentFindings> {
        self.subagent_findings.iter()
    }

    /// Returns the gaps after the last round.
    pub fn knowledge_gaps(&self) -> &[KnowledgeGap] {
        &self.knowledge_gaps
    }

    /// Returns the overall confidence before the last round and after it.
    pub fn confidence(&self) -> (f64, f64) {
        (self.previous_confidence, self.overall_confidence)
    }

    /// Returns the claims, verified or not.
    pub fn claims(&self) -> &[TrustedClaim] {
        &self.claims
    }

    /// Returns the quality of the run, in numbers.
    pub fn research_metadata(&self) -> &ResearchMetadata {
        &self.research_metadata
    }

    /// Returns the questions before it on the thread, the oldest first.
    pub(crate) fn earlier_questions(&self) -> &[String] {
        let earlier = self.input.earlier.as_ref();
        earlier.map_or(&[], |earlier| &earlier.questions)
    }

    /// Returns the input of a follow-up with what this finished run knows.
    pub(crate) fn followed_by(self, mut input: StudioInput) -> StudioInput {
        let mut earlier = self.input.earlier.unwrap_or_default();
        earlier.questions.push(self.input.question);
        let recording = self.recording.iter();
        earlier.evidence.add(self.passages, self.rating, recording);
        input.earlier = Some(earlier);
        input
    }

    /// Returns the question with what the user added.
    pub(crate) fn full_question(&self) -> &str {
        self.enriched_context
            .as_deref()
            .unwrap_or(&self.input.question)
    }
}

impl From<StudioInput> for StudioState {
    fn from(input: StudioInput) -> Self {
        let known = input.earlier.as_ref().map(|earlier| &earlier.evidence);
        let known = known.cloned().unwrap_or_default();
        Self {
            input,
            passages: known.passages,
            rating: known.rating,
            ..Self::default()
        }
    }
}

run_state!(StudioState, StudioInput, input.question);
