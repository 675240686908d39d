//! Claims and places in words.

use crate::kernel::claim::{Basis, Claim, Statistic};
use crate::kernel::evidence::plain;

/// Characters of a text that a check shows.
const SHOWN: usize = 100;

/// A claim in words.
pub(super) fn claim(claim: &Claim) -> String {
    match claim {
        Claim::Count { over, field, value, number } => {
            format!("{number} with {field} = {} {}", shortened(&plain(value)), basis(over))
        }
        Claim::Total { over, number } => format!("{number} in all {}", basis(over)),
        Claim::Statistic { field, statistic, number, .. } => format!("{} of {field}: {number}", name(*statistic)),
        Claim::GroupStatistic { field, statistic, number, by, value, .. } => {
            format!("{} of {field} where {by} = {}: {number}", name(*statistic), shortened(&plain(value)))
        }
        Claim::Quote { source, text, .. } => format!("“{}” in [{source}]", shortened(text)),
    }
}

fn basis(over: &Basis) -> String {
    match over {
        Basis::Aggregation(id) => format!("by ({id})"),
        Basis::Records => "of the records read".to_owned(),
    }
}

fn name(statistic: Statistic) -> &'static str {
    match statistic {
        Statistic::Min => "smallest value",
        Statistic::Max => "largest value",
        Statistic::Mean => "mean",
        Statistic::Median => "median",
        Statistic::Sum => "sum",
    }
}

/// The beginning of a text.
pub(super) fn shortened(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    text.chars().take(SHOWN - 1).chain(['…']).collect()
}
