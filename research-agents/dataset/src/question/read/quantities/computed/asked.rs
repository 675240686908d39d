//! What a question asks of a field that is computed of two others.

use std::ops::Range;

use research_agents_report::claim::Statistic;

use crate::data::filters::operation::Operation;
use crate::question::read::cut::naming::Naming;
use crate::question::reading::Sign;

/// The word for taking away in questions.
pub(crate) const MINUS_WORD: &str = "minus";

/// The concept of durations.
pub(crate) const DURATION: &str = "duration";

/// Two fields whose difference, sum or ratio a question is about.
#[derive(Debug)]
pub(crate) struct Computed {
    /// The field from which the other one is taken away, to which it is added, or which it divides.
    pub(crate) from: usize,
    pub(crate) operation: Operation,
    pub(crate) other: usize,
    /// The items that say so.
    pub(crate) items: Range<usize>,
    /// Whether the words fit no other fields as well.
    pub(crate) is_only: bool,
    pub(crate) asks: Asks,
}

impl Computed {
    /// Returns what names it, where it is read like any other field.
    pub(crate) fn naming(&self) -> Option<&Naming> {
        match &self.asks {
            Asks::Named(naming) => Some(naming),
            Asks::Sign(_) | Asks::Extreme { .. } | Asks::Measure(_) => None,
        }
    }
}

/// What is asked of a computed field.
#[derive(Debug)]
pub(crate) enum Asks {
    /// The records in which it compares so with zero.
    Sign(Sign),
    /// The record where it is the highest or the lowest, with the item of the superlative.
    Extreme { highest: bool, at: usize },
    /// Its sum, mean or median: *the average difference between A and B*.
    Measure(Statistic),
    /// Whatever is asked of the field that these words name: a duration, which is the time between
    /// two dates, or *the price per square foot*.
    Named(Naming),
}
