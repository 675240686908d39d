//! Why a sentence does not hold.

use crate::kernel::claim::Statistic;

/// Why a sentence is not printed as a finding.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// A claim names an aggregation that does not exist.
    #[error("there is no aggregation {id}")]
    UnknownAggregation {
        /// The id that was given.
        id: String,
    },
    /// A claim names a source that does not exist.
    #[error("there is no source {id}")]
    UnknownSource {
        /// The id that was given.
        id: String,
    },
    /// A count is not what the evidence has.
    #[error("{field} = {value}: {stated} was claimed, the evidence has {}", actual.map_or_else(|| "no such count".to_owned(), |n| n.to_string()))]
    WrongCount {
        /// The field.
        field: String,
        /// The value as text.
        value: String,
        /// The claimed number.
        stated: u64,
        /// The number of the evidence, when it has one.
        actual: Option<u64>,
    },
    /// A total is not what the evidence has.
    #[error("a total of {stated} was claimed, the evidence has {actual}")]
    WrongTotal {
        /// The claimed number.
        stated: u64,
        /// The number of the evidence.
        actual: u64,
    },
    /// A statistic is not what the records give.
    #[error("{statistic:?} of {field}: {stated} was claimed, the records give {}", actual.map_or_else(|| "no number".to_owned(), |n| n.to_string()))]
    WrongStatistic {
        /// The field.
        field: String,
        /// Which statistic.
        statistic: Statistic,
        /// The claimed number.
        stated: f64,
        /// The recomputed number, when there is one.
        actual: Option<f64>,
    },
    /// A quote does not stand in its source.
    #[error("the quote is not in source {source_id}")]
    QuoteNotFound {
        /// Id of the source.
        source_id: String,
    },
    /// A number of the sentence follows from none of its claims.
    #[error("nothing supports the number {figure}")]
    UnsupportedNumber {
        /// The number as written.
        figure: String,
    },
    /// A sentence that must rest on evidence has no claim.
    #[error("it names no evidence")]
    NoEvidence,
}
