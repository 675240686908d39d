//! The reasons why a sentence does not hold.

use crate::check::grounded::mismatch::Mismatch;
use crate::claim::Statistic;

/// The reason why a sentence is not printed as a finding.
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
    /// A count differs from that of the evidence.
    #[error(
        "{field} = {value}: {stated} was claimed, the evidence has {}",
        or_else(actual, "no such count")
    )]
    WrongCount {
        /// The field.
        field: String,
        /// The value as text.
        value: String,
        /// The claimed number.
        stated: u64,
        /// The number in the evidence, if there is one.
        actual: Option<u64>,
    },
    /// A total differs from that of the evidence.
    #[error("a total of {stated} was claimed, the evidence has {actual}")]
    WrongTotal {
        /// The claimed number.
        stated: u64,
        /// The number in the evidence.
        actual: u64,
    },
    /// A statistic differs from that of the records.
    #[error(
        "{statistic:?} of {field}: {stated} was claimed, the records give {}",
        or_else(actual, "no number")
    )]
    WrongStatistic {
        /// The field.
        field: String,
        /// Which statistic.
        statistic: Statistic,
        /// The claimed number.
        stated: f64,
        /// The recomputed number, if there is one.
        actual: Option<f64>,
    },
    /// A value that is not a number differs from that of the evidence.
    #[error(
        "{field} of {of}: {} was claimed, the evidence has {}",
        shown(stated),
        or_else(actual, "no value")
    )]
    WrongValue {
        /// Id of the source or aggregation.
        of: String,
        /// The field.
        field: String,
        /// The claimed value as text.
        stated: String,
        /// The value in the evidence as text, if there is one.
        actual: Option<String>,
    },
    /// A correlation differs from that of the evidence.
    #[error(
        "the correlation of {} and {}: {} over {} records was claimed, the evidence has {}",
        fields[0], fields[1], stated.0, stated.1, correlation(actual)
    )]
    WrongCorrelation {
        /// The fields.
        fields: [String; 2],
        /// The claimed coefficient and number of records.
        stated: (f64, u64),
        /// The coefficient and number of records in the evidence, if there are any.
        actual: Option<(f64, u64)>,
    },
    /// A record does not stand at the claimed place of a ranking.
    #[error("source {source_id} does not stand at place {place} by {field}")]
    WrongPlace {
        /// Id of the source.
        source_id: String,
        /// The field.
        field: String,
        /// The claimed place.
        place: u64,
    },
    /// No search shows that the data does not have the text.
    #[error("no search shows that {} is not in the data", shown(text))]
    NotAbsent {
        /// The text.
        text: String,
    },
    /// A quote is not in its source.
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
    /// A name, code, address or quoted passage of the sentence occurs in nothing that it cites.
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
        /// The value that the sentence names.
        value: String,
    },
    /// The sentence states the number of another value for a value.
    #[error(
        "it gives {} the number {figure}, which is that of another {field}",
        shown(value)
    )]
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
        /// The value that they are about.
        value: String,
    },
    /// The sentence negates one of its claims.
    #[error("“{words}” denies what its claims say")]
    Denied {
        /// The words.
        words: String,
    },
    /// In a finished sentence: a quote is not at its span, ends within a word or number, or has no
    /// span.
    #[error(
        "the quote does not stand in source {source_id} in whole words at {}",
        span(start)
    )]
    NotAtSpan {
        /// Id of the source.
        source_id: String,
        /// The stated byte offset.
        start: Option<usize>,
    },
    /// In a finished sentence: the citations are not those of its claims.
    #[error("it cites {}, and its claims give {}", list(stated), list(actual))]
    WrongCitations {
        /// The ids that it cites: aggregations, then sources.
        stated: Vec<String>,
        /// The ids that its claims give: aggregations, then sources.
        actual: Vec<String>,
    },
    /// The words of a passage do not carry the sentence.
    #[error("its passages do not carry it: {reason}")]
    Ungrounded {
        /// What is not carried.
        reason: Mismatch,
    },
    /// The sentence or one of its claims contains what looks like a key of a provider.
    #[error("it holds what looks like a key")]
    HoldsKey,
    /// In a finished sentence: the text contains a citation marker, which only the writer of the
    /// report sets.
    #[error("the marker {marker} stands in its words")]
    MarkerInWords {
        /// The marker with its brackets.
        marker: String,
    },
    /// A sentence that needs evidence has no claim.
    #[error("it names no evidence")]
    NoEvidence,
    /// The sentence has more claims than are checked.
    #[error("it has {count} claims, and at most {most} are checked")]
    TooManyClaims {
        /// Number of its claims.
        count: usize,
        /// The most that are checked.
        most: usize,
    },
}

/// Maximum number of characters of a name that a reason repeats.
const SHOWN: usize = 60;

/// Returns a name in quotation marks, shortened to [`SHOWN`] characters.
fn shown(name: &str) -> String {
    let cut: String = name.chars().take(SHOWN).collect();
    let more = if cut.len() < name.len() { "…" } else { "" };
    format!("“{cut}{more}”")
}

/// Returns a number as text, or other text without one.
fn or_else<T: ToString>(number: &Option<T>, without: &str) -> String {
    number
        .as_ref()
        .map_or_else(|| without.to_owned(), T::to_string)
}

/// Returns a correlation in words.
fn correlation(actual: &Option<(f64, u64)>) -> String {
    actual.map_or_else(
        || "none".to_owned(),
        |(number, count)| format!("{number} over {count}"),
    )
}

/// Returns the position of a quote in words.
fn span(start: &Option<usize>) -> String {
    start.map_or_else(|| "any span".to_owned(), |at| format!("byte {at}"))
}

/// Returns ids as a list.
fn list(ids: &[String]) -> String {
    if ids.is_empty() {
        "nothing".to_owned()
    } else {
        ids.join(", ")
    }
}

/// The kind of flaw of a sentence. Unlike a [`Failure`] it repeats nothing of the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    /// A number differs from the evidence.
    Number,
    /// A quote is not in its source.
    Quote,
    /// A source or aggregation does not exist, or is not that of the claims.
    Citation,
    /// The words disagree with the claims.
    Words,
    /// It contains what looks like a key.
    Key,
    /// It has no claim, or more claims than are checked.
    NoEvidence,
}

impl Failure {
    /// Returns the kind of the failure.
    pub fn flaw(&self) -> Flaw {
        match self {
            Self::WrongCount { .. }
            | Self::WrongTotal { .. }
            | Self::WrongStatistic { .. }
            | Self::WrongCorrelation { .. }
            | Self::WrongValue { .. }
            | Self::WrongPlace { .. }
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
            | Self::NotAbsent { .. }
            | Self::Denied { .. }
            | Self::Ungrounded { .. } => Flaw::Words,

            Self::HoldsKey => Flaw::Key,
            Self::NoEvidence | Self::TooManyClaims { .. } => Flaw::NoEvidence,
        }
    }
}
