//! Scores a report against the truth.

mod citations;
mod counts;
mod coverage;
mod figures;
mod limits;
mod numbers;
mod plants;
mod scope;

use research_agents::dataset::DatasetReport;

use super::case::Case;
use super::metric::{Measures, Metric};
use super::records::Records;
use scope::Reading;

/// Failures of one kind that are told of a case; the rest is counted.
const TOLD: usize = 3;

/// What a report is worth.
#[derive(Debug, Default)]
pub struct Score {
    /// The measures.
    pub measures: Measures,
    /// What is wrong, in words.
    pub failures: Vec<String>,
}

impl Score {
    /// Adds so many right ones of so many, and why the others are not.
    fn add(&mut self, metric: Metric, of: usize, wrong: Vec<String>) {
        self.measures.add(metric, of.saturating_sub(wrong.len()), of);
        if metric.decides() {
            self.tell(wrong);
        }
    }

    fn tell(&mut self, wrong: Vec<String>) {
        let more = wrong.len().saturating_sub(TOLD);
        self.failures.extend(wrong.into_iter().take(TOLD));
        if more > 0 {
            self.failures.push(format!("and {more} more like that"));
        }
    }
}

/// Scores the report on a case.
pub fn score(case: &Case, records: &Records, report: &DatasetReport) -> Score {
    let mut score = Score::default();
    let Some(reading) = Reading::of(case, records, report) else {
        score = missing(case, records);
        score.failures.push("the report has no document to look at".to_owned());
        return score;
    };
    counts::score(&reading, &mut score);
    numbers::score(&reading, &mut score);
    coverage::score(&reading, &mut score);
    citations::score(&reading, &mut score);
    plants::score(&reading, &mut score);
    limits::score(&reading, &mut score);
    let confidence = report.stats.confidence.clamp(0.0, 1.0);
    let distance = (confidence - score.measures.score()).abs();
    score.measures.add_number(Metric::CalibrationScore, 1.0 - distance, 1.0);
    score.measures.add_number(Metric::AvgConfidence, confidence, 1.0);
    let right = usize::from(score.failures.is_empty());
    score.measures.add(Metric::SuccessRate, right, 1);
    score
}

/// The score of a case without a report: nothing of what was expected is there.
pub fn missing(case: &Case, records: &Records) -> Score {
    let mut score = Score::default();
    let expect = &case.expect;
    let counts = counts::expected(case, records, &records.select(&case.scope())).len();
    for (metric, of) in [
        (Metric::SuccessRate, 1),
        (Metric::CountsFound, counts),
        (Metric::CountsTold, counts),
        (Metric::Coverage, coverage::PARTS),
        (Metric::FindingsDrawn, expect.findings.len()),
        (Metric::FindingsReported, expect.findings.len()),
        (Metric::ContradictionsFound, expect.contradictions.len()),
        (Metric::UnanswerableHandled, usize::from(expect.unanswerable.is_some())),
    ] {
        score.measures.add(metric, 0, of);
    }
    score
}

#[cfg(test)]
mod tests;
