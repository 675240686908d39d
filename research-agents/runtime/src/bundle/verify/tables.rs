//! Checks the charts, tables and lists of records within the sections of a report.

use std::collections::BTreeSet;

use research_agents_report::check::numbers_stand_in;
use research_agents_report::document::{Block, RecordList, RecordRow, RecordTable, ReportWriter};
use research_agents_report::evidence::{Evidence, Table, TableKind};

use crate::bundle::model::Bundle;
use crate::bundle::verify::outcome::{CheckKind, Verification};
use crate::bundle::verify::words::shortened;

/// What the tables of a report are compared with.
#[derive(Clone, Copy)]
pub(crate) struct Tables<'a> {
    pub(crate) bundle: &'a Bundle,
    pub(crate) evidence: &'a Evidence,
    pub(crate) writer: &'a ReportWriter<'a>,
}

impl Tables<'_> {
    /// Checks a block with a chart, a table or a list of records.
    pub(crate) fn block(self, block: &Block, place: &str, found: &mut Verification) {
        match block {
            Block::Chart { aggregation } => self.shown(aggregation, true, place, found),
            Block::Groups { aggregation, .. } => self.shown(aggregation, false, place, found),
            Block::Records(records) => self.records(records, place, found),
            _ => {}
        }
    }

    /// Checks that the list of data has the aggregation that a block shows, and its chart.
    fn shown(self, id: &str, is_chart: bool, place: &str, found: &mut Verification) {
        let listed = self.bundle.report.data.iter().find(|data| data.id == id);
        let problem = match listed {
            None => Some("the report does not list this aggregation".to_owned()),
            Some(data) if is_chart && data.chart.is_none() => {
                Some("the aggregation has no chart".to_owned())
            }
            Some(_) => None,
        };
        let part = if is_chart { "chart" } else { "table" };
        found.judge(
            CheckKind::Entry,
            place,
            format!("{part} of ({id})"),
            problem,
        );
    }

    /// Checks every cell of a list of records against the evidence, and how many records it says
    /// are not listed.
    fn records(self, stated: &RecordTable, place: &str, found: &mut Verification) {
        let mut known = BTreeSet::new();
        for row in &stated.rows {
            let twice = (!known.insert(&row.source))
                .then(|| format!("the record [{}] is listed twice", row.source));
            let problem = twice.or_else(|| self.row_problem(stated, row));
            let what = format!("{} cells of [{}]", row.cells.len(), row.source);
            found.judge(CheckKind::Entry, place, what, problem);
        }

        let listed = stated.rows.len() as u64;
        let table = stated
            .aggregation
            .as_ref()
            .map(|id| (id, self.evidence.table(id)));
        match table {
            Some((id, None)) => {
                let problem = format!("there is no aggregation ({id})");
                found.fails_at(CheckKind::Entry, place, "number of records", problem);
            }
            Some((_, Some(table))) => {
                let actual = table.total.checked_sub(listed);
                let problem = (actual != Some(stated.more)).then(|| {
                    format!(
                        "{listed} records and {} more are stated, the aggregation has {}",
                        stated.more, table.total
                    )
                });
                found.judge(CheckKind::Entry, place, "number of records", problem);
                let order =
                    (table.kind == TableKind::Ranking).then(|| ranking_problem(stated, table));
                if let Some(problem) = order {
                    found.judge(CheckKind::Entry, place, "order of the records", problem);
                }
            }
            None if stated.more > 0 => found.not_covered_at(
                CheckKind::Entry,
                place,
                "number of further records",
                "no aggregation counts the records",
            ),
            None => {}
        }

        // The caption may repeat the numbers of the table.
        let total = table.and_then(|(_, table)| table).map(|table| table.total);
        let language = self.bundle.report.language;
        let counts = [Some(listed), Some(stated.more), total];
        let numbers: Vec<String> = counts
            .into_iter()
            .flatten()
            .map(|number| number.to_string())
            .collect();
        let known = self.bundle.context.iter().chain(&numbers);
        let is_known =
            numbers_stand_in(stated.caption.as_str(), language, known.map(String::as_str));
        let why = if is_known {
            "the words of a caption"
        } else {
            "a caption with a number that nothing here proves"
        };
        let caption = shortened(stated.caption.as_str());
        if !caption.is_empty() {
            found.not_covered_at(CheckKind::Words, place, caption, why);
        }
    }

    /// Returns the first difference of a record's cells from the evidence.
    fn row_problem(self, stated: &RecordTable, row: &RecordRow) -> Option<String> {
        let list = RecordList {
            columns: stated.columns.clone(),
            sources: vec![row.source.clone()],
            ..RecordList::default()
        };
        let Some(actual) = self.writer.record_table(&list).rows.into_iter().next() else {
            return Some("the bundle has no such source".to_owned());
        };
        if row.cells.len() != actual.cells.len() {
            return Some(format!(
                "{} cells are stated for {} columns",
                row.cells.len(),
                actual.cells.len()
            ));
        }

        let pairs = row.cells.iter().zip(&actual.cells).zip(&stated.columns);
        let differing = pairs.filter(|((cell, actual), _)| cell != actual);
        let mut differing = differing.map(|((cell, actual), column)| {
            format!("{column} is stated as {cell}, the record has {actual}")
        });
        differing.next()
    }
}

/// Returns why the records are not in the order of a ranking.
fn ranking_problem(stated: &RecordTable, table: &Table) -> Option<String> {
    let ranked = table.rows.iter().filter_map(|row| row.source.as_ref());
    let mut pairs = stated.rows.iter().map(|row| &row.source).zip(ranked);
    pairs
        .find(|(stated, actual)| stated != actual)
        .map(|(stated, actual)| format!("[{stated}] stands where the ranking has [{actual}]"))
}
