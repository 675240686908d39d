//! Answers the tasks of the reviewing agents: their checks and rules are computed beside the model, and a program that extracts
//! has no view of its own to add. It says what it can count.

use crate::dataset::task::{GapAnalyzerLlmResponse, GapsTask, ValidateTask, ValidatorLlmResponse};

/// No objection and no verdict: the program's own checks stand.
pub(super) fn validate(_: &ValidateTask) -> ValidatorLlmResponse {
    ValidatorLlmResponse::default()
}

/// What was read and what no finding speaks of; no further gap and no recommendation.
pub(super) fn gaps(task: &GapsTask) -> GapAnalyzerLlmResponse {
    let read = match task.coverage.total {
        Some(total) => format!("{} of {total} matching records are read.", task.coverage.fetched),
        None => format!("{} records are read; how many match is not known.", task.coverage.fetched),
    };
    let unexplored = task.unexplored.join(", ");
    let reasoning = if unexplored.is_empty() { read } else { format!("{read} No finding speaks of {unexplored}.") };
    GapAnalyzerLlmResponse { reasoning, ..GapAnalyzerLlmResponse::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::record::Coverage;

    #[test]
    fn it_adds_no_view_and_says_what_was_read() {
        assert_eq!(validate(&ValidateTask::default()), ValidatorLlmResponse::default());
        let coverage = Coverage { fetched: 20, total: Some(165), ..Coverage::default() };
        let task = GapsTask { coverage, unexplored: vec!["theme AI (50 records)".into()], ..GapsTask::default() };
        let answer = gaps(&task);
        assert_eq!(
            answer.reasoning,
            "20 of 165 matching records are read. No finding speaks of theme AI (50 records)."
        );
        assert!(answer.gaps.is_empty() && answer.recommendation.is_none());
        assert_eq!(gaps(&GapsTask::default()).reasoning, "0 records are read; how many match is not known.");
    }
}
