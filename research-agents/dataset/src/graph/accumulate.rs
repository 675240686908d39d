//! ACCUMULATE: merges all results of both paths, in the order of the plan, and reports what is new.

use research_agents_runtime::event::{Note, RunEvent};
use research_core::{Cx, NodeError};

use crate::cx::{DatasetCx, Services};
use crate::data::event::DatasetEventKind;
use crate::data::names::SYNTHESIZER;
use crate::data::review::ValidationStatus;
use crate::found::charts::chart;
use crate::found::findings::by_theme;
use crate::graph::merge::{
    News, count_batches, forget_checklist, forget_reviews, gathered, merge_outcome,
};
use crate::prompts;
use crate::state::completion::{auto_confidence, limit_of};
use crate::state::model::{DatasetState, DatasetStateUpdate};

pub(crate) async fn accumulate(
    cx: Cx<DatasetState, Services>,
) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    let mut known = cx.state().clone();
    let mut news = News::default();
    let before = gathered(&known);
    let checklist = known.sub_questions.clone();

    for outcome in std::mem::take(&mut known.outcomes) {
        merge_outcome(&mut known, &outcome, cx.config().max_docs, &mut news);
    }

    count_batches(&mut known, news.single_reads);
    if cx.state().outcomes.is_empty() {
        known.batches_with_no_new_findings += 1;
        news.notes.push(Note::own("the plan called nothing"));
    }

    if gathered(&known) != before {
        forget_reviews(&mut known, &news);
    }

    forget_checklist(&mut known, &checklist);
    put_off(&mut known, &mut news, &cx);
    derive(&mut known, &cx);
    known.cost_usd = cx.cost();
    let percent = announce(&cx, &known, &news);
    let update = known
        .into_gathered()
        .completed_calls(news.completed)
        .notes(news.notes)
        .thinking_steps(news.thinking)
        .progress_percentage(percent);

    Ok(cx.done(update))
}

/// Postpones a report that was planned together with the validator that has now rejected the
/// findings, or with a scan that has left records unread in an exhaustive run.
fn put_off(known: &mut DatasetState, news: &mut News, cx: &DatasetCx) {
    let is_rejected = news.verdict && known.validation_status == Some(ValidationStatus::Failed);
    let is_next = known.pending_tool_calls.is_empty()
        && known
            .pending_sub_agent_calls
            .iter()
            .all(|call| call.agent == SYNTHESIZER);
    let is_early = is_next && cx.config().exhaustive && known.ledger.wanting().is_some();

    if (is_rejected || is_early) && known.iteration < limit_of(known, cx.config()) {
        let before = known.pending_sub_agent_calls.len();
        known
            .pending_sub_agent_calls
            .retain(|call| call.agent != SYNTHESIZER);
        if known.pending_sub_agent_calls.len() < before {
            let why = if is_rejected {
                "the validator rejected the findings"
            } else {
                "records are still unread"
            };
            news.thinking
                .push(format!("{why}; the report planned with it is put off"));
        }
    }
}

/// Derives what follows from the merged results.
fn derive(known: &mut DatasetState, cx: &DatasetCx) {
    let coverage = known.coverage();
    known.findings_by_theme = by_theme(&known.findings);
    known.docs_fetched = coverage.fetched;
    known.total_docs_processed = known.processed_doc_ids.len() as u64;
    known.total_docs_available = coverage.total;
    let is_enough = known.counts_suffice() && !cx.config().exhaustive;
    known.needs_full_scan = known.ledger.wanting().is_some() && !is_enough;
    known.chart_configs = known
        .aggregation_results
        .iter()
        .filter_map(|table| chart(table, known.language))
        .collect();
    if !known.confidence_is_validated {
        known.overall_confidence = auto_confidence(known, cx.config());
    }
}

/// Emits what is new, and one progress event for the step.
fn announce(cx: &DatasetCx, known: &DatasetState, news: &News) -> u8 {
    for aggregation in &news.aggregations {
        cx.emit(DatasetEventKind::Aggregation {
            aggregation: aggregation.clone(),
        });
        if let Some(config) = known
            .chart_configs
            .iter()
            .find(|config| config.aggregation == aggregation.id)
        {
            cx.emit(DatasetEventKind::Chart {
                config: config.clone(),
            });
        }
    }

    for insight in &news.insights {
        cx.emit(DatasetEventKind::Insight {
            text: insight.text.clone(),
            claims: insight.claims.clone(),
        });
    }

    for gap in news.gaps.iter().flatten() {
        cx.emit(DatasetEventKind::Gap { gap: gap.clone() });
    }

    let verdict = known
        .validation_status
        .filter(|_| news.verdict)
        .map(|status| {
            let (confidence, issues) = (known.overall_confidence, known.validation_issues.len());
            format!(
                "validation: {}, confidence {confidence:.2}, {issues} issues",
                prompts::word(&status)
            )
        });

    for text in news.thinking.iter().cloned().chain(verdict) {
        cx.emit(RunEvent::Thinking { text });
    }

    cx.announce(
        known.extracted_sources.iter().map(AsRef::as_ref),
        &known.findings,
    );
    let usage = known.usage;
    let left = Some(cx.budget().left());
    cx.emit(RunEvent::usage(&usage, known.cost_usd, left));

    // What was read of the records whose number this is; those of narrower queries are not among
    // them.
    let coverage = known.coverage();
    let total = coverage.total.map_or_else(
        || "an unknown number of".to_owned(),
        |total| total.to_string(),
    );
    let (read, findings) = (coverage.fetched, known.findings.len());
    let percent = if known.needs_full_scan { 25 } else { 80 };

    cx.progress(
        percent,
        format!("{read} of {total} records, {findings} findings"),
    )
}
