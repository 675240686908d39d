//! Writes the report: the memo with its citations, what was not found and not read, and how it was
//! researched.

use std::collections::BTreeSet;

use research_agents_report::document::ReportWriter;
use research_agents_report::evidence::Evidence;
use research_agents_runtime::event::RunEvent;
use research_agents_runtime::limits::EarlyEnd;
use research_agents_runtime::run::NodeJob;
use research_agents_scr::report::MemoReport;
use research_core::{Cx, NodeError};

use crate::agent::kit::FeedbackKit;
use crate::agent::state::{FeedbackState, FeedbackStateUpdate};
use crate::records::TaskStatus;

/// Writes the report.
pub(super) async fn citation_agent(
    cx: Cx<FeedbackState, FeedbackKit>,
) -> Result<FeedbackStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    job.phase("writing");
    job.progress(96, "writing the report");

    let evidence = evidence(state);
    let mut report = MemoReport::new(&state.memo, &evidence, &state.passages_of)
        .marks(state.marks.clone())
        .leaving_out(not_carried(state));
    let early_end = state.early_end.clone();
    let early_end = early_end.or_else(|| job.stop().map(EarlyEnd::from));
    if let Some(EarlyEnd { reason, .. }) = early_end {
        report = report.note(&format!(
            "The research ended early ({reason}); the report covers what was found by then."
        ));
    }
    if let Some(error) = &state.error {
        report = report.note(&format!(
            "Rules wrote the rest of the memo, as the model did not: {error}"
        ));
    }
    if let Some(problem) = &state.decision_problem {
        report = report.note(&format!(
            "Whether more research is needed could not be decided: {problem}"
        ));
    }

    let report = report.finish_with(|writer| {
        not_found(state, writer);
        not_read(state, writer);
        how(state, writer);
    });
    for event in RunEvent::report(&report.to_markdown(), Some(report.clone())) {
        job.emit(event);
    }
    job.progress(100, "done");
    let update = FeedbackState::update().report(report).ended_by(&job);
    Ok(cx.done(&job, update))
}

/// Returns the evidence that the report rests on.
pub(crate) fn evidence(state: &FeedbackState) -> Evidence {
    Evidence {
        passages: state.passages.clone(),
        ..Evidence::default()
    }
}

fn not_carried(state: &FeedbackState) -> BTreeSet<String> {
    let verification = state.verification.iter();
    let corrections = verification.flat_map(|one| &one.corrections);
    corrections.map(|(id, _)| id.clone()).collect()
}

/// Writes the tasks that nothing was found about.
fn not_found(state: &FeedbackState, writer: &mut ReportWriter<'_>) {
    let open = state.subagent_findings.iter();
    let lines: Vec<String> = open
        .filter(|one| one.status != TaskStatus::Found)
        .map(|one| match one.status {
            TaskStatus::Failed => format!("No source was searched for “{}”", one.task.description),
            _ => format!("No passage says anything about “{}”", one.task.description),
        })
        .collect();
    if !lines.is_empty() {
        writer.section("Not found");
        writer.notes(&lines);
    }
}

/// Writes the files that could not be read, and the calls that failed.
fn not_read(state: &FeedbackState, writer: &mut ReportWriter<'_>) {
    let mut lines = state.input.not_read.clone();
    let failures = state.subagent_findings.iter().flat_map(|one| &one.failures);
    for line in failures.map(ToString::to_string) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if !lines.is_empty() {
        writer.section("Not read");
        writer.notes(&lines);
    }
}

/// Writes the passes, the decision, and what writing took.
fn how(state: &FeedbackState, writer: &mut ReportWriter<'_>) {
    let mut lines = Vec::new();
    if !state.marks.is_empty() {
        lines.push(
            "✓✓ independent sources agree; ✓ one source, or several that depend on each other; ⚠ \
             one source about which little is known."
                .to_owned(),
        );
    }
    lines.push(format!(
        "Passes: {}. Tasks: {}. Findings: {} of {} documents.",
        state.iteration_count,
        state.subagent_findings.len(),
        state.memo.findings.len(),
        state.passages.documents().len()
    ));
    let decision = &state.decision;
    lines.push(format!(
        "Confidence of the last decision: {:.0} %. {}",
        decision.confidence * 100.0,
        decision.reasoning
    ));

    let spent = &state.memo.spent;
    if state.memo.by_model {
        lines.push(format!(
            "The memo took {} questions to the model: {} new tokens and {} repeated ones, where \
             prompts with all findings would have had {} new ones.",
            spent.section_calls + spent.reflection_calls,
            spent.fresh_tokens,
            spent.repeated_tokens,
            spent.regeneration_tokens
        ));
    }
    let beyond: usize = state.subagent_findings.iter().map(|one| one.beyond).sum();
    if beyond > 0 {
        lines.push(format!("Limits left out {beyond} hits of searches."));
    }
    writer.folded_section("How it was researched");
    writer.notes(&lines);
}
