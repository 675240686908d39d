//! ACCUMULATE: merges all results of both paths, in the order of the plan, and tells the user what is new.

use research_core::{Cx, NodeError};

use super::merge::{News, count_batches, forget_checklist, forget_reviews, gathered, merge_outcome};
use crate::dataset::agents::SYNTHESIZER;
use crate::dataset::charts::chart;
use crate::dataset::completion::{auto_confidence, limit_of};
use crate::dataset::event::DatasetEventKind;
use crate::dataset::findings::by_theme;
use crate::dataset::note::Note;
use crate::dataset::prompts;
use crate::dataset::review::ValidationStatus;
use crate::dataset::services::{DatasetCx, Services};
use crate::dataset::state::{DatasetState, DatasetStateUpdate};

pub(in crate::dataset) async fn accumulate(cx: Cx<DatasetState, Services>) -> Result<DatasetStateUpdate, NodeError> {
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
    let document = known.final_document.take();
    let update = DatasetState::update()
        .pending_sub_agent_calls(known.pending_sub_agent_calls)
        .pending_tool_calls(known.pending_tool_calls)
        .completed_calls(news.completed)
        .notes(news.notes)
        .thinking_steps(news.thinking)
        .sub_questions(known.sub_questions)
        .perspectives(known.perspectives)
        .findings(known.findings)
        .findings_by_theme(known.findings_by_theme)
        .aggregation_results(known.aggregation_results)
        .insights(known.insights)
        .extracted_sources(known.extracted_sources)
        .ledger(known.ledger)
        .docs_fetched(known.docs_fetched)
        .total_docs_processed(known.total_docs_processed)
        .processed_doc_ids(known.processed_doc_ids)
        .needs_full_scan(known.needs_full_scan)
        .batch_findings(known.batch_findings)
        .batches_with_no_new_findings(known.batches_with_no_new_findings)
        .chart_configs(known.chart_configs)
        .validation_issues(known.validation_issues)
        .overall_confidence(known.overall_confidence)
        .confidence_is_validated(known.confidence_is_validated)
        .question_confidence(known.question_confidence)
        .gaps_identified(known.gaps_identified)
        .key_findings(known.key_findings)
        .limitations(known.limitations)
        .suggestions(known.suggestions)
        .progress_percentage(percent)
        .optional(
            known.total_docs_available,
            known.last_successful_tool_args,
            known.validation_status,
            known.recommendation,
            known.final_report,
            known.error_message,
        );
    let update = document.into_iter().fold(update, DatasetStateUpdate::final_document);
    Ok(cx.kept(update.spent(&cx)))
}

/// Puts off a report that was planned with the validator that has now rejected the findings, or with a scan that has left
/// records unread in a run that is to read everything.
fn put_off(known: &mut DatasetState, news: &mut News, cx: &DatasetCx) {
    let is_rejected = news.verdict && known.validation_status == Some(ValidationStatus::Failed);
    let is_next = known.pending_tool_calls.is_empty()
        && known.pending_sub_agent_calls.iter().all(|call| call.agent == SYNTHESIZER);
    let is_early = is_next && cx.config().exhaustive && known.ledger.wanting().is_some();
    if (is_rejected || is_early) && known.iteration < limit_of(known, cx.config()) {
        let before = known.pending_sub_agent_calls.len();
        known.pending_sub_agent_calls.retain(|call| call.agent != SYNTHESIZER);
        if known.pending_sub_agent_calls.len() < before {
            let why = if is_rejected { "the validator rejected the findings" } else { "records are still unread" };
            news.thinking.push(format!("{why}; the report planned with it is put off"));
        }
    }
}

/// What follows from the merged results.
fn derive(known: &mut DatasetState, cx: &DatasetCx) {
    let coverage = known.coverage();
    known.findings_by_theme = by_theme(&known.findings);
    known.docs_fetched = known.extracted_sources.len() as u64;
    known.total_docs_processed = known.processed_doc_ids.len() as u64;
    known.total_docs_available = coverage.total;
    known.needs_full_scan = known.ledger.wanting().is_some();
    known.chart_configs = known.aggregation_results.iter().filter_map(|table| chart(table, known.language)).collect();
    if !known.confidence_is_validated {
        known.overall_confidence = auto_confidence(known, cx.config());
    }
}

/// Emits what is new, and one progress event for the step.
fn announce(cx: &DatasetCx, known: &DatasetState, news: &News) -> u8 {
    for aggregation in &news.aggregations {
        cx.emit(DatasetEventKind::Aggregation { aggregation: aggregation.clone() });
        if let Some(config) = known.chart_configs.iter().find(|config| config.aggregation == aggregation.id) {
            cx.emit(DatasetEventKind::Chart { config: config.clone() });
        }
    }
    for insight in &news.insights {
        cx.emit(DatasetEventKind::Insight { text: insight.text.clone(), claims: insight.claims.clone() });
    }
    for gap in news.gaps.iter().flatten() {
        cx.emit(DatasetEventKind::Gap { gap: gap.clone() });
    }
    let verdict = known.validation_status.filter(|_| news.verdict).map(|status| {
        let (confidence, issues) = (known.overall_confidence, known.validation_issues.len());
        format!("validation: {}, confidence {confidence:.2}, {issues} issues", prompts::word(&status))
    });
    for text in news.thinking.iter().cloned().chain(verdict) {
        cx.emit(DatasetEventKind::Thinking { text });
    }
    cx.announce(known.extracted_sources.iter().map(AsRef::as_ref), &known.findings);
    let usage = known.usage;
    cx.emit(DatasetEventKind::Usage {
        tokens_in: usage.tokens_in,
        tokens_out: usage.tokens_out,
        llm_calls: usage.llm_calls,
        mcp_calls: usage.mcp_calls,
        cost: known.cost_usd,
        budget_left: Some(cx.budget().left()),
    });
    // What was read of the records whose number this is; those of narrower queries are not among them.
    let coverage = known.coverage();
    let total = coverage.total.map_or_else(|| "an unknown number of".to_owned(), |total| total.to_string());
    let (read, findings) = (coverage.fetched, known.findings.len());
    let percent = if known.needs_full_scan { 25 } else { 80 };
    cx.progress(percent, format!("{read} of {total} records, {findings} findings"))
}

impl DatasetStateUpdate {
    /// Sets what the run has spent beside tokens and calls: money and time.
    pub(super) fn spent(self, cx: &DatasetCx) -> Self {
        let update = self.active_ms(u64::try_from(cx.budget().elapsed().as_millis()).unwrap_or(u64::MAX));
        cx.cost().into_iter().fold(update, Self::cost_usd)
    }

    /// Sets the optional fields that have a value, and clears those whose value no longer holds.
    fn optional(
        self,
        total: Option<u64>,
        last: Option<crate::dataset::record::ToolCall>,
        status: Option<crate::dataset::review::ValidationStatus>,
        recommendation: Option<crate::dataset::review::Recommendation>,
        report: Option<String>,
        error: Option<String>,
    ) -> Self {
        let update = match total {
            Some(total) => self.total_docs_available(total),
            None => self.clear_total_docs_available(),
        };
        let update = last.into_iter().fold(update, Self::last_successful_tool_args);
        let update = match status {
            Some(status) => update.validation_status(status),
            None => update.clear_validation_status(),
        };
        let update = match recommendation {
            Some(recommendation) => update.recommendation(recommendation),
            None => update.clear_recommendation(),
        };
        let update = report.into_iter().fold(update, Self::final_report);
        error.into_iter().fold(update, Self::error_message)
    }
}
