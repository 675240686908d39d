//! A report beside the truth: which records each of its parts speaks of.

use std::collections::BTreeMap;

use research_agents::dataset::DatasetReport;
use research_agents::kernel::report::{Block, DataTable, Question, QuestionStatus, Section, Sentence};
use research_agents::kernel::{Basis, Line, Report};
use serde_json::{Value, json};

use crate::dataset::case::Case;
use crate::dataset::records::{Records, Rows, same, shown};

/// How a table shows an empty cell.
const EMPTY: &str = "(none)";

/// A report with what its parts rest on.
pub struct Reading<'a> {
    pub case: &'a Case,
    pub records: &'a Records,
    pub report: &'a DatasetReport,
    pub document: &'a Report,
    pub sentences: Vec<&'a Sentence>,
    /// The records that the question is about.
    pub scope: Rows,
    /// Those that were read.
    pub read: Rows,
    /// By the id of an aggregation, the records that its filters select.
    tables: BTreeMap<&'a str, Rows>,
}

/// A group by the columns that define it, whatever their order.
pub type Group = BTreeMap<String, Value>;

impl<'a> Reading<'a> {
    /// Reads a report; `None` when it is text only.
    pub fn of(case: &'a Case, records: &'a Records, report: &'a DatasetReport) -> Option<Self> {
        let document = report.document.as_ref()?;
        let tables = report.aggregations.iter().map(|table| {
            let mut filters = table.filters.clone();
            // A search for a text counts the records that mention it.
            if let Some(text) = &table.text {
                filters.insert("search".to_owned(), json!({ "text": text, "match": "phrase" }));
            }
            (table.id.as_str(), records.select(&filters))
        });
        Some(Self {
            case,
            records,
            report,
            document,
            sentences: document.sentences(),
            scope: records.select(&case.scope()),
            read: report.sources.iter().filter_map(|source| records.row(&source.record)).collect(),
            tables: tables.collect(),
        })
    }

    /// The records that a claim counts over.
    pub fn over(&self, basis: &Basis) -> Option<&Rows> {
        match basis {
            Basis::Aggregation(id) => self.table(id),
            Basis::Records => Some(&self.read),
        }
    }

    /// The records that a table counts over.
    pub fn table(&self, id: &str) -> Option<&Rows> {
        self.tables.get(id)
    }

    /// The row of the record behind a source.
    pub fn row_of(&self, source: &str) -> Option<usize> {
        self.records.row(&self.report.sources.get(source)?.record)
    }

    /// The group of a field, or of several, with this value. `None` when there is no such field.
    pub fn group(&self, field: &str, value: &Value) -> Option<Group> {
        group(self.records, field, value)
    }

    /// The fields of a table as a claim names them.
    pub fn fields(table: &DataTable) -> String {
        table.fields.iter().map(Line::as_str).collect::<Vec<_>>().join(",")
    }

    /// The value of a row of a table as a claim has it.
    pub fn key(keys: &[Line]) -> Value {
        let value = |key: &Line| match key.as_str() {
            EMPTY => Value::Null,
            text => Value::String(text.to_owned()),
        };
        match keys {
            [key] => value(key),
            keys => keys.iter().map(value).collect(),
        }
    }

    /// The texts of a section by its heading: sentences and the program's own words.
    pub fn section(&self, heading: &str) -> Vec<&'a str> {
        let found = self.document.sections.iter().find(|section| section.heading.as_str() == heading);
        found.map(texts).unwrap_or_default()
    }

    /// The sub-questions of the report: the heading, and whether it says that the data answers it.
    pub fn questions(&self) -> Vec<(&'a str, bool)> {
        self.parts()
            .into_iter()
            .map(|(heading, question)| (heading, question.status == QuestionStatus::Answered))
            .collect()
    }

    /// The headings of the sub-questions without their ids, which are no numbers of the data.
    pub fn headings(&self) -> Vec<String> {
        self.parts().into_iter().map(|(heading, question)| heading.replace(&question.id, "")).collect()
    }

    fn parts(&self) -> Vec<(&'a str, &'a Question)> {
        fn collect<'r>(sections: &'r [Section], found: &mut Vec<(&'r str, &'r Question)>) {
            for section in sections {
                found.extend(section.question.iter().map(|question| (section.heading.as_str(), question)));
                collect(&section.sections, found);
            }
        }
        let mut found = Vec::new();
        collect(&self.document.sections, &mut found);
        found
    }

    /// Everything that the report says in its sections: headings, sentences, notes. Not the lists of data and sources, which show
    /// records as they are.
    pub fn words(&self) -> Vec<&'a str> {
        let mut words = vec![self.document.title.as_str()];
        words.extend(self.document.sections.iter().flat_map(texts));
        words.extend(self.questions().into_iter().map(|(heading, _)| heading));
        words
    }
}

/// The group of a field, or of several, with this value.
pub fn group(records: &Records, field: &str, value: &Value) -> Option<Group> {
    let columns = records.columns_of(field).ok()?;
    let values = match (&columns[..], value) {
        ([_], value) => vec![value.clone()],
        (_, Value::Array(values)) => values.clone(),
        (_, value) => vec![value.clone()],
    };
    (values.len() <= columns.len()).then(|| columns.into_iter().map(str::to_owned).zip(values).collect())
}

/// Whether two groups are the same.
pub fn same_group(a: &Group, b: &Group) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|((a, x), (b, y))| a == b && same(x, y))
}

/// A group in words.
pub fn in_words(group: &Group) -> String {
    let parts: Vec<String> = group
        .iter()
        .map(|(field, value)| match shown(value) {
            text if text.is_empty() => format!("{field} empty"),
            text => format!("{field} = {text}"),
        })
        .collect();
    parts.join(", ")
}

/// The texts of a section and of those inside: sentences and the program's own words.
pub fn texts(section: &Section) -> Vec<&str> {
    let mut found = Vec::new();
    for block in &section.blocks {
        match block {
            Block::Paragraph { sentences } | Block::Bullets { sentences } => {
                found.extend(sentences.iter().map(|sentence| sentence.text.as_str()));
            }
            Block::Note { text } => found.push(text.as_str()),
            Block::Notes { items } => found.extend(items.iter().map(Line::as_str)),
            _ => {}
        }
    }
    found.extend(section.sections.iter().flat_map(texts));
    found
}
