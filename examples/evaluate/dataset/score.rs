//! Scores a report against the truth.

mod answers;
mod citations;
mod counts;
mod coverage;
mod figures;
mod limits;
mod measures;
mod numbers;
mod plants;
mod scope;

use research_agents::dataset::DatasetReport;

use super::case::Case;
use super::metrics::{self, METRICS};
use super::records::Records;
use crate::harness::score::Score;
use scope::Reading;

/// Scores the report on a case.
pub fn score(case: &Case, records: &Records, report: &DatasetReport) -> Score {
    // What the report computes with may be computed of two columns.
    let records = &*records.with_computed(&format!("{:?}", report.aggregations));
    let Some(reading) = Reading::of(case, records, report) else {
        let mut score = missing(case, records);
        score.failures.push("the report has no document to look at".to_owned());
        return score;
    };

    let mut score = Score::default();
    counts::score(&reading, &mut score);
    numbers::score(&reading, &mut score);
    citations::score(&reading, &mut score);
    limits::score(&reading, &mut score);
    match &case.answer {
        Some(answer) => answers::score(&reading, answer, &mut score),
        None => {
            coverage::score(&reading, &mut score);
            plants::score(&reading, &mut score);
        }
    }

    let confidence = report.stats.confidence.clamp(0.0, 1.0);
    let distance = (confidence - score.measures.score(METRICS)).abs();
    score.measures.add_number(&metrics::CALIBRATION_SCORE, 1.0 - distance, 1.0);
    score.measures.add_number(&metrics::AVG_CONFIDENCE, confidence, 1.0);
    score
}

/// Scores a case without a report: nothing of what was expected is there.
pub fn missing(case: &Case, records: &Records) -> Score {
    let mut score = Score::default();
    if let Some(answer) = &case.answer {
        answers::missing(answer, &mut score);
        return score;
    }

    let expect = &case.expect;
    let counts = counts::expected(case, records, &records.select(&case.scope())).len();
    for (metric, of) in [
        (&metrics::COUNTS_FOUND, counts),
        (&metrics::COUNTS_TOLD, counts),
        (&metrics::COVERAGE, coverage::PARTS),
        (&metrics::FINDINGS_DRAWN, expect.findings.len()),
        (&metrics::FINDINGS_REPORTED, expect.findings.len()),
        (&metrics::CONTRADICTIONS_FOUND, expect.contradictions.len()),
        (&metrics::UNANSWERABLE_HANDLED, usize::from(expect.unanswerable.is_some())),
    ] {
        score.measures.add(metric, 0, of);
    }
    score
}

#[cfg(test)]
mod tests;
