//! The document model of a report: its sentences with their claims, and what their citations refer
//! to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::check::checker::MAX_SOURCES;
use crate::claim::{Basis, Claim};
use crate::confidence::Confidence;
use crate::document::citation::{Citations, Unresolved};
use crate::document::table::{DataTable, RecordTable};
use crate::language::phrase::Phrase;
use crate::language::tag::Language;
use crate::text::line::Line;
use crate::trust::Mark;

/// Version of the JSON that this library writes and reads.
const VERSION: u32 = 1;

/// A report, with the same content in every rendering: [Markdown](Report::to_markdown),
/// [HTML](Report::to_html) and [JSON](Report::to_json).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Version of the JSON. Unknown versions are refused.
    pub version: Version,
    /// Language of the headings and of the text that the program writes.
    #[serde(default, skip_serializing_if = "is_english")]
    pub language: Language,
    /// Title.
    pub title: Line,
    /// Question that the report answers; may be empty.
    #[serde(default)]
    pub question: Line,
    /// Sections, in reading order.
    pub sections: Vec<Section>,
    /// Cited aggregations, in the order of their ids.
    pub data: Vec<DataTable>,
    /// Cited sources, in the order of their first citation.
    pub sources: Vec<SourceEntry>,
}

fn is_english(language: &Language) -> bool {
    *language == Language::ENGLISH
}

/// The version of a report's JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Version(());

impl Version {
    /// The current version, which is the only one.
    pub(crate) const CURRENT: Self = Self(());
}

impl From<Version> for u32 {
    fn from(_: Version) -> Self {
        VERSION
    }
}

impl TryFrom<u32> for Version {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        if number == VERSION {
            return Ok(Self::CURRENT);
        }
        Err(format!(
            "the report has form {number}, and this program reads form {VERSION}; use the program \
             that wrote it"
        ))
    }
}

/// A section of a report, or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Section {
    /// Heading.
    pub heading: Line,
    /// Sub-question that it answers, if it answers one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// Whether it is a detail, which a rendering may fold away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub folded: bool,
    /// Content under the heading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// Parts of the section, after the blocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
}

impl Section {
    /// Returns whether it is a sub-question with its status and without content.
    pub(crate) fn is_status_alone(&self) -> bool {
        self.question.is_some() && self.blocks.is_empty() && self.sections.is_empty()
    }

    /// Returns whether all its parts are sub-questions without content, which are shown as a list.
    pub(crate) fn is_checklist(&self) -> bool {
        !self.sections.is_empty() && self.sections.iter().all(Self::is_status_alone)
    }

    /// Returns a sentence on how many of the sub-questions of its parts are answered. `None` if its
    /// parts have no sub-questions.
    pub(crate) fn answered(&self, language: Language) -> Option<String> {
        let statuses = || {
            self.sections
                .iter()
                .filter_map(|part| part.question.as_ref())
                .map(|question| question.status)
        };

        let count = statuses().count() as u64;
        let answered = statuses()
            .filter(|status| *status == QuestionStatus::Answered)
            .count() as u64;
        let phrase = if answered == count {
            Phrase::AllAnswered { count }
        } else {
            Phrase::SomeAnswered { answered, count }
        };
        (count > 0).then(|| language.say(phrase))
    }
}

/// A sub-question and its status.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Id, such as `sq_1`.
    pub id: String,
    /// Status.
    pub status: QuestionStatus,
}

/// The status of a sub-question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionStatus {
    /// The data answers it.
    Answered,
    /// The data does not answer it.
    NotAnswered,
}

impl QuestionStatus {
    /// Returns the status as a sentence in a language, or in English if the language has no
    /// catalogue.
    pub fn words(self, language: Language) -> String {
        language.say(match self {
            Self::Answered => Phrase::Answered,
            Self::NotAnswered => Phrase::NotAnswered,
        })
    }
}

/// A block of content in a section.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// A paragraph of checked sentences.
    Paragraph {
        /// The sentences, at least one.
        sentences: Vec<Sentence>,
    },
    /// A list of checked sentences.
    Bullets {
        /// The sentences, at least one.
        sentences: Vec<Sentence>,
    },
    /// A paragraph without citations, written by the program.
    Note {
        /// The text.
        text: Line,
    },
    /// A list without citations, written by the program or by a model. All its numbers are known.
    Notes {
        /// The items, at least one.
        items: Vec<Line>,
    },
    /// The coverage of the report.
    Coverage(CoverageNote),
    /// The chart of a cited aggregation.
    Chart {
        /// Id of the aggregation.
        aggregation: String,
    },
    /// The rows of a cited aggregation as a table.
    Groups {
        /// Id of the aggregation.
        aggregation: String,
        /// Number of rows that are shown at most.
        most: u64,
    },
    /// A table of records.
    Records(RecordTable),
}

/// How much of the matching data was read, and the confidence of the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoverageNote {
    /// The coverage and the confidence in words.
    pub text: Line,
    /// Number of distinct records read.
    pub read: u64,
    /// Number of records that match, if known.
    pub total: Option<u64>,
    /// Confidence, 0 to 1.
    pub confidence: Confidence,
}

