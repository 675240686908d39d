//! The rules of the recommendation, in their order.

use crate::data::review::{Recommendation, ReviewRules};

/// The state of the research that the rules look at.
#[derive(Debug)]
pub(crate) struct Standing<'a> {
    /// Priority and confidence of each sub-question.
    pub(crate) questions: Vec<(u32, f64)>,
    /// Confidence as a whole, for a run without sub-questions.
    pub(crate) overall: f64,
    /// New findings of each batch so far.
    pub(crate) recent: &'a [usize],
    /// Whether the plans or the budget are used up, or the allowed number of consecutive batches
    /// gave no new finding.
    pub(crate) is_spent: bool,
}

/// Recommends whether to continue. If all questions are answered, the coverage is sufficient. Else,
/// if nothing is left to spend, the returns diminish. Else, while a critical question, one of the
/// first priority, is open, the research continues. Else the newest batches decide: if all of them
/// brought few findings, the returns diminish.
pub(crate) fn recommend(standing: &Standing<'_>, rules: &ReviewRules) -> Recommendation {
    let is_answered = |score: f64| score >= rules.answered_threshold;
    let all = match standing.questions.as_slice() {
        [] => is_answered(standing.overall),
        questions => questions.iter().all(|(_, score)| is_answered(*score)),
    };
    let first = standing
        .questions
        .iter()
        .map(|(priority, _)| *priority)
        .min();
    let is_critical_open = standing
        .questions
        .iter()
        .any(|(priority, score)| Some(*priority) == first && !is_answered(*score));
    let newest = standing.recent.iter().rev().take(rules.recent_batches);
    let bring_little = newest.len() == rules.recent_batches
        && newest.into_iter().all(|new| *new <= rules.few_new_findings);

    if all {
        Recommendation::SufficientCoverage
    } else if standing.is_spent || (bring_little && !is_critical_open) {
        Recommendation::DiminishingReturns
    } else {
        Recommendation::ContinueResearch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_in_their_order() {
        use Recommendation::*;
        let (well, open) = ([(1, 0.7), (2, 0.9)], [(1, 0.9), (2, 0.69)]);
        let critical = [(1, 0.69), (2, 0.9)];

        for (questions, recent, is_spent, expected) in [
            (
                well.as_slice(),
                [9, 9, 9].as_slice(),
                false,
                SufficientCoverage,
            ),
            (&well, &[0, 0, 0], true, SufficientCoverage),
            (&critical, &[9, 9, 9], false, ContinueResearch),
            (&critical, &[0, 0, 0], false, ContinueResearch),
            (&critical, &[9, 9, 9], true, DiminishingReturns),
            (&open, &[1, 1, 1], false, DiminishingReturns),
            (&open, &[0, 0, 2, 1, 1], false, ContinueResearch),
            (&open, &[9, 1, 0, 1], false, DiminishingReturns),
            (&open, &[1, 1], false, ContinueResearch),
            (&open, &[], false, ContinueResearch),
            (&open, &[], true, DiminishingReturns),
        ] {
            let standing = Standing {
                questions: questions.to_vec(),
                overall: 0.0,
                recent,
                is_spent,
            };
            assert_eq!(
                recommend(&standing, &ReviewRules::default()),
                expected,
                "{standing:?}"
            );
        }
    }

    #[test]
    fn numbers_of_the_rules_can_be_set() {
        let standing = Standing {
            questions: vec![(1, 0.9), (2, 0.5)],
            overall: 0.0,
            recent: &[4, 4],
            is_spent: false,
        };
        let rules = ReviewRules {
            recent_batches: 2,
            few_new_findings: 4,
            ..ReviewRules::default()
        };

        assert_eq!(
            recommend(&standing, &rules),
            Recommendation::DiminishingReturns
        );

        let rules = ReviewRules {
            answered_threshold: 0.5,
            ..ReviewRules::default()
        };

        assert_eq!(
            recommend(&standing, &rules),
            Recommendation::SufficientCoverage
        );
    }

    #[test]
    fn without_sub_questions_the_run_as_a_whole_is_judged() {
        for (overall, expected) in [
            (0.7, Recommendation::SufficientCoverage),
            (0.6, Recommendation::ContinueResearch),
        ] {
            let standing = Standing {
                questions: Vec::new(),
                overall,
                recent: &[],
                is_spent: false,
            };
            assert_eq!(recommend(&standing, &ReviewRules::default()), expected);
        }
    }
}
