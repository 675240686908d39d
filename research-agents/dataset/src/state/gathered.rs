//! The update that merges the results of a step into the state.

use crate::state::model::{DatasetState, DatasetStateUpdate};

impl DatasetState {
    /// Returns the update with everything that merging results may change. The caller adds what it
    /// appends: completed calls, notes and thinking steps.
    ///
    /// Every field is named here, so that a new field does not compile until someone decides
    /// whether merging changes it.
    pub(crate) fn into_gathered(self) -> DatasetStateUpdate {
        let Self {
            // Fields that merging changes.
            pending_sub_agent_calls,
            pending_tool_calls,
            sub_questions,
            perspectives,
            findings,
            findings_by_theme,
            aggregation_results,
            insights,
            extracted_sources,
            ledger,
            docs_fetched,
            total_docs_processed,
            processed_doc_ids,
            needs_full_scan,
            batch_findings,
            batches_with_no_new_findings,
            chart_configs,
            validation_issues,
            overall_confidence,
            confidence_is_validated,
            question_confidence,
            gaps_identified,
            key_findings,
            limitations,
            suggestions,

            // Optional fields: those that are set stay set, unless they no longer hold.
            total_docs_available,
            last_successful_tool_args,
            validation_status,
            recommendation,
            final_report,
            error_message,
            final_document,
            cost_usd,

            // Fields that other nodes set, or that the caller appends to.
            question: _,
            conversation_id: _,
            overrides: _,
            requested_tools: _,
            format: _,
            max_iterations: _,
            recorded: _,
            requested_language: _,
            question_language: _,
            language: _,
            turns: _,
            earlier: _,
            answers: _,
            llm_provider: _,
            llm_model: _,
            available_tools: _,
            enabled_tools: _,
            listed_tools: _,
            reading: _,
            is_unclear: _,
            doubts: _,
            clarifications: _,
            iteration: _,
            research_plan: _,
            completed_calls: _,
            outcomes: _,
            thinking_steps: _,
            notes: _,
            completion: _,
            current_phase: _,
            progress_percentage: _,
            usage: _,
            active_ms: _,
            recording: _,
        } = self;

        let update = Self::update()
            .pending_sub_agent_calls(pending_sub_agent_calls)
            .pending_tool_calls(pending_tool_calls)
            .sub_questions(sub_questions)
            .perspectives(perspectives)
            .findings(findings)
            .findings_by_theme(findings_by_theme)
            .aggregation_results(aggregation_results)
            .insights(insights)
            .extracted_sources(extracted_sources)
            .ledger(ledger)
            .docs_fetched(docs_fetched)
            .total_docs_processed(total_docs_processed)
            .processed_doc_ids(processed_doc_ids)
            .needs_full_scan(needs_full_scan)
            .batch_findings(batch_findings)
            .batches_with_no_new_findings(batches_with_no_new_findings)
            .chart_configs(chart_configs)
            .validation_issues(validation_issues)
            .overall_confidence(overall_confidence)
            .confidence_is_validated(confidence_is_validated)
            .question_confidence(question_confidence)
            .gaps_identified(gaps_identified)
            .key_findings(key_findings)
            .limitations(limitations)
            .suggestions(suggestions);

        // A total, a verdict or an advice that no longer holds is cleared.
        let update = match total_docs_available {
            Some(total) => update.total_docs_available(total),
            None => update.clear_total_docs_available(),
        };
        let update = match validation_status {
            Some(status) => update.validation_status(status),
            None => update.clear_validation_status(),
        };
        let update = match recommendation {
            Some(recommendation) => update.recommendation(recommendation),
            None => update.clear_recommendation(),
        };

        let update = last_successful_tool_args
            .into_iter()
            .fold(update, DatasetStateUpdate::last_successful_tool_args);
        let update = cost_usd
            .into_iter()
            .fold(update, DatasetStateUpdate::cost_usd);
        let update = final_report
            .into_iter()
            .fold(update, DatasetStateUpdate::final_report);
        let update = final_document
            .into_iter()
            .fold(update, DatasetStateUpdate::final_document);
        error_message
            .into_iter()
            .fold(update, DatasetStateUpdate::error_message)
    }
}
