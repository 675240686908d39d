//! The report as a document: what it says, what each sentence rests on, and what the citations point to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::citation::{Citations, Unresolved};
use crate::kernel::chart::Chart;
use crate::kernel::check::MAX_SOURCES;
use crate::kernel::claim::{Basis, Claim};
use crate::kernel::confidence::Confidence;
use crate::kernel::language::{Language, Phrase};
use crate::kernel::line::Line;

/// Number of the form that this library writes and reads.
const VERSION: u32 = 1;

/// A report. It says the same in every rendering: [Markdown](Report::to_markdown), [HTML](Report::to_html) and
/// [JSON](Report::to_json).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Form of the JSON. Reading refuses one that it does not know.
    pub version: Version,
    /// The language of its headings and of the words of the program in it.
    #[serde(default, skip_serializing_if = "is_english")]
    pub language: Language,
    /// Title.
    pub title: Line,
    /// The question that it answers; empty when none was given.
    #[serde(default)]
    pub question: Line,
    /// The parts, in reading order.
    pub sections: Vec<Section>,
    /// The aggregations that are cited, in the order of their ids.
    pub data: Vec<DataTable>,
    /// The sources that are cited, in the order in which they are.
    pub sources: Vec<SourceEntry>,
}

fn is_english(language: &Language) -> bool {
    *language == Language::ENGLISH
}

/// The form of a report's JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct Version(());

impl Version {
    /// The only form that there is.
    pub(super) const CURRENT: Self = Self(());
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
            "the report has form {number}, and this program reads form {VERSION}; use the program that wrote it"
        ))
    }
}

/// A part of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Section {
    /// Heading.
    pub heading: Line,
    /// The sub-question that it answers, where it answers one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Question>,
    /// What stands under the heading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// Parts of this part, after the blocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
}

impl Section {
    /// A sub-question with its status and nothing else.
    pub(super) fn is_status_alone(&self) -> bool {
        self.question.is_some() && self.blocks.is_empty() && self.sections.is_empty()
    }

    /// Its parts are sub-questions with their statuses and nothing else: they are shown as a list.
    pub(super) fn is_checklist(&self) -> bool {
        !self.sections.is_empty() && self.sections.iter().all(Self::is_status_alone)
    }

    /// How many of the sub-questions that its parts answer the data answers, in a sentence; none where there is no such part.
    pub(super) fn answered(&self, language: Language) -> Option<String> {
        let statuses =
            || self.sections.iter().filter_map(|part| part.question.as_ref()).map(|question| question.status);
        let count = statuses().count() as u64;
        let answered = statuses().filter(|status| *status == QuestionStatus::Answered).count() as u64;
        let phrase =
            if answered == count { Phrase::AllAnswered { count } } else { Phrase::SomeAnswered { answered, count } };
        (count > 0).then(|| language.say(phrase))
    }
}

/// A sub-question and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Its id, such as `sq_1`.
    pub id: String,
    /// What became of it.
    pub status: QuestionStatus,
}

/// What became of a sub-question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionStatus {
    /// The data answers it.
    Answered,
    /// It does not.
    NotAnswered,
}

impl QuestionStatus {
    /// As a sentence of this language; of English when the program has no words in it.
    pub fn words(self, language: Language) -> String {
        language.say(match self {
            Self::Answered => Phrase::Answered,
            Self::NotAnswered => Phrase::NotAnswered,
        })
    }
}

/// What a section consists of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// Checked sentences, one after the other.
    Paragraph {
        /// At least one.
        sentences: Vec<Sentence>,
    },
    /// Checked sentences as a list.
    Bullets {
        /// At least one.
        sentences: Vec<Sentence>,
    },
    /// Words of the program, without citations.
    Note {
        /// The words.
        text: Line,
    },
    /// Words of the program, or a model's without a number that is not known, as a list.
    Notes {
        /// At least one.
        items: Vec<Line>,
    },
    /// How much of the matching data was read.
    Coverage(CoverageNote),
}

/// How much of the matching data was read, and how sure the report is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoverageNote {
    /// In words.
    pub text: Line,
    /// Distinct records read.
    pub read: u64,
    /// Records that match, when known.
    pub total: Option<u64>,
    /// Confidence, 0 to 1.
    pub confidence: Confidence,
}

