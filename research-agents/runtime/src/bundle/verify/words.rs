//! Claims in words.

use research_agents_report::claim::{Basis, Claim, Statistic};
use research_agents_report::evidence::plain;

/// Number of characters of a string that a check shows.
const SHOWN: usize = 100;

/// Returns a claim in words.
pub(crate) fn claim(claim: &Claim) -> String {
    match claim {
        Claim::Count {
            over,
            field,
            value,
            number,
        } => {
            format!(
                "{number} with {field} = {} {}",
                shortened(&plain(value)),
                basis(over)
            )
        }
        Claim::Total { over, number } => format!("{number} in all {}", basis(over)),

        Claim::Statistic {
            field,
            statistic,
            number,
            ..
        } => format!("{} of {field}: {number}", name(*statistic)),
        Claim::GroupStatistic {
            field,
            statistic,
            number,
            by,
            value,
            ..
        } => {
            format!(
                "{} of {field} where {by} = {}: {number}",
                name(*statistic),
                shortened(&plain(value))
            )
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

/// Returns the beginning of a string.
pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    text.chars().take(SHOWN - 1).chain(['…']).collect()
}
