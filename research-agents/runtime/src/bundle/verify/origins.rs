//! The evidence that follows from the recorded traffic of a run, which the bundle must match.

use std::collections::HashMap;

use research_agents_report::assessment::Rating;
use research_agents_report::document::TableView;
use research_agents_report::evidence::{Source, Table};
use research_agents_report::passage::Document;

use crate::bundle::verify::difference::difference;

/// The evidence that follows from recorded answers. The system of the run finds it, because it
/// knows how to read its tools.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// Every record of every recorded answer. Their ids do not count.
    pub sources: Vec<Source>,
    /// Every document of every recorded answer, with its text as the reader made it. Their ids do
    /// not count.
    pub documents: Vec<Document>,
    /// Every aggregation of every recorded answer.
    pub tables: Vec<OriginTable>,
    /// Every text whose numbers a sentence may repeat: the question, filters in words, and names of
    /// fields.
    pub context: Vec<String>,
    /// Numbers of records that were read and that match, one pair for each reading of answers that
    /// leave it open.
    pub coverage: Vec<(u64, Option<u64>)>,
    /// Texts that contain every number that the text about coverage may show.
    pub coverage_words: Vec<String>,
    /// What the report says about coverage, word for word, once for each reading of answers that
    /// leave it open. If it is empty, only the numbers are compared.
    pub readings: Vec<CoverageReading>,
    /// How credible each site is at most, and what marks need.
    pub rating: Rating,
    /// A description of every recorded answer that was read, with a problem if the answer cannot be
    /// genuine.
    pub answers: Vec<(String, Option<String>)>,
}

/// How much of the matching data was read by one reading of the recorded answers, and how a report
/// says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageReading {
    /// Number of records that were read.
    pub read: u64,
    /// Number of records that match, if known.
    pub total: Option<u64>,
    /// The texts that the block on coverage may have.
    pub texts: Vec<String>,
    /// The note of every sentence that rests on records; `None` if everything was read.
    pub note: Option<String>,
    /// The line of the limitations; `None` if everything was read.
    pub limitation: Option<String>,
}

/// An aggregation of a recorded answer.
#[derive(Clone, Debug)]
pub struct OriginTable {
    /// The aggregation. Its id does not count.
    pub table: Table,
    /// How the report presents it.
    pub view: TableView,
}

impl Origins {
    /// Returns the aggregation of an answer that equals a table.
    pub(crate) fn of_table(&self, table: &Table) -> Option<&OriginTable> {
        self.tables
            .iter()
            .find(|origin| difference(table, &origin.table).is_none())
    }

    /// Returns why a table did not come from an answer.
    pub(crate) fn table_problem(&self, table: &Table) -> Option<String> {
        let mut nearest: Option<(usize, String)> = None;
        for origin in self
            .tables
            .iter()
            .filter(|origin| origin.table.field == table.field)
        {
            let problem = difference(table, &origin.table)?;
            let distance = distance(table, &origin.table);
            if nearest.as_ref().is_none_or(|(known, _)| distance < *known) {
                nearest = Some((distance, problem));
            }
        }
        let none = || format!("no recorded answer has groups by {}", table.field);
        Some(nearest.map_or_else(none, |(_, problem)| problem))
    }
}

/// The records of recorded answers by tool, and by the id or the place that a record has there.
pub(crate) struct OriginSources<'a> {
    by_record: HashMap<(&'a str, &'a str), Vec<&'a Source>>,
    by_place: HashMap<(&'a str, &'a str), Vec<&'a Source>>,
}

impl<'a> OriginSources<'a> {
    pub(crate) fn new(origins: &'a Origins) -> Self {
        let mut index = Self {
            by_record: HashMap::new(),
            by_place: HashMap::new(),
        };
        for origin in &origins.sources {
            let tool = origin.tool.as_str();
            let by_record = index.by_record.entry((tool, &origin.record));
            by_record.or_default().push(origin);
            if let Some(place) = place_in_answer(&origin.record) {
                index
                    .by_place
                    .entry((tool, place))
                    .or_default()
                    .push(origin);
            }
        }
        index
    }

    /// Returns why a source did not come from an answer.
    pub(crate) fn problem(&self, source: &Source) -> Option<String> {
        let tool = source.tool.as_str();
        let named = self.by_record.get(&(tool, source.record.as_str()));
        let placed =
            place_in_answer(&source.record).and_then(|place| self.by_place.get(&(tool, place)));

        let mut first = None;
        for origin in named.into_iter().chain(placed).flatten() {
            let problem = source_difference(source, origin)?;
            first.get_or_insert(problem);
        }

        first.or_else(|| {
            Some(format!(
                "no recorded answer of {} has the record {}",
                source.tool, source.record
            ))
        })
    }
}

/// Returns the position of a record without an id in its answer. The rest of its name identifies
/// the arguments of the query, which the run may have translated for the tool.
fn place_in_answer(record: &str) -> Option<&str> {
    let (name, position) = record.strip_prefix("anon-")?.rsplit_once('-')?;
    (!name.is_empty()).then_some(position)
}

/// Returns the first difference of a source from its origin.
fn source_difference(source: &Source, origin: &Source) -> Option<String> {
    let address = |source: &Source| {
        source
            .url
            .clone()
            .filter(|url| *url != format!("doc://{}", source.record))
    };
    let (stated, actual) = (source.fields.for_code(), origin.fields.for_code());

    for (name, value) in stated {
        match actual.get(name) {
            Some(other) if other == value => {}
            Some(other) => {
                return Some(format!(
                    "{name} is {value}, the recorded answer has {other}"
                ));
            }
            None => return Some(format!("the recorded answer has no field {name}")),
        }
    }
    if let Some(name) = actual.keys().find(|name| !stated.contains_key(*name)) {
        return Some(format!(
            "the field {name} of the recorded answer is missing"
        ));
    }

    let part = if source.text != origin.text {
        "text"
    } else if source.title != origin.title {
        "title"
    } else if source.snippet != origin.snippet {
        "beginning"
    } else if address(source) != address(origin) {
        "address"
    } else if source.cut != origin.cut {
        "length"
    } else {
        return None;
    };

    Some(format!("its {part} is not that of the recorded answer"))
}

/// Returns how many rows differ between a table and an aggregation.
fn distance(table: &Table, origin: &Table) -> usize {
    let rows = table
        .rows
        .iter()
        .zip(&origin.rows)
        .filter(|(row, other)| row != other)
        .count();
    rows + table.rows.len().abs_diff(origin.rows.len()) + usize::from(table.total != origin.total)
}
