//! The criteria of completion, and the confidence that is computed without a validator.

use crate::data::completion::Completion;
use crate::data::config::DatasetConfig;
use crate::data::review::ValidationStatus;
use crate::found::coverage::Scope;
use crate::state::model::DatasetState;

/// Returns the confidence without a validator, 0 to 1, from what was gathered and how much of the
/// matching data was read.
///
/// The default weights are 0.3 for an aggregation, 0.2 for a finding, 0.3 times the coverage, and
/// 0.2 when everything was read. If no record matches, the coverage counts as 0, so that the
/// planner can try another query.
pub(crate) fn auto_confidence(state: &DatasetState, config: &DatasetConfig) -> f64 {
    let weights = &config.confidence_weights;
    let coverage = state.coverage();
    let coverage = coverage
        .fraction
        .filter(|_| coverage.total != Some(0))
        .unwrap_or(0.0)
        .min(1.0);
    let when = |holds: bool, weight: f64| if holds { weight } else { 0.0 };
    let sum = when(!state.aggregation_results.is_empty(), weights.aggregations)
        + when(!state.findings.is_empty(), weights.findings)
        + weights.coverage * coverage
        + when(coverage >= 1.0, weights.all_fetched);
    // Without rounding, sums of decimal weights miss thresholds such as 0.7.
    ((sum * 1e9).round() / 1e9).clamp(0.0, 1.0)
}

/// Returns the maximum number of plans of this run.
pub(crate) fn limit_of(state: &DatasetState, config: &DatasetConfig) -> u32 {
    if state.max_iterations == 0 {
        config.max_iterations
    } else {
        state.max_iterations
    }
}

/// Returns whether everything that can be read was read: all matching records, or those up to the
/// limit on documents or to the failure of a tool.
fn is_exhausted(state: &DatasetState) -> bool {
    let main = state.ledger.main();
    let is_done = |scope: &&Scope| {
        let is_whole = scope.total.is_some_and(|total| scope.fetched() >= total);
        !scope.wants_scan() && (is_whole || scope.capped || scope.stopped_early.is_some())
    };
    !main.is_empty() && main.iter().all(is_done)
}

