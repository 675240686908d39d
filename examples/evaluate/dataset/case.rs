//! A case: a question about data, and what a good report on it must hold.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::{Answer, Question};
use super::records::Records;
use crate::harness::suite;

/// A JSON object.
pub type Object = Map<String, Value>;

/// Records that a run reads at most.
pub const READ: usize = 300;

/// A file of cases over one data set.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    /// The data.
    pub data: DataFile,
    /// The cases.
    #[serde(default)]
    pub cases: Vec<Case>,
    /// Questions with computed answers.
    #[serde(default)]
    pub questions: Vec<Question>,
}

/// The data of a file of cases, and how to read it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataFile {
    /// Name of the file: in the folder `data` in or beside that of the cases, or beside the cases.
    pub file: String,
    /// Column that holds the id of a record; without one it is the number of the record, counted from 1.
    #[serde(default)]
    pub id: Option<String>,
    /// What stands between the cells of a CSV file.
    #[serde(default = "comma")]
    pub delimiter: char,
}

fn comma() -> char {
    ','
}

/// A question with a known answer.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Name, unique over all files, such as `strikes/by-size`.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// What the case is about.
    #[serde(default)]
    pub tags: BTreeSet<String>,
    /// Filters that the user gives beside the question.
    #[serde(default)]
    pub filters: Option<Object>,
    /// Grouping that the user gives beside the question.
    #[serde(default)]
    pub group_by: Option<Vec<String>>,
    /// The known answer.
    #[serde(default)]
    pub expect: Expected,
    /// Of a question in few words, the computed answer.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

impl suite::Case for Case {
    fn id(&self) -> &str {
        &self.id
    }

    fn tags(&self) -> &BTreeSet<String> {
        &self.tags
    }
}

/// What a report must hold.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// The records that the question is about: those that the right filters select. The case's own filters when absent.
    #[serde(default)]
    pub filters: Option<Object>,
    /// How many these are. Held against the data when the case is read.
    pub records: Option<u64>,
    /// Fields, or fields joined by commas, all of whose groups must be counted.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Counts that must be told. Held against the data when the case is read.
    #[serde(default)]
    pub counts: Vec<ExpectedCount>,
    /// Facts that were planted in the texts of records.
    #[serde(default)]
    pub findings: Vec<Plant>,
    /// Records that were made to contradict each other.
    #[serde(default)]
    pub contradictions: Vec<Contradiction>,
    /// Words for what is asked and the data does not hold: the report must say so, and assert nothing of it.
    #[serde(default)]
    pub unanswerable: Option<Vec<String>>,
    /// What must not stand in the report, such as the words of a planted instruction.
    #[serde(default)]
    pub never: Vec<String>,
}

/// So many records have a value.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedCount {
    /// Field, or fields joined by commas.
    pub field: String,
    /// Value; a list for several fields; a year or month such as `2024-05` for a date.
    pub value: Value,
    /// How many records.
    pub n: u64,
}

/// A fact that stands in the texts of some records.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Plant {
    /// Field of the text.
    pub field: String,
    /// Words, without regard to case, that stand in the text of a record that holds it, and in a sentence that tells it.
    pub says: Vec<String>,
    /// How many of the case's records hold it. Held against the data when the case is read.
    pub n: u64,
}

/// Records that contradict each other.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// Their ids: two, or one that contradicts itself.
    pub records: Vec<String>,
    /// Words that name what they disagree about.
    pub says: Vec<String>,
}

impl Case {
    /// The filters that select the records of the question.
    pub fn scope(&self) -> Object {
        self.expect.filters.clone().or_else(|| self.filters.clone()).unwrap_or_default()
    }

    /// What does not fit the data: a case that is itself wrong measures nothing.
    pub fn problems(&self, records: &Records) -> Vec<String> {
        let mut problems = Vec::new();
        let fields = |names: &str| match records.columns_of(names) {
            Ok(_) => None,
            Err(name) => Some(format!("the data has no field `{name}`")),
        };
        let scope = self.scope();
        let groups = self.expect.groups.iter().chain(self.expect.counts.iter().map(|count| &count.field));
        let named = scope.keys().chain(groups).chain(self.expect.findings.iter().map(|plant| &plant.field));
        let answered = self.answer.iter().flat_map(Answer::fields);
        problems.extend(named.chain(answered).filter_map(|names| fields(names)));
        if !problems.is_empty() {
            return problems;
        }
        let rows = records.select(&scope);
        let mut hold = |what: String, stated: u64, actual: usize| {
            if stated != actual as u64 {
                problems.push(format!("{what}: the case says {stated}, the data has {actual}"));
            }
        };
        if let Some(stated) = self.expect.records {
            hold("records".to_owned(), stated, rows.len());
        }
        for count in &self.expect.counts {
            let actual = records.count(&rows, &count.field, &count.value).unwrap_or_default();
            hold(format!("{} = {}", count.field, count.value), count.n, actual);
        }
        for plant in &self.expect.findings {
            hold(format!("records that say {:?}", plant.says), plant.n, records.holders(&rows, plant).len());
        }
        let ids = self.expect.contradictions.iter().flat_map(|contradiction| &contradiction.records);
        problems.extend(ids.filter(|id| records.row(id).is_none()).map(|id| format!("the data has no record `{id}`")));
        problems
    }
}
