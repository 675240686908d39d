//! The synthesizer: has the report drafted, checks every sentence, and writes what holds. It ends
//! the research.

use research_agents_report::claim::Statement;
use research_agents_report::confidence::Confidence;
use research_agents_report::document::Report;
use research_agents_report::evidence::plain;
use research_agents_report::language::Language;
use research_agents_report::text::mentioned_words;
use research_agents_runtime::ask::{Shrink, UserText};
use research_agents_runtime::error::Error;
use research_agents_runtime::event::{Note, clause};
use research_agents_runtime::job::Ask;
use research_agents_runtime::tools::registry::{Card, SubAgent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cx::DatasetCx;
use crate::data::event::Phase;
use crate::data::filters::describe_filters;
use crate::data::names::SYNTHESIZER;
use crate::data::phrase::Phrase;
use crate::data::record::{
    AggregationKind, AggregationResult, Finding, Object, ReportDraft, ReportFormat, SubQuestion,
};
use crate::data::task::question::meaning::QuestionReading;
use crate::data::task::question::shape::AnswerShape;
use crate::data::task::{FieldFacts, RankedRecord, SYNTHESIZE, SynthesizeTask};
use crate::found::conflicts::{advised, contradictions};
use crate::found::profile::profile;
use crate::found::relations::relations;
use crate::offline::answer::{DESCRIBED, UNANSWERED, answer};
use crate::offline::sampled::sampled;
use crate::prompts;
use crate::report::compose::compose;
use crate::report::compose::context::ReportContext;
use crate::report::compose::limitations::as_sentence;
use crate::report::fallback::fallback_draft;
use crate::report::read::JudgedBy;
use crate::report::repair::repair_draft;
use crate::state::answered::Answers;
use crate::state::evidence::evidence;
use crate::state::model::DatasetState;

/// The sub-agent that writes the report.
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

/// Number of findings that the prompt shows, those with most records, and the least in a shortened
/// prompt.
const PROMPT_FINDINGS: (usize, usize) = (50, 10);
/// Number of record ids shown with a finding, likewise.
const PROMPT_IDS: (usize, usize) = (10, 2);

impl SubAgent<DatasetCx> for Synthesizer {
    type Input = SynthesizerInput;
    type Output = SynthesizerOutput;

    fn card(&self) -> Card {
        Card::new(
            SYNTHESIZER,
            "Writes the final report from everything that was found. It ends the research.",
        )
        .use_when("the sub-questions are answered, or nothing more can be gained")
        .speed("one model call")
        .cost("medium")
    }

    fn filled(&self) -> &'static [&'static str] {
        &["findings", "aggregation_results", "sub_questions"]
    }

    fn fill(&self, cx: &DatasetCx, input: &mut SynthesizerInput) {
        let state = cx.state();
        input.findings.clone_from(&state.findings);
        input
            .aggregation_results
            .clone_from(&state.aggregation_results);
        input.sub_questions.clone_from(&state.sub_questions);
    }

    async fn run(
        &self,
        cx: &DatasetCx,
        input: SynthesizerInput,
    ) -> Result<SynthesizerOutput, Error> {
        cx.phase(Phase::Synthesizing);
        let state = cx.state();
        let language = state.language;
        let task = task(cx, &input);

        // Without a draft the report lists what was gathered; with nothing gathered the run fails.
        let mut notes = Vec::new();
        let mut is_drafted = true;
        let mut draft = match draft(cx, &task).await {
            Ok(draft) => draft,
            Err(error) if state.has_data() => {
                cx.warn(&error);
                let message = language.say(Phrase::NotDrafted {
                    error: &clause(&error.user_message()),
                });
                notes.push(Note::own(message).in_full(language.say(Phrase::NotDrafted {
                    error: &error.to_string(),
                })));
                is_drafted = false;
                fallback_draft(&task, language)
            }
            Err(error) => return Err(error),
        };

        // The computed answer is in English.
        let answer = sampled(&task)
            .or_else(|| answer(&task))
            .filter(|_| language == Language::ENGLISH);
        let confidence = match &answer {
            Some(answer) => answer.confidence,
            None if state.has_data() => state.overall_confidence,
            None => draft.confidence,
        };
        // A description of the data answers no question for one thing, however much it covers.
        let is_described = answer.is_none()
            && task
                .reading
                .as_ref()
                .is_some_and(asks_more_than_a_description)
            && !cx.model().is_language_model();
        let confidence = match is_described && language == Language::ENGLISH {
            true => confidence.min(DESCRIBED),
            false => confidence,
        };
        let (mut run_notes, others) = run_notes(&state.notes, language);
        run_notes.extend(notes.iter().filter_map(Note::told).map(str::to_owned));

        // Words of others are treated like a model's draft: only numbers that the run knows pass.
        draft.limitations.extend(others);
        let contradictions = all_contradictions(state, &input);

        let mut context = ReportContext {
            contradictions: &contradictions,
            notes: &run_notes,
            author: is_drafted.then(|| author(cx, language)).flatten(),
            answer: answer.as_ref(),
            ..context(
                cx,
                &input,
                &task,
                Confidence::new(confidence),
                answer.is_some(),
            )
        };

        repair_draft(&mut draft, &task.aggregations);

        let important = state
            .gaps_identified
            .iter()
            .filter(|gap| gap.importance == "high" && !gap.advisory);
        draft
            .suggestions
            .extend(important.map(|gap| gap.description.clone()));

        let evidence = evidence(state);
        let mut written = compose(&evidence, &context, &draft);
        let mut confidence = confidence;
        if answer.is_some() && !written.is_answered {
            // No sentence of the answer holds: the report does not pretend that there is one.
            confidence = confidence.min(UNANSWERED);
            context.confidence = Confidence::new(confidence);
            context.answer = None;
            written = compose(&evidence, &context, &draft);
        }
        if written.key_findings.is_empty() && is_drafted && answer.is_none() {
            // What the model wrote does not hold. What was counted does.
            let listed = fallback_draft(&task, language);
            if !listed.key_findings.is_empty() {
                draft.key_findings.extend(listed.key_findings);
                draft.summary.extend(listed.summary);
                draft
                    .limitations
                    .insert(0, language.say(Phrase::ListedByProgram));
                written = compose(&evidence, &context, &draft);
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

/// Returns the context of a report, still without contradictions, notes and author.
fn context<'a>(
    cx: &'a DatasetCx,
    input: &'a SynthesizerInput,
    task: &'a SynthesizeTask,
    confidence: Confidence,
    is_computed: bool,
) -> ReportContext<'a> {
    let state = cx.state();
    let wanted = state.requested_language.or(cx.config().language);
    let judged_by = match (state.has_data(), state.confidence_is_validated) {
        _ if is_computed => JudgedBy::Answer,
        (false, _) => JudgedBy::Estimate,
        (true, true) => JudgedBy::Review,
        (true, false) => JudgedBy::Amount,
    };
    let fields = || state.tools().flat_map(|tool| &tool.fields);
    let scopes = state.ledger.scopes().iter();

    ReportContext {
        language: state.language,
        wanted: wanted.unwrap_or(state.question_language),
        question: &input.original_query,
        understood: state.understood(),
        sub_questions: &input.sub_questions,
        answered: answered(cx, input),
        format: input.format,

        confidence,
        judged_by,
        coverage: &task.coverage,
        ledger: &state.ledger,
        limit: cx.config().max_docs,
        aggregations: &state.aggregation_results,
        profile: &task.profile,

        ranges: fields().filter_map(range).collect(),
        filters: scopes
            .map(|scope| describe_filters(&scope.filters))
            .collect(),
        fields: fields().map(|field| field.name.clone()).collect(),

        notes: &[],
        contradictions: &[],
        author: None,
        answer: None,
    }
}

/// Returns the contradictions that code finds, and those that a model sees.
fn all_contradictions(state: &DatasetState, input: &SynthesizerInput) -> Vec<Statement> {
    let language = state.language;
    let questions = [input.original_query.as_str()];
    let (tables, sources) = (&input.aggregation_results, &state.extracted_sources);
    let found = contradictions(&input.findings, tables, sources, &questions, language);

    let mut all: Vec<Statement> = found.into_iter().map(|found| found.statement).collect();
    all.extend(advised(&state.validation_issues, &input.findings, language));
    all
}

/// Returns the ids of the sub-questions that what was gathered answers.
fn answered(cx: &DatasetCx, input: &SynthesizerInput) -> Vec<String> {
    let rules = &cx.config().review;
    let gathered = Answers::new(cx.state(), rules.min_sources);
    let answers = gathered
        .with_findings(&input.findings)
        .with_tables(&input.aggregation_results);
    let answered =
        |question: &&SubQuestion| answers.confidence(question) >= rules.answered_threshold;
    input
        .sub_questions
        .iter()
        .filter(answered)
        .map(|question| question.id.clone())
        .collect()
}

/// Returns whether a question asks for more than a description of the data: for a number, a record
/// or a verdict, or with words that have no effect.
fn asks_more_than_a_description(reading: &QuestionReading) -> bool {
    reading.answer != AnswerShape::Overview
        || reading.dropped().next().is_some()
        || !(reading.unread.is_empty() && reading.unheld.is_empty() && reading.absent.is_empty())
}

/// Returns who drafted the report and what the run used so far, if the author was a language model.
fn author(cx: &DatasetCx, language: Language) -> Option<String> {
    let info = cx.model();
    let mut usage = cx.state().usage;
    usage += cx.job().used();
    info.is_language_model().then(|| {
        let (model, calls) = (info.id(), usage.llm_calls);
        language.say(Phrase::Author {
            model: &model,
            calls,
            input: usage.tokens_in,
            output: usage.tokens_out,
        })
    })
}

/// Returns what the report says of the run, each note once: in words of the program, in the
/// language, and in words of others.
fn run_notes(notes: &[Note], language: Language) -> (Vec<String>, Vec<String>) {
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for note in notes {
        let lines = if note.told().is_some() {
            &mut own
        } else {
            &mut others
        };
        let full = note.to_string();
        let line = language.say(Phrase::RunNote {
            note: note.told().unwrap_or(&full),
        });
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    (own, others.iter().map(|line| as_sentence(line)).collect())
}

fn task(cx: &DatasetCx, input: &SynthesizerInput) -> SynthesizeTask {
    let state = cx.state();
    let main = state.ledger.main();
    let filters: Object = main
        .first()
        .map(|scope| scope.filters.clone())
        .unwrap_or_default();

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
        fields: state
            .tools()
            .flat_map(|tool| tool.fields.iter().cloned())
            .collect(),
        filters,
        heard: known_words(cx, &input.original_query),
        coverage: state.coverage(),
        notes,
        reading: state.answered_reading().map(|read| read.meaning.clone()),
        records: ranked(state),
    }
}

/// Returns the records of rankings.
fn ranked(state: &DatasetState) -> Vec<RankedRecord> {
    let rankings = state
        .aggregation_results
        .iter()
        .filter(|table| table.kind == AggregationKind::Ranking);
    let ids = rankings
        .flat_map(|table| &table.buckets)
        .filter_map(|bucket| bucket.source.as_deref());
    let mut records: Vec<RankedRecord> = Vec::new();
    for id in ids {
        let source = state.extracted_sources.get(id);
        let is_new = records.iter().all(|known| known.id != id);
        records.extend(source.filter(|_| is_new).map(|source| RankedRecord {
            id: id.to_owned(),
            fields: source.fields.for_code().clone(),
        }));
    }
    records
}

/// Returns words of the question that the records read and the tools know.
fn known_words(cx: &DatasetCx, question: &str) -> Vec<String> {
    let state = cx.state();
    let tools = state
        .tools()
        .flat_map(|tool| [tool.name.clone(), tool.description.clone()]);
    let records = state
        .extracted_sources
        .iter()
        .map(|source| source.text.for_code().clone());
    mentioned_words(question, tools.chain(records))
}

async fn draft(cx: &DatasetCx, task: &SynthesizeTask) -> Result<ReportDraft, Error> {
    let state = cx.state();
    let mut findings: Vec<&Finding> = task.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.evidence_count));
    let ask = Ask::shrinking(&prompts::SYNTHESIZER, SYNTHESIZE, task, |prompt, shrink| {
        let shown = findings
            .iter()
            .take(shrink.length(PROMPT_FINDINGS.0, PROMPT_FINDINGS.1));
        prompt
            .set(
                "question",
                UserText::new(state.conversation().in_context(&task.query)),
            )
            .data(
                "coverage",
                &prompts::lines(state.ledger.describe(cx.config().max_docs)),
            )
            .data(
                "aggregations",
                &prompts::aggregations(&task.aggregations, shrink),
            )
            .data(
                "insights",
                &prompts::lines(
                    task.insights
                        .iter()
                        .map(|insight| format!("- {}", insight.text)),
                ),
            )
            .data("profile", &prompts::facts(task, shrink))
            .data(
                "findings",
                &prompts::lines(shown.map(|finding| line(finding, shrink))),
            )
            .data("notes", &prompts::notes(&task.notes, shrink))
            .data(
                "sub_questions",
                &prompts::questions_with_ids(&task.sub_questions),
            )
            .set("format", format_name(task.format))
    });

    cx.ask(
        ask.for_report()
            .listing(&[("max_findings", PROMPT_FINDINGS.0, PROMPT_FINDINGS.1)]),
    )
    .await
}

/// Returns the range of a field as text.
fn range(field: &FieldFacts) -> Option<String> {
    field
        .range
        .as_ref()
        .map(|(low, high)| format!("{} {}", plain(low), plain(high)))
}

fn line(finding: &Finding, shrink: Shrink) -> String {
    let most = shrink.length(PROMPT_IDS.0, PROMPT_IDS.1);
    let shown = finding
        .doc_ids
        .iter()
        .take(most)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    format!(
        "- {} ({} records, such as {shown})",
        finding.claim, finding.evidence_count
    )
}

fn format_name(format: ReportFormat) -> &'static str {
    match format {
        ReportFormat::ComprehensiveReport => "comprehensive_report: all parts",
        ReportFormat::ExecutiveSummary => {
            "executive_summary: summary and key findings. One sentence for each question under \
             `analysis` shows whether the data answers it; it is not printed"
        }
        ReportFormat::BulletPoints => {
            "bullet_points: key findings. One sentence for each question under `analysis` shows \
             whether the data answers it; it is not printed"
        }
    }
}
