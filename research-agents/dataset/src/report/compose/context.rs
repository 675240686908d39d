//! What a report needs in addition to the draft.

use research_agents_report::claim::Statement;
use research_agents_report::confidence::Confidence;
use research_agents_report::language::Language;

use crate::data::record::{AggregationResult, Coverage, ReportFormat, SubQuestion};
use crate::data::task::FieldProfile;
use crate::found::coverage::Ledger;
use crate::offline::answer::answered::Answer;
use crate::report::read::JudgedBy;

/// Everything that a report needs in addition to the draft.
#[derive(Debug)]
pub(crate) struct ReportContext<'a> {
    /// The language of the report.
    pub(crate) language: Language,
    /// The language that was requested.
    pub(crate) wanted: Language,
    pub(crate) question: &'a str,
    /// The interpretation of the question, if it rests on more than the question's words.
    pub(crate) understood: Option<String>,
    pub(crate) sub_questions: &'a [SubQuestion],
    /// Ids of the sub-questions that the gathered material answers, regardless of the draft.
    pub(crate) answered: Vec<String>,
    pub(crate) format: ReportFormat,
    pub(crate) confidence: Confidence,
    /// The origin of the confidence.
    pub(crate) judged_by: JudgedBy,
    pub(crate) coverage: &'a Coverage,
    pub(crate) ledger: &'a Ledger,
    /// Aggregations that the report presents.
    pub(crate) aggregations: &'a [AggregationResult],
    /// The maximum number of records that a run reads.
    pub(crate) limit: usize,
    /// Notes on the run, written by the program in the language of the report.
    pub(crate) notes: &'a [String],
    /// Contradictions, in sentences that are checked like all others.
    pub(crate) contradictions: &'a [Statement],
    /// The model that drafted the report and its usage, if it was a language model.
    pub(crate) author: Option<String>,
    pub(crate) profile: &'a [FieldProfile],
    /// Smallest and largest values of fields as the tools state them. Sentences on gaps and next
    /// steps may name them.
    pub(crate) ranges: Vec<String>,
    /// Filters in words. Any sentence may repeat their numbers.
    pub(crate) filters: Vec<String>,
    /// The answer that code computed.
    pub(crate) answer: Option<&'a Answer>,
    /// Names of fields. Any sentence may repeat their numbers.
    pub(crate) fields: Vec<String>,
}

impl ReportContext<'_> {
    /// Returns whether the report rests on what the data source computed over all matching records.
    pub(crate) fn is_computed(&self) -> bool {
        self.answer.is_some() && !self.is_comprehensive()
    }

    /// Returns whether the report has an analysis and a conclusion.
    pub(crate) fn is_comprehensive(&self) -> bool {
        self.format == ReportFormat::ComprehensiveReport
    }

    /// Returns the texts whose numbers a sentence may repeat without evidence.
    pub(crate) fn known_texts(&self) -> impl Iterator<Item = &str> {
        self.filters
            .iter()
            .chain(&self.fields)
            .map(String::as_str)
            .chain([self.question])
    }
}
