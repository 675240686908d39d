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
        } => format!("{} of {field}: {number}", self::statistic(*statistic)),
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
                self::statistic(*statistic),
                shortened(&plain(value))
            )
        }

        Claim::Measure {
            over,
            field,
            statistic,
            number,
        } => format!(
            "{} of {field}: {number} ({over})",
            self::statistic(*statistic)
        ),
        Claim::GroupMeasure {
            over,
            by,
            value,
            field,
            statistic,
            number,
        } => {
            let (name, value) = (self::statistic(*statistic), shortened(&plain(value)));
            format!("{name} of {field} where {by} = {value}: {number} ({over})")
        }
        Claim::MeasureText {
            over,
            field,
            statistic,
            text,
            group,
        } => {
            let (name, text) = (self::statistic(*statistic), shortened(text));
            let group = group
                .as_ref()
                .map(|(by, value)| format!(" where {by} = {}", shortened(&plain(value))));
            let group = group.unwrap_or_default();
            format!("{name} of {field}{group}: {text} ({over})")
        }
        Claim::Correlation {
            over,
            fields: [a, b],
            number,
            count,
        } => format!("correlation of {a} and {b}: {number} over {count} records ({over})"),
        Claim::Field {
            source,
            field,
            value,
        } => format!("{field} = {} in [{source}]", shortened(&plain(value))),
        Claim::Ranked {
            over,
            source,
            place,
            field,
            highest,
        } => {
            let first = if *highest { "highest" } else { "lowest" };
            format!("[{source}] at place {place} by {field}, the {first} first ({over})")
        }
        Claim::Absent { over, text } => format!("“{}” in no record ({over})", shortened(text)),
        Claim::Says { source, text, .. } => {
            format!("the passage [{source}] says “{}”", shortened(text))
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

/// Returns the name of a statistic.
pub(crate) fn statistic(statistic: Statistic) -> &'static str {
    match statistic {
        Statistic::Min => "smallest value",
        Statistic::Max => "largest value",
        Statistic::Mean => "mean",
        Statistic::Median => "median",
        Statistic::Sum => "sum",
        Statistic::Count => "number of values",
        Statistic::Distinct => "number of distinct values",
    }
}

/// Returns the beginning of a string.
pub(crate) fn shortened(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    text.chars().take(SHOWN - 1).chain(['…']).collect()
}
