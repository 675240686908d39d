//! What a report says about how much was read. Verification computes the same words from the
//! recorded answers.

use research_agents_report::confidence::Confidence;
use research_agents_report::language::Language;

use crate::data::phrase::Phrase;
use crate::found::coverage::Ledger;
use crate::tools::documents::TEXT_CAP;

/// The origin of a confidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JudgedBy {
    /// It was computed from the counts, the records read and the findings.
    Amount,
    /// It says how well the question is answered.
    Answer,
    /// A validator gave it.
    Review,
    /// The draft states it, because no data was gathered.
    Estimate,
}

/// Returns the line on coverage. `cut` is the number of records that were read in part.
pub(crate) fn coverage_line(
    ledger: &Ledger,
    language: Language,
    limit: usize,
    cut: u64,
    confidence: &str,
) -> String {
    let mut parts = ledger.describe_in(language, limit);
    if parts.is_empty() {
        parts.push(language.say(Phrase::NothingRead));
    }

    if ledger.coverage().total == Some(0) {
        parts.push(language.say(Phrase::NothingMatches));
    }

    if cut > 0 {
        parts.push(language.say(Phrase::RecordsCut {
            count: cut,
            most: TEXT_CAP as u64,
        }));
    }

    language.say(Phrase::Coverage {
        parts: &parts.join("; "),
        confidence,
    })
}

/// Returns the line on coverage of an answer that the data source computed over all matching
/// records; `None` if their number is unknown, or if all were read anyway.
pub(crate) fn computed_line(
    ledger: &Ledger,
    language: Language,
    confidence: &str,
) -> Option<String> {
    let coverage = ledger.coverage();
    let total = coverage.total.filter(|total| coverage.fetched < *total)?;
    Some(language.say(Phrase::CoverageComputed { total, confidence }))
}

/// Returns the confidence with its origin. `is_all` says that everything that matches was counted
/// and read.
pub(crate) fn confidence_words(
    language: Language,
    confidence: Confidence,
    judged_by: JudgedBy,
    is_all: bool,
) -> String {
    let why = language.say(match judged_by {
        JudgedBy::Amount if is_all && confidence.value() >= 1.0 => Phrase::ByAll,
        JudgedBy::Amount => Phrase::ByAmount,
        JudgedBy::Answer => Phrase::ByAnswer,
        JudgedBy::Review => Phrase::ByReview,
        JudgedBy::Estimate => Phrase::ByEstimate,
    });
    language.say(Phrase::Confidence {
        number: &language.decimal(confidence.value(), 2),
        band: confidence.band(),
        why: &why,
    })
}

/// Returns every way in which a report may say a confidence.
pub(crate) fn all_confidence_words(
    language: Language,
    confidence: Confidence,
) -> impl Iterator<Item = String> {
    let origins = [
        (JudgedBy::Amount, true),
        (JudgedBy::Amount, false),
        (JudgedBy::Answer, false),
        (JudgedBy::Review, false),
        (JudgedBy::Estimate, false),
    ];
    origins
        .into_iter()
        .map(move |(by, is_all)| confidence_words(language, confidence, by, is_all))
}

/// Returns the note of every sentence that was drawn from records; `None` if all were read.
pub(crate) fn record_note(ledger: &Ledger, language: Language) -> Option<String> {
    let read = ledger.read(language)?;
    Some(language.say(Phrase::Among { read: &read }))
}

/// Returns the limitation of a report that rests on a part of the matching records; `None` if all
/// or none were read.
pub(crate) fn limitation(ledger: &Ledger, language: Language, limit: usize) -> Option<String> {
    let coverage = ledger.coverage();
    let is_partial =
        coverage.total.is_none_or(|total| coverage.fetched < total) && coverage.fetched > 0;
    is_partial.then(|| {
        let words = ledger.summary(language, limit);
        language.say(Phrase::HoldsForThese { words: &words })
    })
}
