//! The synthesizer: has the report drafted, checks every sentence, and writes what holds. It ends the research.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::dataset::event::Phase;
use crate::dataset::evidence::evidence;
use crate::dataset::fallback::fallback_draft;
use crate::dataset::filters::describe_filters;
use crate::dataset::profile::profile;
use crate::dataset::prompts;
use crate::dataset::record::{AggregationResult, Finding, Object, ReportDraft, ReportFormat, SubQuestion};
use crate::dataset::report::{Frame, compose};
use crate::dataset::services::{Ask, DatasetCx};
use crate::dataset::task::{SYNTHESIZE, SynthesizeTask};
use crate::kernel::{Confidence, UserText};
use crate::subagent::{Card, SubAgent};

/// Writes the report.
#[derive(Clone, Copy, Debug, Default)]
pub struct Synthesizer;

/// What the synthesizer takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct SynthesizerInput {
    /// The user's question.
    pub original_query: String,
    /// What was found.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// What data sources computed.
    #[serde(default)]
    pub aggregation_results: Vec<AggregationResult>,
    /// The checklist.
    #[serde(default)]
    pub sub_questions: Vec<SubQuestion>,
    /// Shape of the report.
    #[serde(default)]
    pub format: ReportFormat,
}

/// What the synthesizer returns.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SynthesizerOutput {
    /// The report, as Markdown with citations.
    pub report: String,
    /// The most important findings, one sentence each.
    pub key_findings: Vec<String>,
    /// Overall confidence, 0 to 1.
    pub confidence: f64,
    /// What the reader must know.
    pub limitations: Vec<String>,
    /// Where to look next.
    pub suggestions_for_further_research: Vec<String>,
    /// What went wrong, in words.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Findings that the prompt shows: those with most records.
const PROMPT_FINDINGS: usize = 50;

impl SubAgent<DatasetCx> for Synthesizer {
    type Input = SynthesizerInput;
    type Output = SynthesizerOutput;

    fn card(&self) -> Card {
        Card::new(super::SYNTHESIZER, "Writes the final report from everything that was found. It ends the research.")
            .use_when("the sub-questions are answered, or nothing more can be gained")
            .speed("one model call")
            .cost("medium")
    }

    async fn run(&self, cx: &DatasetCx, input: SynthesizerInput) -> Result<SynthesizerOutput, Error> {
        cx.phase(Phase::Synthesizing);
        let state = cx.state();
        let task = task(cx, &input);
        let mut notes = Vec::new();
        let draft = match draft(cx, &task).await {
            Ok(draft) => draft,
            Err(error) if state.has_data() => {
                cx.warn(&error);
                notes.push(format!(
                    "the report could not be drafted by the model ({error}); it lists what was gathered"
                ));
                fallback_draft(&task)
            }
            Err(error) => return Err(error),
        };
        let confidence = if state.has_data() { state.overall_confidence } else { draft.confidence };
        let mut run_notes = task.notes;
        run_notes.extend(notes.iter().cloned());
        let frame = Frame {
            question: &input.original_query,
            sub_questions: &input.sub_questions,
            format: input.format,
            confidence: Confidence::new(confidence),
            coverage: &task.coverage,
            ledger: &state.ledger,
            limit: cx.config().max_docs,
            notes: &run_notes,
            profile: &task.profile,
            filters: state.ledger.scopes().iter().map(|scope| describe_filters(&scope.filters)).collect(),
            fields: state.tools().flat_map(|tool| tool.fields.iter().map(|field| field.name.clone())).collect(),
        };
        let written = compose(&evidence(state), &frame, &draft);
        Ok(SynthesizerOutput {
            report: written.report,
            key_findings: written.key_findings,
            confidence: Confidence::new(confidence).value(),
            limitations: written.limitations,
            suggestions_for_further_research: written.suggestions,
            notes,
        })
    }
}

fn task(cx: &DatasetCx, input: &SynthesizerInput) -> SynthesizeTask {
    let state = cx.state();
    let main = state.ledger.main();
    let filters: Object = main.first().map(|scope| scope.filters.clone()).unwrap_or_default();
    let mut notes: Vec<String> = Vec::new();
    for note in &state.notes {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    SynthesizeTask {
        query: input.original_query.clone(),
        format: input.format,
        sub_questions: input.sub_questions.clone(),
        findings: input.findings.clone(),
        aggregations: input.aggregation_results.clone(),
        insights: state.insights.clone(),
        profile: profile(&state.extracted_sources),
        filters,
        coverage: state.coverage(),
        notes,
    }
}

async fn draft(cx: &DatasetCx, task: &SynthesizeTask) -> Result<ReportDraft, Error> {
    let state = cx.state();
    let mut findings: Vec<&Finding> = task.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.evidence_count));
    let findings = findings.into_iter().take(PROMPT_FINDINGS).map(|finding| {
        let shown = finding.doc_ids.iter().take(10).cloned().collect::<Vec<_>>().join(", ");
        format!("- {} ({} records, such as {shown})", finding.claim, finding.evidence_count)
    });
    let ask = Ask::new(&prompts::SYNTHESIZER, SYNTHESIZE, task, |prompt| {
        prompt
            .set("question", UserText::new(&task.query))
            .data("coverage", &prompts::lines(state.ledger.describe(cx.config().max_docs)))
            .data("aggregations", &prompts::aggregations(&task.aggregations))
            .data("insights", &prompts::lines(task.insights.iter().map(|insight| format!("- {}", insight.text))))
            .data("profile", &prompts::profile(&task.profile))
            .data("findings", &prompts::lines(findings))
            .data("notes", &prompts::lines(task.notes.iter().map(|note| format!("- {note}"))))
            .data("sub_questions", &prompts::questions_with_ids(&task.sub_questions))
            .set("format", format_name(task.format))
    });
    cx.ask(ask.despite_cancel()).await
}

fn format_name(format: ReportFormat) -> &'static str {
    match format {
        ReportFormat::ComprehensiveReport => "comprehensive_report: all parts",
        ReportFormat::ExecutiveSummary => "executive_summary: summary and key findings only",
        ReportFormat::BulletPoints => "bullet_points: key findings only",
    }
}
