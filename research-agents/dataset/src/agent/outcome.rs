//! The outcome of a run.

use std::sync::Arc;

use research_agents_report::claim::Statement;
use research_agents_report::document::{Block, Report};
use research_agents_report::evidence::{Evidence, SourceRegistry};
use research_agents_report::language::Language;
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::event::RunStats;
use research_agents_runtime::run::Ended;

use crate::data::completion::Completion;
use crate::data::record::{AggregationResult, Coverage, Finding, SubQuestion};
use crate::data::review::{
    Perspective, QuestionConfidence, Recommendation, ResearchGap, ValidationIssue, ValidationStatus,
};
use crate::data::task::conversation::{Clarified, Turn};
use crate::found::evidence::evidence_of;
use crate::state::earlier::Earlier;
use crate::state::model::DatasetState;

/// The outcome of a run: the report, and what it was made from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DatasetReport {
    /// Id of the run.
    pub run_id: String,
    /// The report: Markdown whose citations all resolve.
    pub markdown: String,
    /// The language of the report.
    pub language: Language,
    /// The report as a document, which also renders to HTML and JSON. `None` if a synthesizer of
    /// the host returned only text.
    pub document: Option<Report>,
    /// The most important findings.
    pub key_findings: Vec<String>,
    /// Limitations that the reader must know.
    pub limitations: Vec<String>,
    /// Suggestions for further research.
    pub suggestions: Vec<String>,
    /// The checklist of sub-questions.
    pub sub_questions: Vec<SubQuestion>,
    /// Findings drawn from records.
    pub findings: Vec<Finding>,
    /// Aggregations that data sources computed.
    pub aggregations: Vec<AggregationResult>,
    /// Checked insights into the aggregations.
    pub insights: Vec<Statement>,
    /// The records that the tools returned, each once.
    pub sources: SourceRegistry,
    /// Points of view on the question.
    pub perspectives: Vec<Perspective>,
    /// The verdict of the validator, if one ran.
    pub validation_status: Option<ValidationStatus>,
    /// Issues that the validator raised.
    pub validation_issues: Vec<ValidationIssue>,
    /// Confidence of the validator by sub-question id, 0 to 1.
    pub question_confidence: QuestionConfidence,
    /// Gaps that the gap analysis reported.
    pub gaps: Vec<ResearchGap>,
    /// The recommendation of the gap analysis.
    pub recommendation: Option<Recommendation>,
    /// The coverage: how much of the matching data was read.
    pub coverage: Coverage,
    /// The reason why the research ended.
    pub completion: Option<Completion>,
    /// Notes on what went wrong or was changed during the run, in full. They may contain text from
    /// servers and models.
    pub notes: Vec<String>,
    /// Position of the question in its thread, from 1.
    pub turn: u32,
    /// Earlier questions of the thread, the newest ten.
    pub turns: Vec<Turn>,
    /// Evidence that was gathered for the earlier questions.
    pub earlier: Earlier,
    /// Ambiguities of the question, and how they were settled.
    pub clarifications: Vec<Clarified>,
    /// Statistics of the run.
    pub stats: RunStats,
    bundle: Option<Arc<Bundle>>,
}

/// Returns the confidence that the report states: in the answer to the question. Without a report,
/// that of the research.
fn stated_confidence(state: &DatasetState) -> f64 {
    let document = state.final_document.iter();
    let blocks = document
        .flat_map(|document| &document.sections)
        .flat_map(|section| &section.blocks);
    let stated = blocks.filter_map(|block| match block {
        Block::Coverage(coverage) => Some(coverage.confidence.value()),
        _ => None,
    });
    stated
        .into_iter()
        .next()
        .unwrap_or(state.overall_confidence)
}

impl DatasetReport {
    /// Creates the report of a run that has ended.
    pub(crate) fn new(ended: Ended<DatasetState>) -> Self {
        let coverage = ended.state.coverage();
        let stats = RunStats {
            iterations: ended.state.iteration,
            docs_processed: ended.state.extracted_sources.len() as u64,
            total_docs: coverage.total,
            coverage: coverage.fraction,
            findings_count: ended.state.findings.len(),
            confidence: stated_confidence(&ended.state),
            cost: ended.state.cost_usd,
            ..ended.stats()
        };
        let Ended {
            state,
            run_id,
            bundle,
            ..
        } = ended;

        Self {
            turn: state.number_of_turn(),
            run_id,
            markdown: state.final_report.unwrap_or_default(),
            language: state.language,
            document: state.final_document,
            key_findings: state.key_findings,
            limitations: state.limitations,
            suggestions: state.suggestions,
            sub_questions: state.sub_questions,
            findings: state.findings,
            aggregations: state.aggregation_results,
            insights: state.insights,
            sources: state.extracted_sources,
            perspectives: state.perspectives,
            validation_status: state.validation_status,
            validation_issues: state.validation_issues,
            question_confidence: state.question_confidence,
            gaps: state.gaps_identified,
            recommendation: state.recommendation,
            coverage,
            completion: state.completion,
            notes: state.notes.iter().map(ToString::to_string).collect(),
            turns: state.turns,
            earlier: state.earlier,
            clarifications: state.clarifications,
            stats,
            bundle,
        }
    }

    /// Returns the run as one file: report, evidence, journal and traffic. `None` if the run was
    /// not [recorded](crate::DatasetRun::record), or if a synthesizer of the host returned only
    /// text.
    pub fn bundle(&self) -> Option<&Bundle> {
        self.bundle.as_deref()
    }

    /// Returns `true` if the run was stopped, used up its budget, or did not read everything that
    /// matches.
    pub fn is_partial(&self) -> bool {
        let stopped = matches!(
            self.completion,
            Some(Completion::Cancelled | Completion::Budget)
        );
        stopped || self.coverage.fraction.is_none_or(|part| part < 1.0)
    }

    /// Returns the evidence that the claims of the report were checked against, so that a
    /// [`Checker`](research_agents_report::check::Checker) can check them again.
    ///
    /// ```no_run
    /// use research_agents_dataset::DatasetReport;
    /// use research_agents_report::check::Checker;
    ///
    /// fn holds(report: &DatasetReport, question: &str) -> bool {
    ///     let evidence = report.evidence();
    ///     let checker = Checker::new(&evidence, [question]);
    ///     let sentences = report.document.iter().flat_map(|document| document.sentences());
    ///     sentences.into_iter().all(|sentence| checker.verify(sentence).is_ok())
    /// }
    /// ```
    pub fn evidence(&self) -> Evidence {
        evidence_of(self.sources.clone(), &self.aggregations)
    }
}
