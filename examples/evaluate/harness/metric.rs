//! Metrics as data, and how measures add up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is measured. A suite lists its own beside those that every suite has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The name in files.
    pub name: &'static str,
    /// The name in words.
    pub words: &'static str,
    /// How it is compared with a baseline.
    pub better: Better,
    /// How the measures of the cases become one.
    pub aggregate: Aggregate,
    /// Whether a case is right only when nothing of it is missing.
    pub decides: bool,
    /// Decimals that are shown.
    pub decimals: usize,
}

/// How a metric is compared with a baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// A higher share is better.
    Higher,
    /// A smaller number is better, and one more is a regression.
    Fewer,
    /// Less is better, and some more is no regression.
    Less,
    /// It is only shown.
    Neither,
}

/// How the measures of the cases become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// What was right in all cases, of all that was looked at.
    Share,
    /// The amounts of all cases together.
    Sum,
    /// The amount of a case in the middle.
    Median,
}

/// Cases in which everything was right.
pub const SUCCESS_RATE: Metric = Metric::share("success_rate", "cases right in everything").not_deciding();
/// Requests to the model.
pub const MODEL_CALLS: Metric = Metric::used("model_calls", "calls of the model");
/// Calls of tools.
pub const TOOL_CALLS: Metric = Metric::used("tool_calls", "calls of tools");
/// Tokens sent to the model.
pub const TOKENS_IN: Metric = Metric::used("tokens_in", "tokens sent");
/// Tokens received from the model.
pub const TOKENS_OUT: Metric = Metric::used("tokens_out", "tokens received");
/// US dollars.
pub const COST: Metric = Metric { decimals: 4, ..Metric::used("cost", "US dollars") };
/// Seconds of a case. They differ from run to run, so that no baseline holds them.
pub const AVG_DURATION: Metric = Metric { decimals: 1, ..Metric::shown("avg_duration", "mean seconds") };

impl Metric {
    /// Creates a share that must be high and decides whether a case is right.
    pub const fn share(name: &'static str, words: &'static str) -> Self {
        Self { name, words, better: Better::Higher, aggregate: Aggregate::Share, decides: true, decimals: 3 }
    }

    /// Creates a number of mistakes.
    pub const fn mistakes(name: &'static str, words: &'static str) -> Self {
        Self { better: Better::Fewer, aggregate: Aggregate::Sum, decimals: 0, ..Self::share(name, words) }
    }

    /// Creates an amount that is used up.
    pub const fn used(name: &'static str, words: &'static str) -> Self {
        Self { better: Better::Less, decides: false, ..Self::mistakes(name, words) }
    }

    /// Creates a mean that is only shown.
    pub const fn shown(name: &'static str, words: &'static str) -> Self {
        Self { better: Better::Neither, decides: false, ..Self::share(name, words) }
    }

    /// Returns the metric as one that does not decide whether a case is right.
    pub const fn not_deciding(self) -> Self {
        Self { decides: false, ..self }
    }

    /// Returns whether a measure is a part of a whole, such as 3 of 4, and not an amount.
    pub fn is_share(&self) -> bool {
        self.aggregate == Aggregate::Share
    }
}

/// A measure: of a share what was right and of how much, of an amount the amount and of how many cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// What was right, or the amount.
    pub sum: f64,
    /// Of how much.
    pub of: f64,
}

impl Measure {
    /// Returns the share, or the amount of a case on average.
    pub fn mean(self) -> Option<f64> {
        (self.of > 0.0).then(|| self.sum / self.of)
    }
}

/// Measures by the name of the metric. One that is absent does not apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Measures(BTreeMap<String, Measure>);

impl Measures {
    /// Returns the measure of a metric; of nothing when it does not apply.
    pub fn get(&self, metric: &Metric) -> Measure {
        self.0.get(metric.name).copied().unwrap_or_default()
    }

    /// Adds so many right ones of so many.
    pub fn add(&mut self, metric: &Metric, right: usize, of: usize) {
        if of > 0 {
            self.add_number(metric, right as f64, of as f64);
        }
    }

    /// Adds a number and of how much it is.
    pub fn add_number(&mut self, metric: &Metric, sum: f64, of: f64) {
        let measure = self.0.entry(metric.name.to_owned()).or_default();
        measure.sum += sum;
        measure.of += of;
    }

    /// Returns the measures of several cases together.
    pub fn together<'c>(metrics: &[Metric], cases: impl IntoIterator<Item = &'c Self> + Clone) -> Self {
        let mut together = Self::default();
        for metric in metrics {
            let measures: Vec<Measure> =
                cases.clone().into_iter().map(|case| case.get(metric)).filter(|measure| measure.of > 0.0).collect();
            let of = measures.iter().map(|measure| measure.of).sum();
            let sum = match metric.aggregate {
                Aggregate::Share | Aggregate::Sum => measures.iter().map(|measure| measure.sum).sum(),
                Aggregate::Median => median(measures.iter().filter_map(|measure| measure.mean())),
            };
            if of > 0.0 {
                together.add_number(metric, sum, of);
            }
        }
        together
    }

    /// Returns the measures without what differs from run to run.
    pub fn lasting(&self) -> Self {
        let lasting = self.0.iter().filter(|(name, _)| *name != AVG_DURATION.name);
        Self(lasting.map(|(name, measure)| (name.clone(), *measure)).collect())
    }

    /// Returns the mean of the shares that decide whether a case is right; 1 when there is none.
    pub fn score(&self, metrics: &[Metric]) -> f64 {
        let deciding = metrics.iter().filter(|metric| metric.decides && metric.is_share());
        let shares: Vec<f64> = deciding.filter_map(|metric| self.get(metric).mean()).collect();
        if shares.is_empty() { 1.0 } else { shares.iter().sum::<f64>() / shares.len() as f64 }
    }
}

/// Returns the number in the middle; of an even number of numbers the mean of both.
fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match numbers.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => numbers[middle],
        _ => f64::midpoint(numbers[middle - 1], numbers[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: Metric = Metric::share("right", "right");
    const WORDS: Metric = Metric { aggregate: Aggregate::Median, ..Metric::used("words", "words") };

    #[test]
    fn shares_add_up_and_medians_do_not() {
        let case = |right: usize, words: f64| {
            let mut measures = Measures::default();
            measures.add(&RIGHT, right, 4);
            measures.add_number(&WORDS, words, 1.0);
            measures
        };
        let cases = [case(1, 100.0), case(4, 900.0), case(4, 200.0)];

        let together = Measures::together(&[RIGHT, WORDS], &cases);

        assert_eq!(together.get(&RIGHT), Measure { sum: 9.0, of: 12.0 });
        assert_eq!(together.get(&WORDS), Measure { sum: 200.0, of: 3.0 });
        assert_eq!(together.get(&COST).mean(), None);
    }
}
