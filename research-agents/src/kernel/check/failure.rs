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
    /// A name, code, address or quoted passage of the sentence stands in nothing that it cites.
    #[error("nothing that it cites holds {}", shown(name))]
    UnsupportedName {
        /// The name as written.
        name: String,
    },
    /// The sentence names another value than the one that its claim is about.
    #[error("it names {}, and its claim is about another {field}", shown(value))]
    UnclaimedValue {
        /// The field.
        field: String,
        /// The value that is named.
        value: String,
    },
    /// The sentence gives a value the number of another one.
    #[error("it gives {} the number {figure}, which is that of another {field}", shown(value))]
    WrongPair {
        /// The field.
        field: String,
        /// The value.
        value: String,
        /// The number as written.
        figure: String,
    },
    /// A superlative, a comparison or a direction that the counts contradict.
    #[error("“{words}” does not hold for {}", shown(value))]
    WrongComparison {
        /// The words that compare.
        words: String,
        /// What they say it of.
        value: String,
    },
    /// The sentence denies what its claims say.
    #[error("“{words}” denies what its claims say")]
    Denied {
        /// The words.
        words: String,
    },
    /// In a finished sentence: a quote does not stand at its span, does not end where a word or number ends, or has no span.
    #[error("the quote does not stand in source {source_id} in whole words at {}", start.map_or_else(|| "any span".to_owned(), |at| format!("byte {at}")))]
    NotAtSpan {
        /// Id of the source.
        source_id: String,
        /// Byte offset that was given.
        start: Option<usize>,
    },
    /// In a finished sentence: the citations are not those that its claims give.
    #[error("it cites {}, and its claims give {}", list(stated), list(actual))]
    WrongCitations {
        /// The ids that it cites: aggregations, then sources.
        stated: Vec<String>,
        /// The ids that its claims give, likewise.
        actual: Vec<String>,
    },
    /// The sentence or a claim of it holds what looks like a key of a provider.
    #[error("it holds what looks like a key")]
    HoldsKey,
    /// In a finished sentence: its own words hold a citation marker, where only the writer of the report sets them.
    #[error("the marker {marker} stands in its words")]
    MarkerInWords {
        /// The marker with its brackets.
        marker: String,
    },
    /// A sentence that must rest on evidence has no claim.
    #[error("it names no evidence")]
    NoEvidence,
}

/// Longest name that a reason repeats, in characters.
const SHOWN: usize = 60;

/// A name in quotation marks, cut to what a reason has room for.
fn shown(name: &str) -> String {
    let cut: String = name.chars().take(SHOWN).collect();
    let more = if cut.len() < name.len() { "…" } else { "" };
    format!("“{cut}{more}”")
}

fn list(ids: &[String]) -> String {
    if ids.is_empty() { "nothing".to_owned() } else { ids.join(", ") }
}

/// What kind of flaw a sentence has. Unlike the failure it repeats nothing of the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Flaw {
    /// A number is not that of the evidence.
    Number,
    /// A quote is not what its source says.
    Quote,
    /// A source or aggregation does not exist, or is not the one that the claims give.
    Citation,
    /// The words do not say what the claims say.
    Words,
    /// It holds what looks like a key.
    Key,
    /// No evidence is named.
    NoEvidence,
}

impl Failure {
    /// The kind of it.
    pub(crate) fn flaw(&self) -> Flaw {
        match self {
            Self::WrongCount { .. }
            | Self::WrongTotal { .. }
            | Self::WrongStatistic { .. }
            | Self::UnsupportedNumber { .. }
            | Self::WrongPair { .. } => Flaw::Number,
            Self::QuoteNotFound { .. } | Self::NotAtSpan { .. } => Flaw::Quote,
            Self::UnknownAggregation { .. }
            | Self::UnknownSource { .. }
            | Self::WrongCitations { .. }
            | Self::MarkerInWords { .. } => Flaw::Citation,
            Self::UnsupportedName { .. }
            | Self::UnclaimedValue { .. }
            | Self::WrongComparison { .. }
            | Self::Denied { .. } => Flaw::Words,
            Self::HoldsKey => Flaw::Key,
            Self::NoEvidence => Flaw::NoEvidence,
        }
    }
}