/// A checked sentence with its claims and citations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Sentence {
    /// The sentence, without citation markers.
    pub text: Line,
    /// Note that limits it, such as the limit of a scan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Line>,
    /// The checked claims. Quotes are text of documents and must be escaped where they are shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// Ids of the cited aggregations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aggregations: Vec<String>,
    /// Ids of the cited sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// How far its sources can be trusted, in reports that say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
}

impl Sentence {
    /// Returns whether the cited sources are examples: it counts more records than a sentence
    /// cites.
    pub(crate) fn cites_examples(&self) -> bool {
        let first = self.claims.iter().find(|claim| match claim {
            Claim::Count {
                over: Basis::Records,
                number,
                ..
            } => *number > 0,
            Claim::Statistic { source, .. } => source.is_some(),
            Claim::Quote { .. }
            | Claim::Says { .. }
            | Claim::Field { .. }
            | Claim::Ranked { .. } => true,
            _ => false,
        });

        // The records of the first count use up the citations of the sentence.
        matches!(first, Some(Claim::Count { number, .. }) if *number > MAX_SOURCES as u64)
    }
}

/// A cited source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceEntry {
    /// Id, which citations name.
    pub id: String,
    /// Title; empty if the record has none.
    #[serde(default)]
    pub title: Line,
    /// Address, if it may be linked.
    #[serde(default)]
    pub url: Option<String>,
    /// Beginning of the record. It is shorter if claims are about fields of the record.
    #[serde(default)]
    pub snippet: Line,
    /// Values that claims of the report are about, as `field: value`, without those in the snippet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cited: Vec<Line>,
    /// Name of the tool that returned it.
    pub tool: String,
    /// The record's own id.
    pub record: String,
}

impl SourceEntry {
    /// Returns the values that claims are about as one string.
    pub(crate) fn cited_for(&self) -> String {
        self.cited
            .iter()
            .map(Line::as_str)
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Returns whether the id or the snippet contains the title, so that it is not shown.
    pub(crate) fn repeats_its_title(&self) -> bool {
        let title = self.title.as_str();
        title.is_empty() || title == self.id || self.snippet.as_str().starts_with(title)
    }
}

impl Report {
    /// Returns every sentence in reading order.
    pub fn sentences(&self) -> Vec<&Sentence> {
        let mut found = Vec::new();
        for block in self.blocks() {
            if let Block::Paragraph { sentences } | Block::Bullets { sentences } = block {
                found.extend(sentences);
            }
        }
        found
    }

    /// Returns every block in reading order.
    pub fn blocks(&self) -> Vec<&Block> {
        fn collect<'r>(sections: &'r [Section], found: &mut Vec<&'r Block>) {
            for section in sections {
                found.extend(&section.blocks);
                collect(&section.sections, found);
            }
        }

        let mut found = Vec::new();
        collect(&self.sections, &mut found);
        found
    }

    /// Returns the ids of the aggregations whose charts, groups or records blocks show.
    pub(crate) fn shown_tables(&self) -> Vec<&String> {
        let shown = self.blocks().into_iter().filter_map(|block| match block {
            Block::Chart { aggregation } | Block::Groups { aggregation, .. } => Some(aggregation),
            Block::Records(records) => records.aggregation.as_ref(),
            _ => None,
        });
        shown.collect()
    }

    /// Resolves every citation.
    ///
    /// # Errors
    ///
    /// Returns every citation without an entry, every entry that is not cited, and every entry that
    /// is listed twice.
    pub fn resolve(&self) -> Result<Citations, Vec<Unresolved>> {
        let sentences = self.sentences();
        let shown = self.shown_tables();
        let records = self.sources.iter().map(|source| &source.id);
        let tables = self.data.iter().map(|table| &table.id);
        let mut problems = check(
            sentences.iter().flat_map(|sentence| &sentence.sources),
            records.clone(),
        );
        problems.extend(check(
            sentences
                .iter()
                .flat_map(|sentence| &sentence.aggregations)
                .chain(shown),
            tables.clone(),
        ));

        if problems.is_empty() {
            return Ok(Citations {
                records: records.cloned().collect(),
                aggregations: tables.cloned().collect(),
            });
        }

        Err(problems)
    }
}

/// Compares cited ids with listed ones.
fn check<'r>(
    cited: impl Iterator<Item = &'r String>,
    listed: impl Iterator<Item = &'r String>,
) -> Vec<Unresolved> {
    let cited: BTreeSet<&String> = cited.collect();
    let mut once = BTreeSet::new();
    let mut problems = Vec::new();
    for id in listed {
        if !once.insert(id) {
            problems.push(Unresolved::ListedTwice(id.clone()));
        } else if !cited.contains(id) {
            problems.push(Unresolved::NotCited(id.clone()));
        }
    }

    problems.extend(
        cited
            .difference(&once)
            .map(|id| Unresolved::NotListed((*id).clone())),
    );
    problems
}
