//! The end of a run: the answer that is shown, and the report.

use research_agents_report::document::{Report, ReportWriter};
use research_agents_report::evidence::{Evidence as ReportEvidence, Source, SourceRegistry};
use research_agents_runtime::bundle::Bundle;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::RunEvent;
use research_agents_runtime::job::Job;
use research_agents_runtime::tape::Exchange;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::actions::ActionResult;
use crate::agent::kit::CodeKit;
use crate::agent::state::{CodeState, CodeStateUpdate};
use crate::answer::{Sentence, plain_text, shorten};
use crate::run::{EvidenceDraft, ResearchRun, RunStatus};

/// Number of places that a partial answer lists.
const PLACES: usize = 6;

/// Writes the answer and the report.
pub(super) async fn finish(
    job: &Job,
    state: &CodeState,
    _: &CodeKit,
) -> Result<CodeStateUpdate, Error> {
    let mut run = state.run.clone();
    if run.status != RunStatus::Error {
        run.status = RunStatus::Done;
        answer(&mut run, state);
    }
    run.total_duration_ms = u64::try_from(job.done().active.as_millis()).unwrap_or(u64::MAX);

    let report = report(&run);
    for event in RunEvent::report(&report.to_markdown(), Some(report.clone())) {
        job.emit(event);
    }
    Ok(CodeState::update().report(report).run(run))
}

/// Sets the answer: the sentences that hold, or what can be said without one.
fn answer(run: &mut ResearchRun, state: &CodeState) {
    let verified = state.proposed.as_ref().and_then(|one| {
        run.confidence = Some(one.confidence);
        one.verified.as_ref()
    });
    let mut sentences = Vec::new();
    if let Some(verified) = verified {
        run.verification = Some(verified.verification.clone());
        let kept = verified.kept.iter();
        sentences.extend(kept.map(|(lead, text, cited, ends_line)| Sentence {
            lead: lead.clone(),
            text: text.clone(),
            cited: cited.clone(),
            ends_line: *ends_line,
        }));
        let removed = verified.verification.removed;
        if removed > 0 {
            run.is_partial = true;
            sentences.push(Sentence::line(match removed {
                1 => "1 sentence was removed because the code does not show it.".to_owned(),
                more => {
                    format!("{more} sentences were removed because the code does not show them.")
                }
            }));
        }
    }

    if verified.is_none_or(|verified| verified.kept.is_empty()) {
        run.is_partial = true;
        run.confidence = None;
        sentences.extend(partial(run, state));
    }
    // An answer without lines after steps that failed is not the whole truth.
    if run.cited.is_empty() && run.steps.iter().any(|step| step.error.is_some()) {
        run.is_partial |= sentences.iter().all(|one| one.cited.is_empty());
    }
    let shown = shorten(run, &sentences);
    run.more = shown.more;
    run.answer = Some(shown.answer);
    run.cited = shown.cited;
}

/// Returns what an honest answer without a verified one says.
fn partial(run: &ResearchRun, state: &CodeState) -> Vec<Sentence> {
    let reason = state
        .stopped
        .as_deref()
        .unwrap_or("nothing that was said could be verified");
    let mut sentences = vec![Sentence::line(format!("No complete answer: {reason}."))];

    let facts = state.facts.iter().filter(|fact| fact.problem.is_none());
    sentences.extend(facts.map(|fact| Sentence {
        cited: fact.evidence.clone(),
        ..Sentence::line(fact.text.clone())
    }));
    if sentences.len() == 1 && !run.evidence.is_empty() {
        let places = run.evidence.iter().take(PLACES);
        sentences.push(Sentence {
            cited: places.map(|evidence| evidence.id.clone()).collect(),
            ..Sentence::line("These lines were read:".to_owned())
        });
    }
    if run.evidence.is_empty() {
        sentences.push(Sentence::line("No evidence was found.".to_owned()));
    }
    sentences
}

/// Returns the report as a document, in which each sentence names its evidence.
fn report(run: &ResearchRun) -> Report {
    let evidence = evidence(run);
    let mut writer = ReportWriter::new(&evidence, "Code research").with_question(&run.question);
    writer.section("Answer");
    match &run.answer {
        Some(answer) => writer.notes(&answer.lines().collect::<Vec<_>>()),
        None => writer.note(run.error_message.as_deref().unwrap_or("The run failed.")),
    }

    writer.section("Citations");
    let cited: Vec<String> = run
        .cited_evidence()
        .map(|evidence| {
            let (id, place) = (&evidence.id, evidence.place());
            format!("{id}: {place} ({})", evidence.lines.provenance)
        })
        .collect();
    writer.notes(&cited);

    writer.section("Steps");
    let steps: Vec<String> = run
        .steps
        .iter()
        .map(|step| {
            let end = step.error.as_deref().unwrap_or(&step.output_summary);
            format!("{}. {}: {}", step.step_number, step.action, plain_text(end))
        })
        .collect();
    writer.notes(&steps);
    writer.finish()
}

/// Returns the evidence of a run in the form of bundles.
pub(super) fn evidence(run: &ResearchRun) -> ReportEvidence {
    let mut sources = SourceRegistry::default();
    for evidence in &run.evidence {
        sources.register(source_of(&evidence.lines));
    }
    ReportEvidence {
        sources,
        ..ReportEvidence::default()
    }
}

/// Returns lines as a source without an id.
pub(super) fn source_of(lines: &EvidenceDraft) -> Source {
    let EvidenceDraft {
        file_path,
        start_line,
        end_line,
        content,
        content_sha256,
        ..
    } = lines;
    let place = format!("{}:{start_line}-{end_line}", file_path.encoded());
    let fields = Map::from_iter([
        ("path".to_owned(), json!(file_path)),
        ("start_line".to_owned(), json!(start_line)),
        ("end_line".to_owned(), json!(end_line)),
        ("sha256".to_owned(), json!(content_sha256)),
    ]);

    Source {
        record: format!("{place}@{content_sha256}"),
        tool: "code".to_owned(),
        title: place.into(),
        fields: fields.into(),
        text: content.clone(),
        ..Source::default()
    }
}

/// Returns the recorded results of actions.
pub(super) fn results(bundle: &Bundle) -> impl Iterator<Item = ActionResult> {
    let actions = bundle
        .effects
        .iter()
        .filter(|effect| effect.what.starts_with("action "));
    let values =
        actions
            .flat_map(|effect| &effect.exchanges)
            .filter_map(|exchange| match exchange {
                Exchange::Local { value } => Some(value),
                _ => None,
            });
    values.filter_map(|value: &Value| ActionResult::deserialize(value).ok())
}
