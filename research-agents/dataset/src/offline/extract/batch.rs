//! A batch of records seen by columns, and which columns the questions name.

use std::collections::BTreeMap;

use research_agents_report::claim::Claim;
use research_agents_report::evidence::plain;
use serde_json::Value;

use crate::data::record::Object;
use crate::data::task::{DocumentText, ExtractTask, FieldFacts, FieldKind};
use crate::offline::say::is_empty;
use crate::question::interpret::{Interpretation, interpret};

/// Texts of so many characters on average are read as prose.
const LONG_TEXT: usize = 100;

/// A column with more distinct values than this share of its records divides nothing.
const MOSTLY_DISTINCT: f64 = 0.7;

/// A field over all records of a batch.
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: FieldKind,
    /// Values of texts and booleans with the records that have them, in the order of the values.
    pub(crate) groups: BTreeMap<String, Vec<usize>>,
    /// Numbers with their records.
    pub(crate) numbers: Vec<(f64, usize)>,
    /// Its values are prose.
    pub(crate) long: bool,
    /// All records have it from the filters.
    pub(crate) filtered: bool,
    /// Ids of the sub-questions that name it.
    pub(crate) questions: Vec<String>,
    /// Its rank in the questions; the largest number if none names it.
    pub(crate) rank: usize,
}

impl Column {
    /// Returns whether its values divide the records into groups.
    pub(crate) fn divides(&self) -> bool {
        let present: usize = self.groups.values().map(Vec::len).sum();
        #[expect(clippy::cast_precision_loss, reason = "a batch has few records")]
        let share = self.groups.len() as f64 / present.max(1) as f64;
        !self.filtered
            && !self.long
            && matches!(self.kind, FieldKind::Text | FieldKind::Boolean)
            && self.groups.len() > 1
            && share <= MOSTLY_DISTINCT
    }
}

/// A batch by columns.
pub(crate) struct Batch<'t> {
    pub(crate) documents: &'t [DocumentText],
    /// In the order of the records' fields.
    pub(crate) columns: Vec<Column>,
}

impl<'t> Batch<'t> {
    pub(crate) fn new(task: &'t ExtractTask) -> Self {
        let mut columns: Vec<Column> = Vec::new();
        for (record, document) in task.documents.iter().enumerate() {
            add_fields(&mut columns, record, "", &document.fields, task);
        }
        columns.iter_mut().for_each(Column::settle);
        let mut batch = Self {
            documents: &task.documents,
            columns,
        };
        batch.rank(task);
        batch
    }

    /// Notes which questions name which columns: the user's question first, then the checklist.
    fn rank(&mut self, task: &ExtractTask) {
        let facts: Vec<FieldFacts> = self.columns.iter().map(Column::facts).collect();
        let mut rank = 0;
        let asked = std::iter::once((None, task.query.as_str())).chain(
            task.sub_questions
                .iter()
                .map(|question| (Some(question.id.as_str()), question.question.as_str())),
        );

        for (id, question) in asked {
            for name in named(&interpret(question, &facts)) {
                let Some(column) = self.columns.iter_mut().find(|column| column.name == name)
                else {
                    continue;
                };
                column.questions.extend(id.map(str::to_owned));
                column.rank = column.rank.min(rank);
                rank += 1;
            }
        }
    }

    /// Returns the columns in the order in which the questions name them; those that none names
    /// follow in their own order.
    pub(crate) fn by_rank(&self) -> Vec<&Column> {
        let mut columns: Vec<&Column> = self.columns.iter().collect();
        columns.sort_by_key(|column| column.rank);
        columns
    }

    /// Returns the quote of a record's line for a field, if its text has that line.
    pub(crate) fn quote(&self, record: usize, field: &str) -> Option<Claim> {
        let document = self.documents.get(record)?;
        let line = format!("{field}: {}", plain(value_at(&document.fields, field)?));
        let start = document.text.find(&line)?;
        Some(Claim::Quote {
            source: document.id.clone(),
            text: line,
            start: Some(start),
        })
    }

    pub(crate) fn ids(&self, records: &[usize]) -> Vec<String> {
        records
            .iter()
            .map(|&record| self.documents[record].id.clone())
            .collect()
    }
}

impl Column {
    fn new(name: &str, task: &ExtractTask) -> Self {
        Self {
            name: name.to_owned(),
            kind: FieldKind::Text,
            groups: BTreeMap::new(),
            numbers: Vec::new(),
            long: false,
            filtered: task.filters.contains_key(name),
            questions: Vec::new(),
            rank: usize::MAX,
        }
    }

    fn add(&mut self, record: usize, value: &Value) {
        match value {
            Value::Number(number) => self
                .numbers
                .extend(number.as_f64().map(|number| (number, record))),
            Value::String(_) | Value::Bool(_) if !is_empty(value) => {
                self.groups.entry(plain(value)).or_default().push(record);
            }
            _ => {}
        }
    }

    fn settle(&mut self) {
        if self.numbers.len() > self.groups.len() {
            self.kind = FieldKind::Number;
        } else if !self.groups.is_empty() && self.groups.keys().all(|key| is_date(key)) {
            self.kind = FieldKind::Date;
        } else {
            let (texts, characters) = self.groups.iter().fold((0, 0), |(n, c), (key, records)| {
                (n + records.len(), c + key.chars().count() * records.len())
            });
            self.long = texts > 0 && characters / texts > LONG_TEXT;
        }
    }

    fn facts(&self) -> FieldFacts {
        let listed = self.kind == FieldKind::Text && !self.long;
        FieldFacts {
            name: self.name.clone(),
            kind: self.kind,
            values: if listed {
                self.groups
                    .keys()
                    .map(|key| Value::String(key.clone()))
                    .collect()
            } else {
                Vec::new()
            },
            range: None,
            ..FieldFacts::default()
        }
    }
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| {
            if at == 4 || at == 7 {
                *byte == b'-'
            } else {
                byte.is_ascii_digit()
            }
        })
}

/// Returns the fields that a question asks about, apart from its conditions.
fn named(meant: &Interpretation) -> Vec<String> {
    let course = meant.histogram.iter().map(|course| &course.field);
    meant
        .group_by
        .iter()
        .chain(&meant.mentioned)
        .chain(course)
        .cloned()
        .collect()
}

/// Adds the fields of a record to their columns; those of an object under dotted names.
fn add_fields(
    columns: &mut Vec<Column>,
    record: usize,
    prefix: &str,
    fields: &Object,
    task: &ExtractTask,
) {
    for (key, value) in fields {
        let name = format!("{prefix}{key}");
        if let Value::Object(inner) = value {
            add_fields(columns, record, &format!("{name}."), inner, task);
            continue;
        }

        let at = columns
            .iter()
            .position(|column| column.name == name)
            .unwrap_or_else(|| {
                columns.push(Column::new(&name, task));
                columns.len() - 1
            });
        columns[at].add(record, value);
    }
}

/// Returns the value under a name, which may be a dotted path into objects.
pub(crate) fn value_at<'f>(fields: &'f Object, name: &str) -> Option<&'f Value> {
    fields.get(name).or_else(|| {
        let (outer, inner) = name.split_once('.')?;
        value_at(fields.get(outer)?.as_object()?, inner)
    })
}