/// Returns why the research is complete, if it is.
pub(crate) fn completion(state: &DatasetState, config: &DatasetConfig) -> Option<Completion> {
    let coverage = state.coverage();
    let total_known = coverage.total.is_some_and(|total| total > 0);
    let all_read =
        total_known && coverage.fraction.is_some_and(|part| part >= 1.0) && !state.needs_full_scan;
    let may_trust = if config.exhaustive {
        all_read || is_exhausted(state)
    } else {
        state.confidence_is_validated || !state.needs_full_scan
    };

    // A rejected result returns to the planner until the plans are used up.
    let is_rejected = state.validation_status == Some(ValidationStatus::Failed);
    let (all_read, may_trust) = (all_read && !is_rejected, may_trust && !is_rejected);
    let limit = limit_of(state, config);

    // An exhaustive run reads all records, even if the last batches gave no new finding.
    let is_held_back = is_rejected || config.exhaustive && state.ledger.wanting().is_some();

    if all_read {
        Some(Completion::AllDocumentsRead)
    } else if may_trust && state.overall_confidence >= config.completion_confidence {
        Some(Completion::Confidence)
    } else if state.iteration >= limit {
        Some(Completion::MaxIterations)
    } else if !is_held_back && state.batches_with_no_new_findings >= config.no_new_findings_batches
    {
        Some(Completion::NoNewFindings)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::coverage::QueryReport;

    fn read(fetched: u32, total: Option<u64>, scanned: bool) -> DatasetState {
        let mut state = DatasetState {
            iteration: 1,
            ..DatasetState::default()
        };
        state.ledger.enter(&QueryReport {
            tool: "t".into(),
            total,
            records: (0..fetched).map(|id| id.to_string()).collect(),
            scanned,
            ..QueryReport::default()
        });
        state.needs_full_scan = state.ledger.wanting().is_some();
        state
    }

    fn ends(state: &DatasetState) -> Option<Completion> {
        completion(state, &DatasetConfig::default())
    }

    #[test]
    fn each_criterion_ends_the_research_alone() {
        assert_eq!(
            ends(&read(165, Some(165), true)),
            Some(Completion::AllDocumentsRead)
        );
        let mut state = read(20, Some(165), false);
        assert_eq!(ends(&state), None);
        state.iteration = 10;
        assert_eq!(ends(&state), Some(Completion::MaxIterations));
        state.iteration = 2;
        state.batches_with_no_new_findings = 3;
        assert_eq!(ends(&state), Some(Completion::NoNewFindings));
        state.batches_with_no_new_findings = 2;
        (state.overall_confidence, state.confidence_is_validated) = (0.7, true);
        assert_eq!(ends(&state), Some(Completion::Confidence));
    }

    #[test]
    fn what_a_validator_rejects_is_not_reported_until_nothing_is_left_to_spend() {
        let mut state = read(165, Some(165), true);
        state.validation_status = Some(ValidationStatus::Failed);
        (state.overall_confidence, state.confidence_is_validated) = (0.9, true);
        assert_eq!(ends(&state), None);
        state.batches_with_no_new_findings = 3;
        assert_eq!(ends(&state), None, "the planner sees what is rejected");
        state.iteration = 10;
        assert_eq!(ends(&state), Some(Completion::MaxIterations));
        state.validation_status = Some(ValidationStatus::NeedsRevision);
        assert_eq!(ends(&state), Some(Completion::AllDocumentsRead));
    }

    #[test]
    fn computed_confidence_does_not_end_a_run_with_unread_documents() {
        let mut state = read(20, Some(165), false);
        state.overall_confidence = 0.9;
        assert_eq!(ends(&state), None);
        state.needs_full_scan = false;
        assert_eq!(ends(&state), Some(Completion::Confidence));
        let exhaustive = DatasetConfig {
            exhaustive: true,
            ..DatasetConfig::default()
        };
        state.confidence_is_validated = true;
        assert_eq!(completion(&state, &exhaustive), None);
    }

    #[test]
    fn an_exhaustive_run_ends_when_all_is_read_that_can_be() {
        let config = DatasetConfig {
            exhaustive: true,
            ..DatasetConfig::default()
        };
        let scanned = |capped: bool, stopped_early: Option<&str>, scanned: bool| {
            let mut state = read(20, Some(165), false);
            state.ledger.enter(&QueryReport {
                tool: "t".into(),
                total: Some(165),
                scanned,
                capped,
                stopped_early: stopped_early.map(str::to_owned),
                ..QueryReport::default()
            });
            state.needs_full_scan = state.ledger.wanting().is_some();
            (state.overall_confidence, state.confidence_is_validated) = (0.9, true);
            state.batches_with_no_new_findings = 3;
            state
        };

        assert_eq!(
            completion(&scanned(false, None, false), &config),
            None,
            "neither confidence nor a lack of news"
        );

        for state in [
            scanned(true, Some("the limit was reached"), true),
            scanned(false, Some("the tool failed"), true),
        ] {
            assert_eq!(completion(&state, &config), Some(Completion::Confidence));
        }

        let mut unread = scanned(false, None, false);
        unread.iteration = 10;

        assert_eq!(
            completion(&unread, &config),
            Some(Completion::MaxIterations)
        );
    }

    #[test]
    fn an_unknown_or_empty_total_does_not_end_the_research() {
        assert_eq!(ends(&read(20, None, true)), None);
        assert_eq!(ends(&read(0, Some(0), true)), None);
        assert_eq!(ends(&DatasetState::default()), None);
    }

    #[test]
    fn the_limit_on_iterations_can_be_set_for_a_run() {
        let state = DatasetState {
            max_iterations: 1,
            ..read(20, Some(165), false)
        };
        assert_eq!(ends(&state), Some(Completion::MaxIterations));
    }

    #[test]
    fn confidence_follows_its_formula() {
        let config = DatasetConfig::default();
        let mut state = read(33, Some(165), true);
        assert!((auto_confidence(&state, &config) - 0.06).abs() < 1e-9);
        state.aggregation_results.push(
            serde_json::from_value(serde_json::json!({
                "id": "A1", "type": "group_by", "field": "f", "buckets": [], "total_docs": 165,
                "source_tool": "t"
            }))
            .unwrap(),
        );
        assert!((auto_confidence(&state, &config) - 0.36).abs() < 1e-9);
        assert!((auto_confidence(&read(165, Some(165), true), &config) - 0.5).abs() < 1e-9);
        assert_eq!(auto_confidence(&read(0, Some(0), false), &config), 0.0);
        assert_eq!(auto_confidence(&DatasetState::default(), &config), 0.0);
    }
}
