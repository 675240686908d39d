//! The synthesizer: has the report drafted, checks every sentence, and writes what holds. It ends the research.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Error;
use crate::dataset::answers::Answers;
use crate::dataset::contradictions::{advised, contradictions};
use crate::dataset::event::Phase;
use crate::dataset::evidence::evidence;
use crate::dataset::fallback::fallback_draft;
use crate::dataset::filters::describe_filters;
use crate::dataset::fit::Shrink;
use crate::dataset::mend::mend_draft;
use crate::dataset::note::{Note, clause};
use crate::dataset::profile::profile;
use crate::dataset::prompts;
use crate::dataset::record::{AggregationResult, Finding, Object, ReportDraft, ReportFormat, SubQuestion};
use crate::dataset::relations::relations;
use crate::dataset::report::{Frame, JudgedBy, as_sentence, compose};
use crate::dataset::services::{Ask, DatasetCx};
use crate::dataset::task::{FieldFacts, SYNTHESIZE, SynthesizeTask};
use crate::kernel::evidence::plain;
use crate::kernel::language::Phrase;
use crate::kernel::{Confidence, Language, Report, Statement, UserText};
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
    /// The same as a document.
    #[serde(default)]
    #[schemars(with = "Option<Value>")]
    pub document: Option<Report>,
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
    pub notes: Vec<Note>,
}

/// Findings that the prompt shows: those with most records. The second is the fewest of a prompt that is short of room.
const PROMPT_FINDINGS: (usize, usize) = (50, 10);
/// Ids of records that stand beside a finding, likewise.
const PROMPT_IDS: (usize, usize) = (10, 2);

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
        let language = state.language;
        let task = task(cx, &input);
        let mut notes = Vec::new();
        let mut is_drafted = true;
        let mut draft = match draft(cx, &task).await {
            Ok(draft) => draft,
            Err(error) if state.has_data() => {
                cx.warn(&error);
                let told = language.say(Phrase::NotDrafted { error: &clause(&error.user_message()) });
                notes.push(Note::own(told).in_full(language.say(Phrase::NotDrafted { error: &error.to_string() })));
                is_drafted = false;
                fallback_draft(&task, language)
            }
            Err(error) => return Err(error),
        };
        let confidence = if state.has_data() { state.overall_confidence } else { draft.confidence };
        let (mut run_notes, others) = told(&state.notes, language);
        run_notes.extend(notes.iter().filter_map(Note::told).map(str::to_owned));
        // Words of others stand as what a model drafts: where the run knows every number in them.
        draft.limitations.extend(others);
        let questions = [input.original_query.as_str()];
        let (tables, sources) = (&input.aggregation_results, &state.extracted_sources);
        let found = contradictions(&input.findings, tables, sources, &questions, language);
        let mut contradictions: Vec<Statement> = found.into_iter().map(|found| found.statement).collect();
        contradictions.extend(advised(&state.validation_issues, &input.findings, language));
        let frame = Frame {
            language,
            wanted: state.requested_language.or(cx.config().language).unwrap_or(state.question_language),
            contradictions: &contradictions,
            question: &input.original_query,
            understood: state.understood(),
            sub_questions: &input.sub_questions,
            answered: answered(cx, &input),
            format: input.format,
            confidence: Confidence::new(confidence),
            judged_by: match (state.has_data(), state.confidence_is_validated) {
                (false, _) => JudgedBy::Estimate,
                (true, true) => JudgedBy::Review,
                (true, false) => JudgedBy::Amount,
            },
            coverage: &task.coverage,
            ledger: &state.ledger,
            aggregations: &state.aggregation_results,
            limit: cx.config().max_docs,
            notes: &run_notes,
            author: is_drafted.then(|| author(cx, language)).flatten(),
            profile: &task.profile,
            ranges: state.tools().flat_map(|tool| &tool.fields).filter_map(range).collect(),
            filters: state.ledger.scopes().iter().map(|scope| describe_filters(&scope.filters)).collect(),
            fields: state.tools().flat_map(|tool| tool.fields.iter().map(|field| field.name.clone())).collect(),
        };
        mend_draft(&mut draft, &task.aggregations);
        let important = state.gaps_identified.iter().filter(|gap| gap.importance == "high" && !gap.advisory);
        draft.suggestions.extend(important.map(|gap| gap.description.clone()));
        let evidence = evidence(state);
        let mut written = compose(&evidence, &frame, &draft);
        if written.key_findings.is_empty() && is_drafted {
            // What the model wrote does not hold. What was counted does.
            let listed = fallback_draft(&task, language);
            if !listed.key_findings.is_empty() {
                draft.key_findings.extend(listed.key_findings);
                draft.summary.extend(listed.summary);
                draft.limitations.insert(0, language.say(Phrase::ListedByProgram));
                written = compose(&evidence, &frame, &draft);
            }
        }
        Ok(SynthesizerOutput {
            report: written.document.to_markdown(),
            document: Some(written.document),
            key_findings: written.key_findings,
            confidence: Confidence::new(confidence).value(),
            limitations: written.limitations,
            suggestions_for_further_research: written.suggestions,
            notes,
        })
    }
}