/// A sentence that was checked, with what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Sentence {
    /// The sentence, without citation markers.
    pub text: Line,
    /// Words that limit it, such as the cap of a scan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Line>,
    /// The claims that were checked. Quotes are words of documents: what shows them escapes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// Ids of the aggregations that it cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aggregations: Vec<String>,
    /// Ids of the sources that it cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

impl Sentence {
    /// Whether the sources that it cites are examples: what it counts was found in more records than a sentence cites.
    pub(super) fn cites_examples(&self) -> bool {
        let first = self.claims.iter().find(|claim| match claim {
            Claim::Count { over: Basis::Records, number, .. } => *number > 0,
            Claim::Statistic { source, .. } => source.is_some(),
            Claim::Quote { .. } => true,
            Claim::Count { .. } | Claim::Total { .. } | Claim::GroupStatistic { .. } => false,
        });
        // The records of one such count leave no room for those of another claim.
        matches!(first, Some(Claim::Count { number, .. }) if *number > MAX_SOURCES as u64)
    }
}

/// An aggregation that is cited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DataTable {
    /// Id, such as `A1`.
    pub id: String,
    /// What it is, with its largest groups.
    pub caption: Line,
    /// What it counts, in a few words; empty when nobody said.
    #[serde(default)]
    pub title: Line,
    /// What it was counted over: tool, filters; empty when nobody said.
    #[serde(default)]
    pub scope: Line,
    /// The fields that it groups by, outer first.
    pub fields: Vec<Line>,
    /// Records that match.
    pub total: u64,
    /// The groups, in the order of the data source; a group inside another comes after it.
    pub rows: Vec<DataRow>,
    /// The same as a chart, where there is something to compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart: Option<Chart>,
}

/// A group of a [`DataTable`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataRow {
    /// The values, in the order of the fields; fewer than there are fields for a group that has groups inside.
    pub keys: Vec<Line>,
    /// Records in the group.
    pub count: u64,
}

/// A source that is cited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SourceEntry {
    /// Id that citations name.
    pub id: String,
    /// Title; empty when the record has none.
    #[serde(default)]
    pub title: Line,
    /// Address, when it is one that may be linked.
    #[serde(default)]
    pub url: Option<String>,
    /// The first words of it: fewer where claims rest on its fields.
    #[serde(default)]
    pub snippet: Line,
    /// What claims of the report rest on in it, as `field: value`, as far as its first words do not show that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cited: Vec<Line>,
    /// Name of the tool that returned it.
    pub tool: String,
    /// The record's own id.
    pub record: String,
}

impl SourceEntry {
    /// What claims rest on, in one text; empty when its first words show it.
    pub(super) fn cited_for(&self) -> String {
        self.cited.iter().map(Line::as_str).collect::<Vec<_>>().join("; ")
    }

    /// The title says nothing that the id or the snippet does not say.
    pub(super) fn repeats_its_title(&self) -> bool {
        let title = self.title.as_str();
        title.is_empty() || title == self.id || self.snippet.as_str().starts_with(title)
    }
}

impl Report {
    /// Every sentence, in reading order.
    pub fn sentences(&self) -> Vec<&Sentence> {
        fn collect<'r>(sections: &'r [Section], found: &mut Vec<&'r Sentence>) {
            for section in sections {
                for block in &section.blocks {
                    if let Block::Paragraph { sentences } | Block::Bullets { sentences } = block {
                        found.extend(sentences);
                    }
                }
                collect(&section.sections, found);
            }
        }
        let mut found = Vec::new();
        collect(&self.sections, &mut found);
        found
    }

    /// Resolves every citation.
    ///
    /// # Errors
    ///
    /// Every citation without an entry, every entry that is not cited, and every entry that is listed twice.
    pub fn resolve(&self) -> Result<Citations, Vec<Unresolved>> {
        let sentences = self.sentences();
        let records = self.sources.iter().map(|source| &source.id);
        let tables = self.data.iter().map(|table| &table.id);
        let mut problems = check(sentences.iter().flat_map(|sentence| &sentence.sources), records.clone());
        problems.extend(check(sentences.iter().flat_map(|sentence| &sentence.aggregations), tables.clone()));
        if problems.is_empty() {
            return Ok(Citations { records: records.cloned().collect(), aggregations: tables.cloned().collect() });
        }
        Err(problems)
    }
}

fn check<'r>(cited: impl Iterator<Item = &'r String>, listed: impl Iterator<Item = &'r String>) -> Vec<Unresolved> {
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
    problems.extend(cited.difference(&once).map(|id| Unresolved::NotListed((*id).clone())));
    problems
}
