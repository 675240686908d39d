//! Answers the tasks of the reviewing agents: their checks and rules are computed outside the
//! model, and a program that extracts has no view to add. It says what it can count.

use crate::data::task::review::{
    GapAnalyzerLlmResponse, GapsTask, ValidateTask, ValidatorLlmResponse,
};

/// Returns no objection and no verdict: the program's own checks stand.
pub(crate) fn validate(_: &ValidateTask) -> ValidatorLlmResponse {
    ValidatorLlmResponse::default()
}

/// Returns what was read and what no finding mentions; no further gap and no recommendation.
pub(crate) fn gaps(task: &GapsTask) -> GapAnalyzerLlmResponse {
    let read = match task.coverage.total {
        Some(total) => format!(
            "{} of {total} matching records are read.",
            task.coverage.fetched
        ),
        None => format!(
            "{} records are read; how many match is not known.",
            task.coverage.fetched
        ),
    };

    let unexplored = task.unexplored.join(", ");
    let reasoning = if unexplored.is_empty() {
        read
    } else {
        format!("{read} No finding speaks of {unexplored}.")
    };

    GapAnalyzerLlmResponse {
        reasoning,
        ..GapAnalyzerLlmResponse::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::Coverage;

    #[test]
    fn it_adds_no_view_and_says_what_was_read() {
        assert_eq!(
            validate(&ValidateTask::default()),
            ValidatorLlmResponse::default()
        );

        let coverage = Coverage {
            fetched: 20,
            total: Some(165),
            ..Coverage::default()
        };
        let task = GapsTask {
            coverage,
            unexplored: vec!["theme AI (50 records)".into()],
            ..GapsTask::default()
        };
        let answer = gaps(&task);

        assert_eq!(
            answer.reasoning,
            "20 of 165 matching records are read. No finding speaks of theme AI (50 records)."
        );
        assert!(answer.gaps.is_empty() && answer.recommendation.is_none());
        assert_eq!(
            gaps(&GapsTask::default()).reasoning,
            "0 records are read; how many match is not known."
        );
    }
}