/// Ids of the sub-questions that what was gathered answers.
fn answered(cx: &DatasetCx, input: &SynthesizerInput) -> Vec<String> {
    let rules = &cx.config().review;
    let gathered = Answers::of(cx.state(), rules.min_sources);
    let answers = gathered.with_findings(&input.findings).with_tables(&input.aggregation_results);
    let answered = |question: &&SubQuestion| answers.confidence(question) >= rules.answered_threshold;
    input.sub_questions.iter().filter(answered).map(|question| question.id.clone()).collect()
}

/// Who drafted the report, and what the run took so far, when that was a language model.
fn author(cx: &DatasetCx, language: Language) -> Option<String> {
    let info = cx.services().model.info();
    let mut usage = cx.state().usage;
    usage += cx.used();
    info.is_language_model().then(|| {
        let (model, calls) = (info.id(), usage.llm_calls);
        language.say(Phrase::Author { model: &model, calls, input: usage.tokens_in, output: usage.tokens_out })
    })
}

/// What the report tells of the run, each once, in the language: in words of the program, and in those of others.
fn told(notes: &[Note], language: Language) -> (Vec<String>, Vec<String>) {
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for note in notes {
        let lines = if note.told().is_some() { &mut own } else { &mut others };
        let full = note.to_string();
        let line = language.say(Phrase::RunNote { note: note.told().unwrap_or(&full) });
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    (own, others.iter().map(|line| as_sentence(line)).collect())
}

fn task(cx: &DatasetCx, input: &SynthesizerInput) -> SynthesizeTask {
    let state = cx.state();
    let main = state.ledger.main();
    let filters: Object = main.first().map(|scope| scope.filters.clone()).unwrap_or_default();
    let mut notes: Vec<String> = Vec::new();
    for note in state.notes.iter().map(ToString::to_string) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    let profile = profile(&state.extracted_sources);
    SynthesizeTask {
        query: input.original_query.clone(),
        format: input.format,
        sub_questions: input.sub_questions.clone(),
        findings: input.findings.clone(),
        aggregations: input.aggregation_results.clone(),
        insights: state.insights.clone(),
        relations: relations(&state.extracted_sources, &profile),
        profile,
        fields: state.tools().flat_map(|tool| tool.fields.iter().cloned()).collect(),
        filters,
        heard: heard(cx, &input.original_query),
        coverage: state.coverage(),
        notes,
    }
}

/// The words of the question that the records read and the tools know.
fn heard(cx: &DatasetCx, question: &str) -> Vec<String> {
    let state = cx.state();
    let tools = state.tools().flat_map(|tool| [tool.name.clone(), tool.description.clone()]);
    let records = state.extracted_sources.iter().map(|source| source.text.for_code().clone());
    crate::offline::heard(question, tools.chain(records))
}

async fn draft(cx: &DatasetCx, task: &SynthesizeTask) -> Result<ReportDraft, Error> {
    let state = cx.state();
    let mut findings: Vec<&Finding> = task.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.evidence_count));
    let ask = Ask::shrinking(&prompts::SYNTHESIZER, SYNTHESIZE, task, |prompt, shrink| {
        let shown = findings.iter().take(shrink.of(PROMPT_FINDINGS.0, PROMPT_FINDINGS.1));
        prompt
            .set("question", UserText::new(state.conversation().in_context(&task.query)))
            .data("coverage", &prompts::lines(state.ledger.describe(cx.config().max_docs)))
            .data("aggregations", &prompts::aggregations(&task.aggregations, shrink))
            .data("insights", &prompts::lines(task.insights.iter().map(|insight| format!("- {}", insight.text))))
            .data("profile", &prompts::facts(task, shrink))
            .data("findings", &prompts::lines(shown.map(|finding| line(finding, shrink))))
            .data("notes", &prompts::notes(&task.notes, shrink))
            .data("sub_questions", &prompts::questions_with_ids(&task.sub_questions))
            .set("format", format_name(task.format))
    });
    cx.ask(ask.despite_cancel().listing(&[("max_findings", PROMPT_FINDINGS.0, PROMPT_FINDINGS.1)])).await
}

/// The range of a field as text.
fn range(field: &FieldFacts) -> Option<String> {
    field.range.as_ref().map(|(low, high)| format!("{} {}", plain(low), plain(high)))
}

fn line(finding: &Finding, shrink: Shrink) -> String {
    let most = shrink.of(PROMPT_IDS.0, PROMPT_IDS.1);
    let shown = finding.doc_ids.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    format!("- {} ({} records, such as {shown})", finding.claim, finding.evidence_count)
}

fn format_name(format: ReportFormat) -> &'static str {
    match format {
        ReportFormat::ComprehensiveReport => "comprehensive_report: all parts",
        ReportFormat::ExecutiveSummary => {
            "executive_summary: summary and key findings. One sentence for each question under `analysis` shows whether the data \
             answers it; it is not printed"
        }
        ReportFormat::BulletPoints => {
            "bullet_points: key findings. One sentence for each question under `analysis` shows whether the data answers it; it is \
             not printed"
        }
    }
}
