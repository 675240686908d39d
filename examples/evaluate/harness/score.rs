//! The score of one outcome.

use super::metric::{Measures, Metric};

/// Failures of one kind that are told of a case; the rest is counted.
const TOLD: usize = 3;

/// What an outcome is worth.
#[derive(Debug, Default)]
pub struct Score {
    /// The measures.
    pub measures: Measures,
    /// What is wrong, in words.
    pub failures: Vec<String>,
    /// What helps to understand a failure, such as the first lines of a report.
    pub excerpt: String,
}

impl Score {
    /// Adds so many right ones of so many, and why the others are not.
    pub fn add(&mut self, metric: &Metric, of: usize, wrong: Vec<String>) {
        self.measures.add(metric, of.saturating_sub(wrong.len()), of);
        if metric.decides {
            self.tell(wrong);
        }
    }

    /// Adds a number of mistakes, and what they are.
    pub fn add_mistakes(&mut self, metric: &Metric, mistakes: Vec<String>) {
        self.measures.add_number(metric, mistakes.len() as f64, 1.0);
        self.tell(mistakes);
    }

    /// Adds what is wrong, in words.
    pub fn tell(&mut self, wrong: Vec<String>) {
        let more = wrong.len().saturating_sub(TOLD);
        self.failures.extend(wrong.into_iter().take(TOLD));
        if more > 0 {
            self.failures.push(format!("and {more} more like that"));
        }
    }
}
