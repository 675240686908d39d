//! Compares results with a baseline, metric by metric and case by case.

use super::metric::{Better, Measure, Measures, Metric};
use super::results::{CaseResult, Results};
use super::unusable::Unusable;

/// How much worse something may be.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// How much lower a share may be.
    pub share: f64,
    /// How much more may be used, as a share of the baseline.
    pub usage: f64,
}

/// What became of the results since the baseline.
#[derive(Debug, Default)]
pub struct Comparison {
    /// What got worse: each line names a case or a metric.
    pub worse: Vec<String>,
    /// What got better.
    pub better: Vec<String>,
    /// What could not be compared, and why.
    pub notes: Vec<String>,
    /// How many cases both have.
    pub cases: usize,
}

/// Compares over the cases that both have.
///
/// # Errors
/// When they have none in common: that nothing got worse would say nothing.
pub fn compare(
    metrics: &[Metric],
    now: &Results,
    baseline: &Results,
    tolerance: Tolerance,
) -> Result<Comparison, Unusable> {
    let mut comparison = Comparison::default();
    let mut pairs: Vec<(&CaseResult, &CaseResult)> = Vec::new();
    let (mut new, mut changed) = (Vec::new(), Vec::new());
    for case in &now.cases {
        match baseline.cases.iter().find(|known| known.id == case.id) {
            Some(known) if known.fingerprint == case.fingerprint => pairs.push((case, known)),
            Some(_) => changed.push(case.id.as_str()),
            None => new.push(case.id.as_str()),
        }
    }
    for (ids, why) in [(new, "not in the baseline"), (changed, "another question or answer than in the baseline")] {
        if !ids.is_empty() {
            comparison.notes.push(format!("not compared, {why}: {}", ids.join(", ")));
        }
    }
    let gone = baseline.cases.iter().filter(|known| !now.cases.iter().any(|case| case.id == known.id)).count();
    if gone > 0 {
        comparison.notes.push(format!("not compared, {gone} cases of the baseline that are not in this run"));
    }
    if pairs.is_empty() {
        return Err(Unusable::new("--baseline: it has no case of this run; write one with --write-baseline"));
    }
    comparison.cases = pairs.len();
    for (case, known) in &pairs {
        if known.passed && !case.passed {
            let why = case.error.as_ref().or(case.failures.first());
            comparison.worse.push(format!("{} was right and is not: {}", case.id, why.map_or("", String::as_str)));
        } else if case.passed && !known.passed {
            comparison.better.push(format!("{} is right and was not", case.id));
        }
    }
    let same_model = now.model == baseline.model;
    if !same_model {
        let (ours, theirs) = (&now.model, &baseline.model);
        comparison.notes.push(format!("{ours} is compared with {theirs}: what was used is not compared"));
    }
    let ours = Measures::together(metrics, pairs.iter().map(|pair| &pair.0.measures));
    let theirs = Measures::together(metrics, pairs.iter().map(|pair| &pair.1.measures));
    for metric in metrics {
        if metric.better == Better::Less && !same_model {
            continue;
        }
        let (now, then) = (ours.get(metric), theirs.get(metric));
        let line = || format!("{}: {} was {}", metric.words, shown(metric, now), shown(metric, then));
        match change(metric, now, then, tolerance) {
            Change::Worse => comparison.worse.push(line()),
            Change::Better => comparison.better.push(line()),
            Change::Same => {}
        }
    }
    Ok(comparison)
}

enum Change {
    Worse,
    Better,
    Same,
}

fn change(metric: &Metric, now: Measure, then: Measure, tolerance: Tolerance) -> Change {
    // A share of nothing cannot be compared; an amount of nothing is nothing.
    let (now, then, slack) = match metric.better {
        Better::Neither => return Change::Same,
        Better::Higher => match (now.mean(), then.mean()) {
            (Some(now), Some(then)) => (now, then, tolerance.share),
            _ => return Change::Same,
        },
        Better::Fewer => (-now.sum, -then.sum, 0.0),
        Better::Less => (-now.sum, -then.sum, tolerance.usage * then.sum),
    };
    if now < then - slack - 1e-9 {
        Change::Worse
    } else if now > then + slack + 1e-9 {
        Change::Better
    } else {
        Change::Same
    }
}

/// Returns a measure for people.
pub fn shown(metric: &Metric, measure: Measure) -> String {
    let decimals = metric.decimals;
    match measure.mean() {
        None => "-".to_owned(),
        Some(mean) if metric.is_share() => format!("{mean:.decimals$}"),
        Some(_) if decimals > 0 => format!("{:.decimals$}", measure.sum),
        Some(_) => measure.sum.to_string(),
    }
}
