//! What a question asks of the difference of two fields.

use std::ops::Range;

use research_agents_report::claim::Statistic;

use crate::question::reading::Sign;

/// The word for taking away in questions.
pub(crate) const MINUS_WORD: &str = "minus";

/// The concept of durations.
pub(crate) const DURATION: &str = "duration";

/// Two fields whose difference a question is about.
#[derive(Debug)]
pub(crate) struct Difference {
    /// The field from which the other one is taken away.
    pub(crate) from: usize,
    pub(crate) other: usize,
    /// The items that say so.
    pub(crate) items: Range<usize>,
    /// Whether the words fit no other fields as well.
    pub(crate) is_only: bool,
    pub(crate) asks: Asks,
}

impl Difference {
    /// Returns the concept whose words name it.
    pub(crate) fn concept(&self) -> Option<&'static str> {
        matches!(self.asks, Asks::Duration).then_some(DURATION)
    }
}

/// What is asked of a difference.
#[derive(Debug)]
pub(crate) enum Asks {
    /// The records in which it compares so with zero.
    Sign(Sign),
    /// The record where it is the highest or the lowest, with the item of the superlative.
    Extreme { highest: bool, at: usize },
    /// Its sum, mean or median: *the average difference between A and B*.
    Measure(Statistic),
    /// Whatever is asked of a duration, which is the time between two dates.
    Duration,
}
